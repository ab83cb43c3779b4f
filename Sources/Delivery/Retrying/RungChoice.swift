public import Campaigns

/// The choice of the rung on which a device waits before it is sent to again (design, sections 6 and 9).
///
/// Pure: the caller passes the time. The publisher draws the `.a` or `.b` queue of the rung.
public struct RungChoice: Sendable {
    /// The rungs of a charged retry after the first, second, … attempt; the last one repeats.
    public var rungs: [Rung]

    /// A provider's ladder that begins with this rung.
    public init(from first: Rung = .seconds5) {
        self.init(rungs: [.seconds5, .seconds30, .minutes2, .minutes10, .minutes30, .hours2].filter { $0 >= first })
    }

    /// A ladder of these rungs, at least one.
    public init(rungs: [Rung]) {
        precondition(!rungs.isEmpty, "a ladder without rungs")
        self.rungs = rungs
    }

    /// The fate of the device.
    public enum Decision: Equatable, Sendable {
        /// It waits on this rung; above the ladder's top also until `notBefore`.
        case wait(Rung, notBefore: Timestamp?, charged: Bool)
        /// It could only come back too late.
        case expired
        /// It has had all its attempts.
        case exhausted
    }

    /// A shard's situation when a device fails.
    public struct Situation: Sendable {
        /// The attempt that failed, from 1.
        public var attempt: UInt32
        /// The charged attempts that a device gets.
        public var maxAttempts: UInt32
        /// The instant after which no request is made.
        public var expiresAt: Timestamp

        /// A shard's situation.
        public init(attempt: UInt32, maxAttempts: UInt32, expiresAt: Timestamp) {
            self.attempt = attempt
            self.maxAttempts = maxAttempts
            self.expiresAt = expiresAt
        }
    }

    /// Decides for one device.
    ///
    /// `Retry-After` is a lower bound and leads to the smallest rung that is not below it. Above two hours it leads to
    /// the two-hour rung with `notBefore`, not charged. A retry that could only come back at or after `expiresAt` is
    /// expired now.
    public func decide(
        _ situation: Situation,
        retryAfter: Duration?,
        charged: Bool,
        now: Timestamp
    ) -> Decision {
        let step = charged ? Int(situation.attempt) - 1 : 0
        var rung = rungs[min(max(step, 0), rungs.count - 1)]
        var notBefore: Timestamp?
        var isCharged = charged
        if let retryAfter {
            if let enough = Rung.allCases.first(where: { $0.delay >= retryAfter }) {
                rung = max(rung, enough)
            } else {
                rung = .hours2
                notBefore = now.advanced(by: retryAfter)
                isCharged = false
            }
        }
        if isCharged && situation.attempt >= situation.maxAttempts { return .exhausted }
        let back = max(now.advanced(by: rung.delay), notBefore ?? now)
        if back >= situation.expiresAt { return .expired }
        return .wait(rung, notBefore: notBefore, charged: isCharged)
    }
}
