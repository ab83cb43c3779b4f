import Foundation

/// Tells of campaigns inside the app, the oldest first and one at a time, and of none twice; no clock, no I/O.
///
/// What the system told of, or an earlier run of the app, is known by its campaign. One that is told of stays until it
/// ends, or its view was gone for five seconds in front.
struct NotificationTurn {
    /// Campaigns that wait at most; what comes besides is the system's to show, or the server's to offer again.
    static let waitingMax = 50
    /// Campaigns that are known at most, the newest.
    static let toldMax = 1000

    /// What the driver is to do.
    enum Effect: Equatable {
        /// Give it to its notifier; then say `drawn` or `dropped`.
        case show(PushMessage)
        /// Take it from the screen: it was told of otherwise.
        case hide(PushMessage)
        /// Tell the server, once each.
        case track(PushMessage, End)
    }

    /// How a notification ended, or that it began.
    enum End: Equatable {
        case displayed
        case actioned(String)
        case exited
        case dropped(reason: String)
    }

    /// A campaign that is to be told of.
    struct Telling: Equatable {
        let push: PushMessage
        /// Then it is too late.
        var expiresAt: Date?
    }

    /// What waits, the next first, and until it is drawn what is on its way to the screen.
    private(set) var waiting: [Telling]
    /// Campaigns that were told of, the newest last.
    private(set) var told: [String]
    private(set) var current: PushMessage?
    private var isDrawn = false
    private var isActive = false
    /// No announcement or poll is on the screen.
    private var isFree = true
    private var patience: Patience

    init(_ waiting: [Telling] = [], told: [String] = [], now: Date) {
        self.waiting = waiting
        self.told = told
        patience = Patience(isActive: false, now: now)
    }

    /// When `tick` is to be called; nil: when something happens.
    var wakeAt: Date? { patience.wakeAt }

    /// Whether one more can wait.
    var hasRoom: Bool { waiting.count < Self.waitingMax }

    /// Whether a campaign was told of, or is about to be.
    func knows(_ campaign: String) -> Bool {
        told.contains(campaign) || waiting.contains { $0.push.campaign == campaign }
    }

    /// A campaign is to be told of; one that is known is not taken twice.
    mutating func arrived(_ telling: Telling, now: Date) -> [Effect] {
        guard !knows(telling.push.campaign), hasRoom else { return [] }
        waiting.append(telling)
        return next(now)
    }

    /// The system told of it.
    mutating func wasTold(_ campaign: String, now: Date) -> [Effect] {
        remember(campaign)
        guard let push = current, push.campaign == campaign else { return [] }
        close()
        return [.hide(push)] + next(now)
    }

    /// A notifier has it on the screen.
    mutating func drawn(_ push: PushMessage) -> [Effect] {
        guard push == current, !isDrawn else { return [] }
        isDrawn = true
        remember(push.campaign)
        return [.track(push, .displayed)]
    }

    /// It ended; what comes after the first end counts no more.
    mutating func ended(_ push: PushMessage, _ end: End, now: Date) -> [Effect] {
        guard push == current, end != .displayed else { return [] }
        var effects: [Effect] = []
        // A quick notifier says what the person did before it says that it has it.
        if case .dropped = end {} else { effects = drawn(push) }
        remember(push.campaign)
        close()
        return effects + [.track(push, end)] + next(now)
    }

    /// Nothing is to be known any more.
    mutating func forget() -> [Effect] {
        let shown = current.map { [Effect.hide($0)] } ?? []
        close()
        (waiting, told) = ([], [])
        return shown
    }

    /// Its view is gone.
    mutating func disappeared(_ push: PushMessage, now: Date) {
        if push == current { patience.begin(now: now) }
    }

    /// Its view is there again.
    mutating func appeared(_ push: PushMessage) {
        if push == current { patience.end() }
    }

    /// The app came to the front or went away from it, an announcement or poll came to the screen or left it.
    mutating func surroundings(isActive: Bool? = nil, isFree: Bool? = nil, now: Date) -> [Effect] {
        let effects = tick(now: now)
        if let isActive { patience.became(active: isActive, now: now) }
        self.isActive = isActive ?? self.isActive
        self.isFree = isFree ?? self.isFree
        return effects + next(now)
    }

    /// Time has passed.
    mutating func tick(now: Date) -> [Effect] {
        guard patience.isOver(now: now), let push = current else { return [] }
        return ended(push, .exited, now: now)
    }

    private mutating func next(_ now: Date) -> [Effect] {
        waiting.removeAll { telling in telling.push != current && telling.expiresAt.map { $0 <= now } ?? false }
        guard isActive, isFree, current == nil, let telling = waiting.first else { return [] }
        (current, isDrawn) = (telling.push, false)
        return [.show(telling.push)]
    }

    private mutating func remember(_ campaign: String) {
        waiting.removeAll { $0.push.campaign == campaign }
        guard !told.contains(campaign) else { return }
        told = (told + [campaign]).suffix(Self.toldMax)
    }

    private mutating func close() {
        (current, isDrawn) = (nil, false)
        patience.end()
    }
}
