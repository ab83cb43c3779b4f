/// The difference of a host's wall clock from the shared time, and its consequence for the worker.
public struct ClockStanding: Sendable, Hashable {
    /// The source of the shared time.
    public enum Source: Sendable, Hashable {
        /// A database server, which others share: a host that is far from its time is not to be trusted.
        case server
        /// This host itself, for all its processes (`HostAnchor`): a step of its wall clock stops nothing.
        case host
    }

    /// The meaning of a skew.
    public enum Verdict: Sendable, Hashable {
        /// The skew is negligible.
        case inStep
        /// The skew is reported, and everything continues.
        case apart
        /// The worker takes no lease, expires nothing and is not ready.
        case lost
    }

    /// The skew from which it is reported.
    public static let toldFrom = Duration.seconds(5)
    /// The skew from which a worker takes no lease, expires nothing and is not ready.
    public static let lostFrom = Duration.seconds(60)

    /// The wall clock minus the shared time, in milliseconds: positive if this host's clock is ahead.
    public var skew: Int64
    /// The source of the shared time.
    public var source: Source

    /// A host's standing.
    public init(skew: Int64, source: Source) {
        self.skew = skew
        self.source = source
    }

    /// The meaning of the skew.
    public var verdict: Verdict {
        let amount = Duration.milliseconds(Int64(clamping: skew.magnitude))
        if amount < Self.toldFrom { return .inStep }
        return amount < Self.lostFrom || source == .host ? .apart : .lost
    }

    /// The skew in words, such as `1 h 2 min ahead of the shared time`.
    public var text: String {
        "\(SpanText.words(milliseconds: skew)) \(skew < 0 ? "behind" : "ahead of") the shared time"
    }

    /// The skew as a mark for a worker that works with a wrong clock: `CLOCK +3600s`.
    public var mark: String {
        let seconds = Int64(clamping: skew.magnitude) / 1000
        return "CLOCK \(skew < 0 ? "-" : "+")\(seconds)s"
    }
}
