/// What a segment asks of phones' tracking: `opened(derby)`, `actioned(derby, action: LIKE, since: 7d)`.
///
/// It holds for a device that has said so of that campaign, on any surface. A campaign is one of the job's app.
public struct TrackedQuestion: Hashable, Sendable {
    /// What is asked for.
    public enum Deed: Hashable, Sendable {
        /// An event of this type.
        case type(TrackedType)
        /// A poll that was answered.
        case answered
    }

    /// From when on an event counts.
    public enum Since: Hashable, Sendable {
        /// So many seconds before the audience is made.
        case ago(seconds: Int64)
        /// An instant.
        case instant(Timestamp)

        /// The instant, for an audience that is made now.
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
                // Nothing is kept for longer than ten years.
                guard (1...315_360_000).contains(count), count * unit <= 315_360_000 else { return nil }
                self = .ago(seconds: count * unit)
            } else if let instant = try? Timestamp(rfc3339: text) {
                self = .instant(instant)
            } else {
                return nil
            }
        }
    }

    /// Questions of an expression at most: each is a bit for every device of the app's registry, in memory while the
    /// audience is made.
    public static let most = 10

    /// What is asked for.
    public var deed: Deed
    /// The campaign's id.
    public var campaign: String
    /// The button, of `actioned` only; nil is any.
    public var action: String?
    /// From when on; nil is ever.
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
    /// What the expression asks of tracking, each question once, in the order of the normalised expression.
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
