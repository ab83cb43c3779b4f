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

    private var queue: [PushMessage] = []
    private(set) var current: PushMessage?
    private var isDisplayed = false
    /// For a view that is gone.
    private var patience: Patience

    init(isActive: Bool, now: Date) {
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
        return [.track(push, .displayed)]
    }

    /// It ended; what comes after the first end counts no more.
    mutating func ended(_ push: PushMessage, _ end: End) -> [Effect] {
        guard push == current, end != .displayed else { return [] }
        (current, isDisplayed) = (nil, false)
        patience.end()
        return [.track(push, end)] + next()
    }

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
