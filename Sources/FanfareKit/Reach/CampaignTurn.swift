import Foundation

/// Lets one announcement or poll be on the screen at a time; no clock, no I/O.
///
/// A campaign is displayed, and then exactly one of actioned, exited or answered lets the next one come; so does dropped.
/// A view that disappears without a word is exited after five seconds in front, so that nothing is blocked for ever.
struct CampaignTurn {
    /// What the driver is to do.
    enum Effect: Equatable {
        /// Show it, or say `dropped`.
        case present(PushMessage)
        /// Tell the server, once each.
        case track(PushMessage, End)
    }

    /// How a campaign ended on the phone, or that it began.
    enum End: Equatable {
        case displayed
        case actioned(String?)
        case exited
        case answered
        case dropped(reason: String)
    }

    /// Campaigns that wait for the network at most, the newest.
    static let heldMax = 50

    private var queue: [PushMessage] = []
    /// Campaigns whose content cannot be had at present, the oldest first; each stays until it is on the screen or ends.
    private(set) var held: [PushMessage]
    private(set) var current: PushMessage?
    private var isDisplayed = false
    /// For a view that is gone.
    private var patience: Patience

    /// `held`: what waited when the app ended.
    init(isActive: Bool, held: [PushMessage] = [], now: Date) {
        self.held = held
        patience = Patience(isActive: isActive, now: now)
    }

    /// Campaigns that wait, the next first.
    var waiting: [PushMessage] { queue }

    /// When `tick` is to be called; nil: when something happens.
    var wakeAt: Date? { patience.wakeAt }

    /// A campaign arrived; one that is there already is not taken twice.
    mutating func arrived(_ push: PushMessage) -> [Effect] {
        guard current != push, !queue.contains(push) else { return [] }
        queue.append(push)
        return next()
    }

    /// It is on the screen.
    mutating func displayed(_ push: PushMessage) -> [Effect] {
        guard push == current, !isDisplayed else { return [] }
        isDisplayed = true
        held.removeAll { $0 == push }
        return [.track(push, .displayed)]
    }

    /// It ended; what comes after the first end counts no more.
    mutating func ended(_ push: PushMessage, _ end: End) -> [Effect] {
        guard push == current, end != .displayed else { return [] }
        held.removeAll { $0 == push }
        (current, isDisplayed) = (nil, false)
        patience.end()
        return [.track(push, end)] + next()
    }

    /// Its content cannot be had at present: it lets others by until `retry`.
    mutating func postponed(_ push: PushMessage) -> [Effect] {
        guard push == current else { return [] }
        current = nil
        if !held.contains(push) { held.append(push) }
        var effects: [Effect] = []
        while held.count > Self.heldMax {
            effects.append(.track(held.removeFirst(), .dropped(reason: "NoRoom")))
        }
        return effects + next()
    }

    /// What could not be had may be there now.
    mutating func retry() -> [Effect] {
        queue += held.filter { $0 != current && !queue.contains($0) }
        return next()
    }

    /// What waits is of no use any more; what is on the screen stays.
    mutating func forget() { (queue, held) = ([], []) }

    /// Its view is gone.
    mutating func disappeared(_ push: PushMessage, now: Date) -> [Effect] {
        if push == current { patience.begin(now: now) }
        return []
    }

    /// Its view is there again, as after a tab that was changed.
    mutating func appeared(_ push: PushMessage) -> [Effect] {
        if push == current { patience.end() }
        return []
    }

    /// The app came to the front, or went away from it.
    mutating func became(active: Bool, now: Date) -> [Effect] {
        let effects = tick(now: now)
        patience.became(active: active, now: now)
        return effects
    }

    /// Time has passed.
    mutating func tick(now: Date) -> [Effect] {
        guard patience.isOver(now: now), let push = current else { return [] }
        return ended(push, .exited)
    }

    private mutating func next() -> [Effect] {
        guard current == nil, !queue.isEmpty else { return [] }
        let push = queue.removeFirst()
        current = push
        return [.present(push)]
    }
}
