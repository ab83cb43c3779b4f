import Foundation

/// Decides which in-app message appears, and when; no clock, no I/O.
///
/// A message that an event triggers waits for its delay and its assets, then goes on the stack. The newest message on
/// the stack is shown as soon as the app is in front, the keyboard is down, nothing else is shown and the interval
/// since the last message is over. All state is in memory only: an app that ends forgets what waits, and the server
/// offers it again.
struct InAppEngine {
    /// A task for the driver.
    enum Effect: Equatable {
        /// Load these, then call `loaded` or `failedToLoad`.
        case preload(id: String, [URL])
        /// Ask the delegate, then call `answer`.
        case ask(InAppMessage)
        /// Give it to its presenter, then call `drawn` or `hasNoPresenter`.
        case show(InAppMessage)
        /// Remove it from the screen, because its duration is over.
        case hide(InAppMessage)
        case discarded(InAppMessage, InAppDiscardReason)
        case noMatchingTrigger(AppEvent)
        case displayed(InAppMessage)
        case closed(InAppMessage, InAppClosing)
    }

    /// A message on its way to the screen.
    private struct Entry {
        let message: InAppMessage
        /// The earliest time to show it.
        let dueAt: Date
        /// The time after which it is too late to show it.
        let deadline: Date?
        /// True if the delegate wants it later.
        var isPostponed = false

        var isLocal: Bool { message.messageID == nil }
    }

    /// The message that was given to a presenter.
    private struct Showing {
        let entry: Entry
        /// The time at which it disappears by itself.
        let until: Date?
        /// The time at which the message before it was shown, restored when nobody draws this one.
        let lastShownAt: Date?
        /// True if a presenter has drawn it.
        var isDrawn = false
    }

    private enum Assets {
        case loading, ready, failed
    }

    var rules = InAppRules()
    /// True while the app is in front.
    private(set) var isActive = false
    private(set) var isKeyboardUp = false
    private(set) var orientation = InAppMessage.Orientation.portrait

    /// The number of events kept before the server's first offer; the newest are kept.
    static let earlyMax = 100
    /// The messages that the server offers; nil before its first offer.
    private var offered: [InAppMessage]?
    /// The events before that offer, matched against it when it comes.
    private var early: [(event: AppEvent, at: Date)] = []
    private var assets: [String: Assets] = [:]
    private var shownAt: [String: Date] = [:]
    private var lastShownAt: Date?
    /// The triggered messages, in the order of their events.
    private var waiting: [Entry] = []
    /// The messages ready to be shown, the newest last.
    private var stack: [Entry] = []
    private var asked: Entry?
    private var showing: Showing?
    private var effects: [Effect] = []

    init(rules: InAppRules = InAppRules()) {
        self.rules = rules
    }

    /// The messages on the stack, the next to be shown first.
    var stacked: [InAppMessage] { stack.reversed().map(\.message) }

    /// The time at which `tick` is due; nil while nothing is scheduled.
    func wakeAt(after now: Date) -> Date? {
        var instants = waiting.filter { isReady($0.message) }.map(\.dueAt)
        instants += (waiting + stack).compactMap(\.deadline) + [showing?.until].compactMap(\.self)
        if !stack.isEmpty, let lastShownAt { instants.append(lastShownAt + rules.interval) }
        return instants.filter { $0 > now }.min()
    }

    // MARK: - Events

    /// Starts a session with the messages that the server offers, in its order.
    mutating func sessionStarted(_ messages: [InAppMessage], now: Date) -> [Effect] {
        offered = messages
        let ids = Set(messages.map(\.id))
        for entry in waiting + stack where !entry.isLocal && !ids.contains(entry.message.id) {
            effects.append(.discarded(entry.message, .ended))
        }
        waiting.removeAll { !$0.isLocal && !ids.contains($0.message.id) }
        stack.removeAll { !$0.isLocal && !ids.contains($0.message.id) }
        for message in messages { preload(message) }
        wakePostponed()
        fire(AppEvent(.sessionStart), now)
        for (event, at) in early { fire(event, at) }
        early = []
        return finish(now)
    }

