/// The type of an event on a phone (contract, section 5).
public enum TrackedType: UInt8, Sendable, CaseIterable {
    case received = 1
    case displayed, opened, actioned, exited, dropped

    /// The contract's word.
    public var word: String { Self.words[Int(rawValue) - 1] }

    /// The contract's words in the order of the cases.
    public static let words = EventTable.Event.allCases.map(\.rawValue)

    /// The type with a word; nil for any other word.
    public init?(word: String) {
        guard let index = Self.words.firstIndex(of: word) else { return nil }
        self = Self.allCases[index]
    }

    /// The type in the table, which lists them in the same order.
    package var event: EventTable.Event { EventTable.Event.allCases[Int(rawValue) - 1] }
}

/// The surface of an event: a click on a notification and an action in an announcement are different things.
public enum TrackedSurface: UInt8, Sendable, CaseIterable {
    case system = 0
    case inApp, content

    /// The contract's word.
    public var word: String { Self.words[Int(rawValue)] }

    /// The contract's words in the order of the cases.
    public static let words = EventTable.Surface.allCases.map(\.rawValue)

    /// The surface with a word; nil for any other word.
    public init?(word: String) {
        guard let index = Self.words.firstIndex(of: word) else { return nil }
        self = Self.allCases[index]
    }
}

/// The device of an event: the campaign and the index in it, from the signed message id, and the sender of the request.
public struct TrackedDevice: Hashable, Sendable {
    /// The app's name.
    public var app: String
    /// The campaign's number in the ledger.
    public var campaign: UInt32
    /// The device's index in the campaign.
    public var index: UInt32
    /// The registry number of the authenticated device, which segments use.
    public var registered: Int64

    /// Creates a device.
    public init(app: String, campaign: UInt32, index: UInt32, registered: Int64) {
        (self.app, self.campaign, self.index, self.registered) = (app, campaign, index, registered)
    }
}

/// An event on a phone; it counts once for (campaign, device, surface, type, detail), however often it is sent.
public struct TrackingEvent: Hashable, Sendable {
    /// The device.
    public var device: TrackedDevice
    /// The type.
    public var type: TrackedType
    /// The surface.
    public var surface: TrackedSurface
    /// The button of an action, the reason of a drop; otherwise empty, as for a drop without a reason.
    public var detail: String
    /// The instant, by the phone's clock, within the bounds of ``TrackingTimes``.
    public var at: Timestamp

    /// Creates an event.
    public init(
        device: TrackedDevice,
        type: TrackedType,
        surface: TrackedSurface,
        detail: String = "",
        at: Timestamp
    ) {
        (self.device, self.type, self.surface, self.detail, self.at) = (device, type, surface, detail, at)
    }

    /// The maximum length of a button's id or a reason, in bytes.
    public static let detailBytesMax = 64
}

/// The answers of a device to a poll; only the first ones count.
public struct PollAnswers: Hashable, Sendable {
    /// The choices for a question.
    public struct Choice: Hashable, Sendable {
        /// The question's id.
        public var question: String
        /// The ids of the choices, without duplicates.
        public var choices: [String]

        /// Creates the choices.
        public init(question: String, choices: [String]) {
            (self.question, self.choices) = (question, choices)
        }
    }

    /// The device.
    public var device: TrackedDevice
    /// The answers, at most one per question.
    public var answers: [Choice]
    /// The instant, by the phone's clock, within the bounds of ``TrackingTimes``.
    public var at: Timestamp

    /// Creates answers.
    public init(device: TrackedDevice, answers: [Choice], at: Timestamp) {
        (self.device, self.answers, self.at) = (device, answers, at)
    }
}

/// The bounds within which a phone's clock is trusted.
///
/// Instants beyond a bound are corrected, never refused: a phone with a wrong clock would send the same events forever.
public enum TrackingTimes {
    /// The maximum time ahead; later instants become the current one.
    public static let aheadMax = Duration.seconds(300)
    /// The maximum age; earlier instants become the oldest one.
    public static let ageMax = Duration.seconds(90 * 86_400)

    /// Returns an instant, corrected to the bounds.
    public static func believed(_ at: Timestamp, now: Timestamp) -> Timestamp {
        if at > now.advanced(by: aheadMax) { return now }
        return max(at, now.advanced(by: .zero - ageMax))
    }
}
