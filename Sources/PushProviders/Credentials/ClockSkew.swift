public import Campaigns

/// The difference of this machine's clock from a provider's or a broker's, by the `date` of an answer (RFC 9110,
/// 6.6.1).
///
/// A provider judges a token by the time in it, so a wrong clock looks like a wrong key. Accurate to a second or two:
/// the field has whole seconds, and the answer took some time to arrive.
public struct ClockSkew: Hashable, Sendable {
    /// The skew from which on the clock is named as the fault, because some provider refuses such tokens.
    public static let noteworthy = Duration.seconds(60)

    /// This machine's clock minus the provider's: positive when this machine's is ahead.
    public let lead: Duration

    /// Reads the skew from an answer; nil when its `date` is absent or unreadable.
    public init?(date: Span<UInt8>, now: Timestamp) {
        guard !date.isEmpty, date.count <= 64 else { return nil }
        var bytes: [UInt8] = []
        for index in date.indices { bytes.append(date[index]) }
        guard let seconds = HTTPDate.seconds(bytes) else { return nil }
        lead = now.since(Timestamp(milliseconds: seconds * 1000))
    }

    /// True if the skew is large enough to have provider tokens refused.
    public var isNoteworthy: Bool { amount >= Self.noteworthy }

    private var amount: Duration { lead < .zero ? .zero - lead : lead }

    /// The skew in words, such as `this machine's clock is 70 min ahead of the provider's`; in whole minutes from two
    /// minutes on.
    public var text: String { text(of: "the provider") }

    /// Returns the skew in words for another clock than the provider's.
    public func text(of other: String) -> String {
        let seconds = amount.components.seconds
        let length = seconds < 120 ? "\(seconds) s" : "\((seconds + 30) / 60) min"
        return "this machine's clock is \(length) \(lead < .zero ? "behind" : "ahead of") \(other)'s"
    }

    /// Returns advice for the case that a provider token and its replacement were refused.
    public static func diagnosis(_ skew: ClockSkew?) -> String {
        guard let skew else {
            return "the answer has no date to compare this machine's clock with; check the clock, then the key"
        }
        if skew.isNoteworthy { return "clock skew: \(skew.text); set it right" }
        return "no clock skew: \(skew.text); check key_file, key_id and team_id"
    }
}
