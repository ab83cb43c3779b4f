import Foundation

/// Shows campaigns inside the app, the oldest first, one at a time and none twice; no clock, no I/O.
///
/// Campaigns that the system or an earlier run of the app showed are known by their ids. A campaign on the screen stays
/// until it ends, or its view was gone for five seconds in front.
struct InAppNotificationQueue {
    /// The number of campaigns that may wait; the system shows others, or the server offers them again.
    static let waitingMax = 50
    /// The number of campaigns remembered as shown; the newest are kept.
    static let toldMax = 1000

    /// A task for the driver.
    enum Effect: Equatable {
        /// Give it to its notifier, then report `drawn` or `dropped`.
        case show(PushMessage)
        /// Remove it from the screen, because the system showed it.
        case hide(PushMessage)
        /// Report it to the server, once each.
        case track(PushMessage, End)
    }

    /// The end of a notification, or its display.
    enum End: Equatable {
        case displayed
        case actioned(String)
        case exited
        case dropped(reason: String)
    }

    /// A campaign to show inside the app.
    struct Entry: Equatable {
        let push: PushMessage
        /// The time after which it is too late to show it.
        var expiresAt: Date?
    }

    /// The waiting campaigns, the next one first; the current one is among them until it is drawn.
    private(set) var waiting: [Entry]
    /// The campaigns that were shown, the newest last.
    private(set) var told: [String]
    private(set) var current: PushMessage?
    private var isDrawn = false
    private var isActive = false
    /// True while no announcement or poll is on the screen.
    private var isFree = true
    private var countdown: Countdown

    init(_ waiting: [Entry] = [], told: [String] = [], now: Date) {
        self.waiting = waiting
        self.told = told
        countdown = Countdown(isActive: false, now: now)
    }

    /// The time at which `tick` is due; nil while there is none.
    var wakeAt: Date? { countdown.wakeAt }

    /// True if one more campaign can wait.
    var hasRoom: Bool { waiting.count < Self.waitingMax }

    /// Returns true if a campaign was shown or is about to be.
    func knows(_ campaign: String) -> Bool {
        told.contains(campaign) || waiting.contains { $0.push.campaign == campaign }
    }

    /// Queues a campaign to be shown, unless it is known already.
    mutating func arrived(_ entry: Entry, now: Date) -> [Effect] {
        guard !knows(entry.push.campaign), hasRoom else { return [] }
        waiting.append(entry)
        return next(now)
    }

    /// Notes that the system showed a campaign.
    mutating func wasTold(_ campaign: String, now: Date) -> [Effect] {
        remember(campaign)
        guard let push = current, push.campaign == campaign else { return [] }
        close()
        return [.hide(push)] + next(now)
    }

    /// Notes that a notifier has drawn the notification.
    mutating func drawn(_ push: PushMessage) -> [Effect] {
        guard push == current, !isDrawn else { return [] }
        isDrawn = true
        remember(push.campaign)
        return [.track(push, .displayed)]
    }

    /// Ends the notification; later reports are ignored.
    mutating func ended(_ push: PushMessage, _ end: End, now: Date) -> [Effect] {
        guard push == current, end != .displayed else { return [] }
        var effects: [Effect] = []
        // A quick notifier reports the person's action before it reports the notification as drawn.
        if case .dropped = end {} else { effects = drawn(push) }
        remember(push.campaign)
        close()
        return effects + [.track(push, end)] + next(now)
    }

    /// Forgets everything.
    mutating func forget() -> [Effect] {
        let shown = current.map { [Effect.hide($0)] } ?? []
        close()
        (waiting, told) = ([], [])
        return shown
    }

    /// Notes that the notification's view disappeared.
    mutating func disappeared(_ push: PushMessage, now: Date) {
        if push == current { countdown.begin(now: now) }
    }

    /// Notes that the notification's view appeared again.
    mutating func appeared(_ push: PushMessage) {
        if push == current { countdown.end() }
    }

    /// Handles the app coming to the front or leaving it, and an announcement or poll coming to the screen or leaving
    /// it.
    mutating func surroundings(isActive: Bool? = nil, isFree: Bool? = nil, now: Date) -> [Effect] {
        let effects = tick(now: now)
        if let isActive { countdown.became(active: isActive, now: now) }
        self.isActive = isActive ?? self.isActive
        self.isFree = isFree ?? self.isFree
        return effects + next(now)
    }

    /// Ends a notification whose view disappeared too long ago.
    mutating func tick(now: Date) -> [Effect] {
        guard countdown.isOver(now: now), let push = current else { return [] }
        return ended(push, .exited, now: now)
    }

    private mutating func next(_ now: Date) -> [Effect] {
        waiting.removeAll { entry in entry.push != current && entry.expiresAt.map { $0 <= now } ?? false }
        guard isActive, isFree, current == nil, let entry = waiting.first else { return [] }
        (current, isDrawn) = (entry.push, false)
        return [.show(entry.push)]
    }

    private mutating func remember(_ campaign: String) {
        waiting.removeAll { $0.push.campaign == campaign }
        guard !told.contains(campaign) else { return }
        told = (told + [campaign]).suffix(Self.toldMax)
    }

    private mutating func close() {
        (current, isDrawn) = (nil, false)
        countdown.end()
    }
}
