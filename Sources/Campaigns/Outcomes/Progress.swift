/// What is known of each device of a shard: packed in the ledger as 4 bits a device, with notes as runs.
///
/// An accepted device that took one request has no note, so that the usual answer is one byte written in place.
public struct Progress: Equatable, Sendable {
    /// One code per device: 0 pending, 1…7 an `Outcome`, 8…13 a retry on a `Rung`, 14 held back by the guard.
    public private(set) var codes: [UInt8]
    /// What the code does not say, by position.
    public private(set) var notes: [UInt16: Note]
    /// The started mark (design, section 7).
    ///
    /// Pending devices before this position may have been sent by a run that ended without a word; 0 when nothing is
    /// in doubt.
    public var started = 0

    /// Where one device stands.
    public enum State: Equatable, Sendable {
        /// Not answered.
        case pending
        /// It ended.
        case outcome(Outcome)
        /// It is sent to again after a rung.
        case retry(Rung)
        /// Its token was called wrong; what that means is not decided (the wrong-environment guard).
        case held
    }

    private static let held: UInt8 = 14

    /// What else is known of a device.
    public struct Note: Hashable, Sendable {
        /// The provider's reason as it came, or ours.
        public var reason: String?
        /// Requests made for this device by this shard, at most 255.
        public var requests: UInt8
        /// Whether a retry counts as an attempt.
        public var charged: Bool
        /// Not before this instant (Retry-After beyond the ladder).
        public var notBefore: Timestamp?
        /// Since when the provider knows that the token is dead.
        public var deadSince: Timestamp?
        /// Whether a retry is for want of an answer: the device may have been sent to.
        public var unanswered: Bool

        /// A note; the defaults are those of an accepted device.
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

    /// All devices pending.
    public init(count: Int) {
        codes = Array(repeating: 0, count: count)
        notes = [:]
    }

    init(codes: [UInt8], notes: [UInt16: Note], started: Int) {
        self.codes = codes
        self.notes = notes
        self.started = started
    }

    /// How many devices.
    public var count: Int { codes.count }

    /// Where a device stands.
    public func state(at position: Int) -> State {
        let code = codes[position]
        if code == 0 { return .pending }
        if let outcome = Outcome(rawValue: code) { return .outcome(outcome) }
        if code == Self.held { return .held }
        guard let rung = Rung(rawValue: code - 8) else { preconditionFailure("code \(code) in a progress") }
        return .retry(rung)
    }

    /// Requests that this shard made for a device.
    public func requests(at position: Int) -> Int {
        if let note = notes[UInt16(position)] { return Int(note.requests) }
        return codes[position] == 0 ? 0 : 1
    }

    /// The usual answer: accepted, at the first request.
    public mutating func accept(_ position: Int) {
        codes[position] = Outcome.accepted.rawValue
    }

    /// A device ended, with all that is to be remembered of it.
    public mutating func end(_ position: Int, _ outcome: Outcome, _ note: Note) {
        codes[position] = outcome.rawValue
        notes[UInt16(position)] = note
    }

    /// A device is to be sent to again after a rung.
    public mutating func retry(_ position: Int, _ rung: Rung, _ note: Note) {
        codes[position] = 8 + rung.rawValue
        notes[UInt16(position)] = note
    }

    /// A device's token was called wrong, and it is not decided whether it is.
    public mutating func hold(_ position: Int, _ note: Note) {
        codes[position] = Self.held
        notes[UInt16(position)] = note
    }

    /// It is decided: the held devices end with this outcome, and with the reason that was noted.
    public mutating func endHeld(_ outcome: Outcome) {
        for position in codes.indices where codes[position] == Self.held { codes[position] = outcome.rawValue }
    }

    /// It is decided: the held devices are sent to again.
    public mutating func resendHeld() {
        for position in codes.indices where codes[position] == Self.held {
            codes[position] = 0
            // Without requests of this shard it is a device like any other: `accept` leaves notes as they are.
            let made = notes[UInt16(position)]?.requests ?? 0
            notes[UInt16(position)] = made == 0 ? nil : Note(requests: made)
        }
    }

    /// Requests that were made for a device that has no answer (it stays pending): counted as attempts.
    public mutating func noteRequests(_ position: Int, _ requests: UInt8) {
        notes[UInt16(position)] = Note(requests: requests)
    }

    /// Devices by outcome.
    public var counts: OutcomeCounts {
        var result = OutcomeCounts()
        for code in codes {
            if let outcome = Outcome(rawValue: code) { result[outcome] += 1 }
        }
        return result
    }

    /// Devices without an answer.
    public var pendingCount: Int { codes.reduce(0) { $0 + ($1 == 0 ? 1 : 0) } }

    /// Devices that wait for another try.
    public var retryCount: Int { codes.reduce(0) { $0 + ($1 >= 8 && $1 < Self.held ? 1 : 0) } }

    /// Devices that the guard holds back.
    public var heldCount: Int { codes.reduce(0) { $0 + ($1 == Self.held ? 1 : 0) } }

    /// Devices about which the provider has said something final, held ones among them.
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

    /// Devices that are sent to again for want of an answer.
    public var unansweredCount: Int {
        notes.reduce(0) { $0 + ($1.value.unanswered && codes[Int($1.key)] >= 8 ? 1 : 0) }
    }

    /// Requests made by this shard.
    public var attempts: Int {
        (0..<count).reduce(0) { $0 + requests(at: $1) }
    }

    /// Outcomes by reason, for those that have one.
    public var reasons: [String: Int] {
        var result: [String: Int] = [:]
        for (position, note) in notes {
            guard let reason = note.reason, Outcome(rawValue: codes[Int(position)]) != nil else { continue }
            result[reason, default: 0] += 1
        }
        return result
    }
}
