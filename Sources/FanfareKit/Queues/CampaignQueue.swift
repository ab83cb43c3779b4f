import Foundation

/// Allows one announcement or poll on the screen at a time; no clock, no I/O.
///
/// A campaign is displayed; then exactly one of actioned, exited, answered or dropped lets the next one come. A view
/// that disappears without a report counts as exited after five seconds in front, so that nothing is blocked forever.
struct CampaignQueue {
    /// A task for the driver.
    enum Effect: Equatable {
        /// Show it, or report `dropped`.
        case present(PushMessage)
        /// Report it to the server, once each.
        case track(PushMessage, End)
    }

    /// The end of a campaign on the phone, or its display.
    enum End: Equatable {
        case displayed
        case actioned(String?)
        case exited
        case answered
        case dropped(reason: String)
    }

    /// The number of campaigns that wait for the network; the newest are kept.
    static let heldMax = 50

    private var queue: [PushMessage] = []
    /// Campaigns whose content is not available now, the oldest first; each stays until it is on the screen or ends.
    private(set) var held: [PushMessage]
    private(set) var current: PushMessage?
    private var isDisplayed = false
    /// The countdown for a view that disappeared.
    private var countdown: Countdown

    /// Starts with `held`, the campaigns that waited when the app ended.
    init(isActive: Bool, held: [PushMessage] = [], now: Date) {
        self.held = held
        countdown = Countdown(isActive: isActive, now: now)
    }

    /// The campaigns that wait, the next one first.
    var waiting: [PushMessage] { queue }

    /// The time at which `tick` is due; nil while there is none.
    var wakeAt: Date? { countdown.wakeAt }

    /// Queues a campaign, unless it is queued or shown already.
    mutating func arrived(_ push: PushMessage) -> [Effect] {
        guard current != push, !queue.contains(push) else { return [] }
        queue.append(push)
        return next()
    }

    /// Notes that the campaign is on the screen.
    mutating func displayed(_ push: PushMessage) -> [Effect] {
        guard push == current, !isDisplayed else { return [] }
        isDisplayed = true
        held.removeAll { $0 == push }
        return [.track(push, .displayed)]
    }

    /// Ends the campaign; later reports are ignored.
    mutating func ended(_ push: PushMessage, _ end: End) -> [Effect] {
        guard push == current, end != .displayed else { return [] }
        held.removeAll { $0 == push }
        (current, isDisplayed) = (nil, false)
        countdown.end()
        return [.track(push, end)] + next()
    }

    /// Holds a campaign whose content is not available, and lets others pass until `retry`.
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

    /// Queues the held campaigns again.
    mutating func retry() -> [Effect] {
        queue += held.filter { $0 != current && !queue.contains($0) }
        return next()
    }

    /// Forgets all waiting campaigns; the one on the screen stays.
    mutating func forget() { (queue, held) = ([], []) }

    /// Notes that the campaign's view disappeared.
    mutating func disappeared(_ push: PushMessage, now: Date) -> [Effect] {
        if push == current { countdown.begin(now: now) }
        return []
    }

    /// Notes that the campaign's view appeared again, as after a change of tabs.
    mutating func appeared(_ push: PushMessage) -> [Effect] {
        if push == current { countdown.end() }
        return []
    }

    /// Handles the app coming to the front or leaving it.
    mutating func became(active: Bool, now: Date) -> [Effect] {
        let effects = tick(now: now)
        countdown.became(active: active, now: now)
        return effects
    }

    /// Ends a campaign whose view disappeared too long ago.
    mutating func tick(now: Date) -> [Effect] {
        guard countdown.isOver(now: now), let push = current else { return [] }
        return ended(push, .exited)
    }

    private mutating func next() -> [Effect] {
        guard current == nil, !queue.isEmpty else { return [] }
        let push = queue.removeFirst()
        current = push
        return [.present(push)]
    }
}
