public import Campaigns

/// How far this machine's clock is from a provider's or a broker's, by the `date` of an answer (RFC 9110, 6.6.1).
///
/// A provider token is judged by the time in it, so a wrong clock looks like a wrong key. Accurate to a second or two:
/// the field has whole seconds, and the answer was under way for a while.
public struct ClockSkew: Hashable, Sendable {
    /// From here on the clock is named as the fault: a token that is so far off is refused somewhere.
    public static let noteworthy = Duration.seconds(60)

    /// This machine's clock minus the provider's: positive when this machine's is ahead.
    public let lead: Duration

    /// The skew that an answer shows; nil when its `date` is absent or unreadable.
    public init?(date: Span<UInt8>, now: Timestamp) {
        guard !date.isEmpty, date.count <= 64 else { return nil }
        var bytes: [UInt8] = []
        for index in date.indices { bytes.append(date[index]) }
        guard let seconds = HTTPDate.seconds(bytes) else { return nil }
        lead = now.since(Timestamp(milliseconds: seconds * 1000))
    }

    /// Whether the clock is so wrong that provider tokens are refused for it.
    public var isNoteworthy: Bool { amount >= Self.noteworthy }

    private var amount: Duration { lead < .zero ? .zero - lead : lead }

    /// The skew in words, such as `this machine's clock is 70 min ahead of the provider's`; from two minutes on in
    /// whole minutes.
    public var text: String { text(of: "the provider") }

    /// The same in words about somebody else's clock.
    public func text(of other: String) -> String {
        let seconds = amount.components.seconds
        let length = seconds < 120 ? "\(seconds) s" : "\((seconds + 30) / 60) min"
        return "this machine's clock is \(length) \(lead < .zero ? "behind" : "ahead of") \(other)'s"
    }

    /// What to look at when a provider token was refused, and so was the one in its place.
    public static func diagnosis(_ skew: ClockSkew?) -> String {
        guard let skew else {
            return "the answer has no date to hold this machine's clock against; check the clock, then the key"
        }
        if skew.isNoteworthy { return "clock skew: \(skew.text); set it right" }
        return "no clock skew: \(skew.text); check key_file, key_id and team_id"
    }
}