    /// Handles an event in the app; events before the first offer wait for it.
    mutating func happened(_ event: AppEvent, now: Date) -> [Effect] {
        if offered == nil {
            early = (early + [(event, now)]).suffix(Self.earlyMax)
        } else {
            fire(event, now)
        }
        return finish(now)
    }

    /// Takes a message that the app made itself.
    mutating func display(_ message: InAppMessage, now: Date) -> [Effect] {
        preload(message)
        enter(message, now)
        return finish(now)
    }

    /// Notes that all assets of a message are loaded.
    mutating func loaded(_ id: String, now: Date) -> [Effect] {
        assets[id] = .ready
        return finish(now)
    }

    /// Notes that an asset of a message cannot be loaded.
    mutating func failedToLoad(_ id: String, now: Date) -> [Effect] {
        assets[id] = .failed
        return finish(now)
    }

    /// Handles the app coming to the front or leaving it, or a change of the keyboard or the orientation.
    mutating func surroundings(
        isActive: Bool? = nil,
        isKeyboardUp: Bool? = nil,
        orientation: InAppMessage.Orientation? = nil,
        now: Date
    ) -> [Effect] {
        let wasFree = self.isActive && !self.isKeyboardUp
        self.isActive = isActive ?? self.isActive
        self.isKeyboardUp = isKeyboardUp ?? self.isKeyboardUp
        self.orientation = orientation ?? self.orientation
        if !wasFree, self.isActive, !self.isKeyboardUp { wakePostponed() }
        return finish(now)
    }

    /// Handles the delegate's answer.
    mutating func answer(_ choice: InAppChoice, for id: String, now: Date) -> [Effect] {
        guard var entry = asked, entry.message.id == id else { return [] }
        asked = nil
        switch choice {
        case .discard: effects.append(.discarded(entry.message, .delegate))
        case .later:
            entry.isPostponed = true
            stack.append(entry)
        case .now where isActive && !isKeyboardUp: show(entry, now)
        // The situation has changed while the delegate decided.
        case .now: stack.append(entry)
        }
        return finish(now)
    }

    /// Notes that a presenter has drawn the message.
    mutating func drawn(_ id: String, now: Date) -> [Effect] {
        guard showing?.entry.message.id == id else { return [] }
        noteDrawn()
        return finish(now)
    }

    /// Handles the closing of the message on the screen.
    mutating func closed(_ id: String, _ closing: InAppClosing, now: Date) -> [Effect] {
        guard let entry = showing?.entry, entry.message.id == id else { return [] }
        // A quick presenter closes the message before it reports it as drawn.
        noteDrawn()
        showing = nil
        effects.append(.closed(entry.message, closing))
        wakePostponed()
        return finish(now)
    }

    /// Drops the message that nobody could draw.
    mutating func hasNoPresenter(_ id: String, now: Date) -> [Effect] {
        guard let showing, showing.entry.message.id == id else { return [] }
        // It still counts as shown: tried again at each event, it would block others.
        lastShownAt = showing.lastShownAt
        self.showing = nil
        effects.append(.discarded(showing.entry.message, .noPresenter))
        return finish(now)
    }

    /// Does everything that is due at a time.
    mutating func tick(now: Date) -> [Effect] { finish(now) }

    /// Offers the next message of the stack by hand: without waiting for the interval, and postponed ones too.
    mutating func displayNext(now: Date) -> [Effect] {
        settle(now)
        offer(now, byHand: true)
        return taken()
    }

    // MARK: - From an event to the stack

    private mutating func fire(_ event: AppEvent, _ now: Date) {
        let candidates = (offered ?? []).filter { isEligible($0, now) && $0.triggers.contains { $0.fits(event) } }
        // The first of those with the highest priority; the server's order decides between equals.
        guard let first = candidates.first else { return effects.append(.noMatchingTrigger(event)) }
        enter(candidates.dropFirst().reduce(first) { $1.priority > $0.priority ? $1 : $0 }, now)
    }

