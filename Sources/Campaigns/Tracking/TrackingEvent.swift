/// What happened to a push on a phone (contract, section 5).
public enum TrackedType: UInt8, Sendable, CaseIterable {
    case received = 1
    case displayed, opened, actioned, exited, dropped

    /// The contract's word.
    public var word: String { Self.words[Int(rawValue) - 1] }

    /// The contract's words in the order of the cases.
    public static let words = EventTable.Event.allCases.map(\.rawValue)

    /// The type of a word; nil for everything else.
    public init?(word: String) {
        guard let index = Self.words.firstIndex(of: word) else { return nil }
        self = Self.allCases[index]
    }

    /// The type as the table has it, which lists them in the same order.
    package var event: EventTable.Event { EventTable.Event.allCases[Int(rawValue) - 1] }
}

/// Where on the phone it happened: a notification that was clicked and an announcement that was acted on are two things.
public enum TrackedSurface: UInt8, Sendable, CaseIterable {
    case system = 0
    case inApp, content

    /// The contract's word.
    public var word: String { Self.words[Int(rawValue)] }

    /// The contract's words in the order of the cases.
    public static let words = EventTable.Surface.allCases.map(\.rawValue)

    /// The surface of a word; nil for everything else.
    public init?(word: String) {
        guard let index = Self.words.firstIndex(of: word) else { return nil }
        self = Self.allCases[index]
    }
}

/// Which device it was: the campaign and the device's index in it, from the signed message id, and who sent the request.
public struct TrackedDevice: Hashable, Sendable {
    /// The app's name.
    public var app: String
    /// The campaign's number in the ledger.
    public var campaign: UInt32
    /// The device's index in the campaign.
    public var index: UInt32
    /// The registry number of the authenticated device, which segments ask for.
    public var registered: Int64

    /// A device.
    public init(app: String, campaign: UInt32, index: UInt32, registered: Int64) {
        (self.app, self.campaign, self.index, self.registered) = (app, campaign, index, registered)
    }
}

/// One event of a phone; it counts once for (campaign, device, surface, type, detail), however often it is sent.
public struct TrackingEvent: Hashable, Sendable {
    /// Whose.
    public var device: TrackedDevice
    /// What happened.
    public var type: TrackedType
    /// Where.
    public var surface: TrackedSurface
    /// The button of an action, the reason of a drop; empty for everything else and for a drop without one.
    public var detail: String
    /// When, by the phone's clock, within the bounds of ``TrackingTimes``.
    public var at: Timestamp

    /// An event.
    public init(
        device: TrackedDevice,
        type: TrackedType,
        surface: TrackedSurface,
        detail: String = "",
        at: Timestamp
    ) {
        (self.device, self.type, self.surface, self.detail, self.at) = (device, type, surface, detail, at)
    }

    /// Bytes of a button's id or a reason at most.
    public static let detailBytesMax = 64
}

/// The answers of one device to a poll; the first that come count.
public struct PollAnswers: Hashable, Sendable {
    /// What was chosen of one question.
    public struct Choice: Hashable, Sendable {
        /// The question's id.
        public var question: String
        /// The ids of the choices, each once.
        public var choices: [String]

        /// A choice.
        public init(question: String, choices: [String]) {
            (self.question, self.choices) = (question, choices)
        }
    }

    /// Whose.
    public var device: TrackedDevice
    /// A question at most once.
    public var answers: [Choice]
    /// When, by the phone's clock, within the bounds of ``TrackingTimes``.
    public var at: Timestamp

    /// Answers.
    public init(device: TrackedDevice, answers: [Choice], at: Timestamp) {
        (self.device, self.answers, self.at) = (device, answers, at)
    }
}

/// How far a phone's clock is believed.
///
/// Instants beyond are moved to the bound, never refused: a phone with a wrong clock would send the same events for ever.
public enum TrackingTimes {
    /// Later than so far ahead is now.
    public static let aheadMax = Duration.seconds(300)
    /// Earlier than so long ago is so long ago.
    public static let ageMax = Duration.seconds(90 * 86_400)

    /// An instant as it is believed.
    public static func believed(_ at: Timestamp, now: Timestamp) -> Timestamp {
        if at > now.advanced(by: aheadMax) { return now }
        return max(at, now.advanced(by: .zero - ageMax))
    }
}
