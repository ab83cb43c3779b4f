/// The stretch of time over which a shard of a paced campaign is spread (design, section 10, Rate).
///
/// A shard's devices have their instants evenly within it. A worker never starts before it begins and never spreads
/// over less than its length, so that slots which follow one another never add up to more than the rate.
public struct Slot: Hashable, Sendable {
    /// When it begins: microseconds since 1970-01-01T00:00:00Z, because a device's share may be less than a millisecond.
    public var begins: Int64
    /// How long it is, in microseconds; at least 1.
    public var length: Int64

    /// A slot.
    public init(begins: Int64, length: Int64) {
        self.begins = begins
        self.length = max(1, length)
    }

    /// When a device's turn is, in microseconds since the epoch.
    ///
    /// - Parameters:
    ///   - position: its place among the shard's devices, from 0.
    ///   - count: how many devices the shard has.
    public func instant(of position: Int, among count: Int) -> Int64 {
        begins + length * Int64(position) / Int64(max(1, count))
    }
}
