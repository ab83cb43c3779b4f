/// How long an address that is listened on rests when it cannot accept; no I/O.
///
/// A connection in the kernel's queue makes the address ready as long as it is there. When there is no descriptor for it
/// (EMFILE, ENFILE: others have them all), or no memory, accepting fails at once, and would be tried again without end.
public struct AcceptRest: Sendable {
    /// The first rest; each failure after one doubles it.
    public static let first = Duration.milliseconds(50)
    /// The longest: a connection waits no longer than this for a descriptor that is free again.
    public static let longest = Duration.seconds(1)

    private var failures = 0

    /// Nothing has failed.
    public init() {}

    /// Accepting failed for want of something that comes back: how long not to try.
    public mutating func failed() -> Duration {
        defer { failures = min(failures + 1, 16) }
        return min(Self.longest, Self.first * (1 << failures))
    }

    /// A connection was accepted.
    public mutating func accepted() { failures = 0 }
}
