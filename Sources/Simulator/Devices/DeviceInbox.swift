/// The messages of one device, which is online or offline and whose provider stores, replaces, delays and drops them.
///
/// Pure: every input comes with the time in milliseconds since 1970, which never goes back.
struct DeviceInbox {
    /// A provider's policy for devices that cannot receive a message at once.
    struct Policy: Sendable {
        /// The most waiting messages with different keys; beyond that the one that has waited longest is dropped.
        var keysMost = Int.max
        /// The most waiting messages without a key; one more, and all of them are dropped.
        var pileMost = Int.max
        /// The number of messages with a key that a device receives at once; nil for any number.
        var burst: Int?
        /// The time until it receives one more, in milliseconds.
        var refillMilliseconds: Int64 = 0

        /// Firebase's policy.
        ///
        /// Four keys are stored at once; which ones is not documented. 100 messages without a key are stored.
        /// Collapsible messages come in bursts of 20 and then one every 3 minutes, without a notice to anybody.
        static let fcm = Policy(keysMost: 4, pileMost: 100, burst: 20, refillMilliseconds: 180_000)
        /// Apple's policy: one notification per app is stored, which `PushedMessage` expresses by its key.
        static let apns = Policy()
        /// Web Push's policy: RFC 8030 sets no limits.
        static let webPush = Policy()
    }

    /// A delivered message with its time of arrival.
    struct Delivered: Equatable {
        let message: PushedMessage
        let at: Int64
    }

    /// The counts of messages by their fate.
    struct Counts: Equatable {
        var received = 0
        var delivered = 0
        /// Messages that another replaced before they were delivered.
        var collapsed = 0
        /// Messages that expired before they were delivered.
        var expired = 0
        /// Messages for which there was no room.
        var dropped = 0
        /// Notices to the app that messages were dropped (Android: `onDeletedMessages`).
        var deletions = 0
    }

    /// The number of messages kept, for devices that receive them for days.
    static let shownMost = 200

    private(set) var isOnline = true
    /// The messages on the screen, oldest first.
    private(set) var shown: [Delivered] = []
    /// The messages handed to the app, oldest first.
    private(set) var handed: [Delivered] = []
    /// The messages that arrived since they were last taken, oldest first.
    private(set) var arrived: [Delivered] = []
    /// The token's Live Activities; nil before their first message.
    private(set) var activity: ActivityScreen?
    private(set) var waiting: [PushedMessage] = []
    private(set) var counts = Counts()
    private let policy: Policy
    /// Saved refill time in milliseconds; each `refillMilliseconds` of it admits one message with a key.
    private var credit: Int64
    private var creditAt: Int64
    private var isDeletionOwed = false

    init(_ policy: Policy, now: Int64) {
        self.policy = policy
        credit = Int64(policy.burst ?? 0) * policy.refillMilliseconds
        creditAt = now
    }

    /// Accepts a message from the provider's sender.
    mutating func receive(_ message: PushedMessage, now: Int64) {
        advance(to: now)
        counts.received += 1
        guard message.expiresAt > now else {
            // "Now or never": a message that cannot be delivered is not kept and replaces nothing.
            if isOnline, pay(for: message) { take(message, now) } else { counts.expired += 1 }
            return
        }
        store(message)
        deliver(now)
    }

    /// Brings the device online or offline.
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

    /// Returns the messages that arrived since the last call.
    mutating func takeArrived(now: Int64) -> [Delivered] {
        advance(to: now)
        defer { arrived = [] }
        return arrived
    }

    /// Advances the clock: messages expire and delayed ones arrive.
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
            if let index = waiting.firstIndex(where: { $0.storage == message.storage }) {
                waiting.remove(at: index)
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

    /// Returns true if a message may be delivered now.
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
        if let message = message.activity {
            // Neither a notification nor the app's.
            activity = activity ?? ActivityScreen()
            activity?.take(message)
            return
        }
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
