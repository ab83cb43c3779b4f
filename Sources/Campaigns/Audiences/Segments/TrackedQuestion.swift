/// A segment's question to tracking data: `opened(derby)`, `actioned(derby, action: LIKE, since: 7d)`.
///
/// It holds for a device that has reported the event for a campaign of the job's app, on any surface.
public struct TrackedQuestion: Hashable, Sendable {
    /// The kind of event in question.
    public enum Deed: Hashable, Sendable {
        /// An event of this type.
        case type(TrackedType)
        /// An answered poll.
        case answered
    }

    /// The beginning of the period in which events count.
    public enum Since: Hashable, Sendable {
        /// This many seconds before the audience is materialized.
        case ago(seconds: Int64)
        /// A fixed instant.
        case instant(Timestamp)

        /// Returns the instant for an audience that is materialized now.
        public func instant(now: Timestamp) -> Timestamp {
            switch self {
            case .ago(let seconds): now.advanced(by: .seconds(-seconds))
            case .instant(let instant): instant
            }
        }

        var text: String {
            switch self {
            case .ago(let seconds):
                if seconds % 86_400 == 0 { return "\(seconds / 86_400)d" }
                if seconds % 3600 == 0 { return "\(seconds / 3600)h" }
                return seconds % 60 == 0 ? "\(seconds / 60)m" : "\(seconds)s"
            case .instant(let instant): return instant.rfc3339
            }
        }

        /// Reads `7d`, `12h`, `30m`, `90s`, or an RFC 3339 instant.
        init?(_ text: String) {
            let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
            if let last = text.last, let unit = units[last], let count = Int64(text.dropLast()) {
                // The limit is ten years; nothing is kept longer.
                guard (1...315_360_000).contains(count), count * unit <= 315_360_000 else { return nil }
                self = .ago(seconds: count * unit)
            } else if let instant = try? Timestamp(rfc3339: text) {
                self = .instant(instant)
            } else {
                return nil
            }
        }
    }

    /// The maximum number of questions in an expression.
    ///
    /// Each costs one bit per device of the app's registry, in memory while the audience is materialized.
    public static let most = 10

    /// The kind of event in question.
    public var deed: Deed
    /// The campaign's id.
    public var campaign: String
    /// The button, for `actioned` only; nil means any.
    public var action: String?
    /// The beginning of the period; nil means no limit.
    public var since: Since?

    static let words = TrackedType.words + ["answered"]

    init?(word: String, campaign: String) {
        if let type = TrackedType(word: word) {
            deed = .type(type)
        } else if word == "answered" {
            deed = .answered
        } else {
            return nil
        }
        self.campaign = campaign
    }

    var text: String {
        let word =
            switch deed {
            case .type(let type): type.word
            case .answered: "answered"
            }
        var text = word + "(" + campaign
        if let action { text += ", action: " + SegmentWord.tag(action) }
        if let since { text += ", since: " + since.text }
        return text + ")"
    }
}

extension SegmentNode {
    /// The expression's questions to tracking data, each once, in the order of the normalized expression.
    var questions: [TrackedQuestion] {
        switch self {
        case .term(.tracked(let question)): return [question]
        case .term: return []
        case .not(let inner): return inner.questions
        case .all(let parts), .any(let parts):
            var result: [TrackedQuestion] = []
            for question in parts.flatMap(\.questions) where !result.contains(question) { result.append(question) }
            return result
        }
    }
}
