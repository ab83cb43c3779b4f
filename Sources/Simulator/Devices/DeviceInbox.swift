/// What one device gets to see: it is online or not, and its provider stores, replaces, delays and drops.
///
/// Pure: every input comes with the time in milliseconds since 1970, which never goes back.
struct DeviceInbox {
    /// What a provider does for devices that cannot take a message at once.
    struct Policy: Sendable {
        /// Waiting messages with different keys; above that the one that has waited longest is dropped.
        var keysMost = Int.max
        /// Waiting messages without a key; one more and all of them are dropped.
        var pileMost = Int.max
        /// Messages with a key that a device takes at once; nil for any number.
        var burst: Int?
        /// How long until it takes one more, in milliseconds.
        var refillMilliseconds: Int64 = 0

        /// Firebase: four keys are stored at once, which ones is not said; 100 messages without one; collapsible
        /// messages come in bursts of 20 and then one every 3 minutes, which nobody is told.
        static let fcm = Policy(keysMost: 4, pileMost: 100, burst: 20, refillMilliseconds: 180_000)
        /// Apple: one notification of an app is stored, which `PushedMessage` expresses by its key.
        static let apns = Policy()
        /// RFC 8030 sets no limits.
        static let webPush = Policy()
    }

    /// A delivered message and when it came.
    struct Delivered: Equatable {
        let message: PushedMessage
        let at: Int64
    }

    /// How often what became of messages.
    struct Counts: Equatable {
        var received = 0
        var delivered = 0
        /// Another took its place before it was delivered.
        var collapsed = 0
        /// Its time was over before it was delivered.
        var expired = 0
        /// There was no room for it.
        var dropped = 0
        /// The app was told that messages were dropped (Android: `onDeletedMessages`).
        var deletions = 0
    }

    /// The last of these are kept: a device that gets messages for days is asked for what it shows now.
    static let shownMost = 200

    private(set) var isOnline = true
    /// What is on the screen, the oldest first.
    private(set) var shown: [Delivered] = []
    /// What the app got, the oldest first.
    private(set) var handed: [Delivered] = []
    /// What came since somebody took it, the oldest first.
    private(set) var arrived: [Delivered] = []
    private(set) var waiting: [PushedMessage] = []
    private(set) var counts = Counts()
    private let policy: Policy
    /// Milliseconds of refill that are saved up: each `refillMilliseconds` of them let one message with a key come.
    private var credit: Int64
    private var creditAt: Int64
    private var isDeletionOwed = false

    init(_ policy: Policy, now: Int64) {
        self.policy = policy
        credit = Int64(policy.burst ?? 0) * policy.refillMilliseconds
        creditAt = now
    }

    /// The provider has accepted a message.
    mutating func receive(_ message: PushedMessage, now: Int64) {
        advance(to: now)
        counts.received += 1
        guard message.expiresAt > now else {
            // "Now or never": what cannot go is not kept, and takes nothing's place.
            if isOnline, pay(for: message) { take(message, now) } else { counts.expired += 1 }
            return
        }
        store(message)
        deliver(now)
    }

    /// The device has come or gone.
    mutating func setOnline(_ isOnline: Bool, now: Int64) {
        advance(to: now)
        self.isOnline = isOnline
        guard isOnline else { return }
        if isDeletionOwed {
            counts.deletions += 1
            isDeletionOwed = false
        }
        deliver(now)
    }

    /// What came since the last time; the next time begins with what comes from now on.
    mutating func takeArrived(now: Int64) -> [Delivered] {
        advance(to: now)
        defer { arrived = [] }
        return arrived
    }

    /// Time has passed: messages have expired, delayed ones have come.
    mutating func advance(to now: Int64) {
        while isOnline, !waiting.isEmpty {
            let due = creditAt + policy.refillMilliseconds - credit
            guard due <= now else { break }
            drop { $0.expiresAt <= due }
            deliver(due)
        }
        drop { $0.expiresAt <= now }
        refill(now)
    }

    private mutating func store(_ message: PushedMessage) {
        if case .replacing = message.storage {
            if let place = waiting.firstIndex(where: { $0.storage == message.storage }) {
                waiting.remove(at: place)
                counts.collapsed += 1
            }
            waiting.append(message)
            guard waiting.count(where: { $0.storage != .piling }) > policy.keysMost else { return }
            guard let oldest = waiting.firstIndex(where: { $0.storage != .piling }) else { return }
            waiting.remove(at: oldest)
            counts.dropped += 1
            return
        }
        waiting.append(message)
        let pile = waiting.count { $0.storage == .piling }
        guard pile > policy.pileMost else { return }
        waiting.removeAll { $0.storage == .piling }
        counts.dropped += pile
        isDeletionOwed = true
    }

    private mutating func deliver(_ now: Int64) {
        guard isOnline else { return }
        refill(now)
        var left: [PushedMessage] = []
        for message in waiting {
            if pay(for: message) { take(message, now) } else { left.append(message) }
        }
        waiting = left
    }

    /// Whether a message may come now.
    private mutating func pay(for message: PushedMessage) -> Bool {
        guard policy.burst != nil, message.storage != .piling else { return true }
        guard credit >= policy.refillMilliseconds else { return false }
        credit -= policy.refillMilliseconds
        return true
    }

    private mutating func take(_ message: PushedMessage, _ now: Int64) {
        counts.delivered += 1
        let delivered = Delivered(message: message, at: now)
        arrived.append(delivered)
        if arrived.count > Self.shownMost { arrived.removeFirst() }
        guard message.isShown else {
            handed.append(delivered)
            if handed.count > Self.shownMost { handed.removeFirst() }
            return
        }
        if let key = message.displayKey { shown.removeAll { $0.message.displayKey == key } }
        shown.append(delivered)
        if shown.count > Self.shownMost { shown.removeFirst() }
    }

    private mutating func drop(where isOver: (PushedMessage) -> Bool) {
        let before = waiting.count
        waiting.removeAll(where: isOver)
        counts.expired += before - waiting.count
    }

    private mutating func refill(_ now: Int64) {
        guard let burst = policy.burst, now > creditAt else { return }
        credit = min(Int64(burst) * policy.refillMilliseconds, credit + now - creditAt)
        creditAt = now
    }
}