    private func isEligible(_ message: InAppMessage, _ now: Date) -> Bool {
        guard message.isLive(now), !isUnderWay(message.id) else { return false }
        guard let shown = shownAt[message.id] else { return true }
        return message.repeatAfter.map { shown + $0 <= now } ?? false
    }

    private func isUnderWay(_ id: String) -> Bool {
        let entries = waiting + stack + [asked, showing?.entry].compactMap(\.self)
        return entries.contains { $0.message.id == id }
    }

    private mutating func enter(_ message: InAppMessage, _ now: Date) {
        // An image fills such a layout, so without one there is nothing to show.
        guard !(message.isImageOnly || message.layout == .full) || message.image != nil else {
            return effects.append(.discarded(message, .noImage))
        }
        waiting.append(
            Entry(message: message, dueAt: now + message.delay, deadline: message.timeout.map { now + $0 })
        )
    }

    private mutating func preload(_ message: InAppMessage) {
        // A message whose assets failed is tried again with the next session.
        switch assets[message.id] {
        case .ready, .loading: return
        case nil, .failed: break
        }
        let all = message.allAssets
        assets[message.id] = all.isEmpty ? .ready : .loading
        if !all.isEmpty { effects.append(.preload(id: message.id, all)) }
    }

    private func isReady(_ message: InAppMessage) -> Bool { assets[message.id] == .ready }

    // MARK: - From the stack to the screen

    private mutating func finish(_ now: Date) -> [Effect] {
        settle(now)
        offer(now, byHand: false)
        return taken()
    }

    private mutating func taken() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    /// Drops messages that cannot be shown any more, moves due ones to the stack, and ends one that was shown long
    /// enough.
    private mutating func settle(_ now: Date) {
        if let showing, let until = showing.until, until <= now {
            let entry = showing.entry
            noteDrawn()
            self.showing = nil
            effects += [.hide(entry.message), .closed(entry.message, .dismissed)]
            wakePostponed()
        }
        stack = kept(stack, now)
        let all = kept(waiting, now)
        func isDue(_ entry: Entry) -> Bool { isReady(entry.message) && entry.dueAt <= now }
        stack += all.filter(isDue)
        waiting = all.filter { !isDue($0) }
    }

    private mutating func kept(_ entries: [Entry], _ now: Date) -> [Entry] {
        entries.filter { entry in
            let reason: InAppDiscardReason? =
                if assets[entry.message.id] == .failed {
                    .asset
                } else if let deadline = entry.deadline, deadline <= now {
                    .timeout
                } else if let end = entry.message.endsAt, end <= now {
                    .ended
                } else {
                    nil
                }
            if let reason { effects.append(.discarded(entry.message, reason)) }
            return reason == nil
        }
    }

    /// Asks the delegate about the newest message of the stack when there is room for it.
    private mutating func offer(_ now: Date, byHand: Bool) {
        guard isActive, !isKeyboardUp, asked == nil, showing == nil else { return }
        if !byHand, let lastShownAt, now < lastShownAt + rules.interval { return }
        while let position = stack.lastIndex(where: { byHand || !$0.isPostponed }) {
            let entry = stack.remove(at: position)
            if let wanted = entry.message.orientation, wanted != orientation {
                effects.append(.discarded(entry.message, .orientation))
                continue
            }
            asked = entry
            effects.append(.ask(entry.message))
            return
        }
    }

    private mutating func show(_ entry: Entry, _ now: Date) {
        let id = entry.message.id
        let until = entry.message.duration.map { now + $0 }
        showing = Showing(entry: entry, until: until, lastShownAt: lastShownAt)
        (shownAt[id], lastShownAt) = (now, now)
        effects.append(.show(entry.message))
    }

    private mutating func noteDrawn() {
        guard let showing, !showing.isDrawn else { return }
        self.showing?.isDrawn = true
        effects.append(.displayed(showing.entry.message))
    }

    private mutating func wakePostponed() {
        for index in stack.indices { stack[index].isPostponed = false }
    }
}
