/// The state of each device of a shard, packed in the ledger as 4 bits per device, with notes as runs.
///
/// A device that was accepted at its first request has no note, so that the usual answer is one byte written in place.
public struct Progress: Equatable, Sendable {
    /// One code per device: 0 pending, 1…7 an `Outcome`, 8…13 a retry on a `Rung`, 14 held back by the guard.
    public private(set) var codes: [UInt8]
    /// The details that a code lacks, by position.
    public private(set) var notes: [UInt16: Note]
    /// The started mark (design, section 7).
    ///
    /// An earlier run that ended without a report may have sent to the pending devices before this position; 0 if
    /// nothing is in doubt.
    public var started = 0

    /// The state of a device.
    public enum State: Equatable, Sendable {
        /// There is no answer yet.
        case pending
        /// The device has an outcome.
        case outcome(Outcome)
        /// The device is retried after a rung's delay.
        case retry(Rung)
        /// The provider rejected the token, and the wrong-environment guard has not decided on it.
        case held
    }

    private static let held: UInt8 = 14

    /// The details of a device's state.
    public struct Note: Hashable, Sendable {
        /// The provider's reason, unchanged, or ours.
        public var reason: String?
        /// The number of requests by this shard for the device, at most 255.
        public var requests: UInt8
        /// True if a retry counts as an attempt.
        public var charged: Bool
        /// The earliest instant of the retry (Retry-After beyond the ladder).
        public var notBefore: Timestamp?
        /// The instant since which the provider knows that the token is dead.
        public var deadSince: Timestamp?
        /// True if a retry is due to a missing answer: the push may have been sent.
        public var unanswered: Bool

        /// Creates a note; the defaults are those of an accepted device.
        public init(
            reason: String? = nil,
            requests: UInt8 = 1,
            charged: Bool = true,
            notBefore: Timestamp? = nil,
            deadSince: Timestamp? = nil,
            unanswered: Bool = false
        ) {
            self.reason = reason
            self.requests = requests
            self.charged = charged
            self.notBefore = notBefore
            self.deadSince = deadSince
            self.unanswered = unanswered
        }
    }

    /// Creates the progress of `count` pending devices.
    public init(count: Int) {
        codes = Array(repeating: 0, count: count)
        notes = [:]
    }

    init(codes: [UInt8], notes: [UInt16: Note], started: Int) {
        self.codes = codes
        self.notes = notes
        self.started = started
    }

    /// The number of devices.
    public var count: Int { codes.count }

    /// Returns the state of a device.
    public func state(at position: Int) -> State {
        let code = codes[position]
        if code == 0 { return .pending }
        if let outcome = Outcome(rawValue: code) { return .outcome(outcome) }
        if code == Self.held { return .held }
        guard let rung = Rung(rawValue: code - 8) else { preconditionFailure("code \(code) in a progress") }
        return .retry(rung)
    }

    /// Returns the number of requests by this shard for a device.
    public func requests(at position: Int) -> Int {
        if let note = notes[UInt16(position)] { return Int(note.requests) }
        return codes[position] == 0 ? 0 : 1
    }

    /// Records the usual answer: accepted at the first request.
    public mutating func accept(_ position: Int) {
        codes[position] = Outcome.accepted.rawValue
    }

    /// Records a device's outcome, with its details.
    public mutating func end(_ position: Int, _ outcome: Outcome, _ note: Note) {
        codes[position] = outcome.rawValue
        notes[UInt16(position)] = note
    }

    /// Records that a device is to be retried after a rung's delay.
    public mutating func retry(_ position: Int, _ rung: Rung, _ note: Note) {
        codes[position] = 8 + rung.rawValue
        notes[UInt16(position)] = note
    }

    /// Records that a device's token was rejected and is now subject to the guard.
    public mutating func hold(_ position: Int, _ note: Note) {
        codes[position] = Self.held
        notes[UInt16(position)] = note
    }

    /// Records the guard's decision: the held devices get this outcome, with the reason in their notes.
    public mutating func endHeld(_ outcome: Outcome) {
        for position in codes.indices where codes[position] == Self.held { codes[position] = outcome.rawValue }
    }

    /// Records the guard's decision: the held devices are sent to again.
    public mutating func resendHeld() {
        for position in codes.indices where codes[position] == Self.held {
            codes[position] = 0
            // A device without requests by this shard must have no note, because `accept` keeps notes.
            let made = notes[UInt16(position)]?.requests ?? 0
            notes[UInt16(position)] = made == 0 ? nil : Note(requests: made)
        }
    }

    /// Records requests for a device that has no answer and stays pending: they count as attempts.
    public mutating func noteRequests(_ position: Int, _ requests: UInt8) {
        notes[UInt16(position)] = Note(requests: requests)
    }

    /// The number of devices by outcome.
    public var counts: OutcomeCounts {
        var result = OutcomeCounts()
        for code in codes {
            if let outcome = Outcome(rawValue: code) { result[outcome] += 1 }
        }
        return result
    }

    /// The number of devices without an answer.
    public var pendingCount: Int { codes.reduce(0) { $0 + ($1 == 0 ? 1 : 0) } }

    /// The number of devices that wait for a retry.
    public var retryCount: Int { codes.reduce(0) { $0 + ($1 >= 8 && $1 < Self.held ? 1 : 0) } }

    /// The number of devices that the guard holds.
    public var heldCount: Int { codes.reduce(0) { $0 + ($1 == Self.held ? 1 : 0) } }

    /// The number of devices with a final answer of the provider, including held ones.
    public var answeredCount: Int {
        codes.indices.reduce(0) { count, position in
            let isAnswer: Bool =
                switch state(at: position) {
                case .outcome(.accepted), .outcome(.invalid), .outcome(.failed), .held: requests(at: position) > 0
                case .outcome, .pending, .retry: false
                }
            return count + (isAnswer ? 1 : 0)
        }
    }

    /// The number of devices that are retried because an answer is missing.
    public var unansweredCount: Int {
        notes.reduce(0) { $0 + ($1.value.unanswered && codes[Int($1.key)] >= 8 ? 1 : 0) }
    }

    /// The number of requests by this shard.
    public var attempts: Int {
        (0..<count).reduce(0) { $0 + requests(at: $1) }
    }

    /// The number of outcomes by reason, for outcomes with a reason.
    public var reasons: [String: Int] {
        reasons(where: { if case .outcome = $0 { true } else { false } })
    }

    /// Returns the number of devices by reason, for devices with a reason whose state is asked for.
    public func reasons(where isAsked: (State) -> Bool) -> [String: Int] {
        var result: [String: Int] = [:]
        for (position, note) in notes {
            guard let reason = note.reason, isAsked(state(at: Int(position))) else { continue }
            result[reason, default: 0] += 1
        }
        return result
    }
}
