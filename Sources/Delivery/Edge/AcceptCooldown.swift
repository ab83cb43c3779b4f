/// The cooldown of a listening address that cannot accept; no I/O.
///
/// A connection in the kernel's queue keeps the address ready. Without a descriptor for it (EMFILE, ENFILE: others have
/// them all) or without memory, accepting fails at once, and would be tried again without end.
public struct AcceptCooldown: Sendable {
    /// The first cooldown; each further failure doubles it.
    public static let first = Duration.milliseconds(50)
    /// The longest cooldown: a connection waits no longer than this for a descriptor that is free again.
    public static let longest = Duration.seconds(1)

    private var failures = 0

    /// Nothing has failed.
    public init() {}

    /// Notes that accepting failed for lack of a resource that comes back; returns the cooldown.
    public mutating func failed() -> Duration {
        defer { failures = min(failures + 1, 16) }
        return min(Self.longest, Self.first * (1 << failures))
    }

    /// Notes that a connection was accepted.
    public mutating func accepted() { failures = 0 }
}
