/// The interval over which a shard of a campaign with a rate is spread (design, section 10, Rate).
///
/// The instants of its devices are spread evenly over it. A worker never starts before the slot and never spreads over
/// less than its length, so that consecutive slots never exceed the rate.
public struct Slot: Hashable, Sendable {
    /// The beginning in microseconds since 1970-01-01T00:00:00Z, because a device's share may be less than a
    /// millisecond.
    public var begins: Int64
    /// The length in microseconds; at least 1.
    public var length: Int64

    /// Creates a slot.
    public init(begins: Int64, length: Int64) {
        self.begins = begins
        self.length = max(1, length)
    }

    /// Returns the instant of a device's request, in microseconds since the epoch.
    ///
    /// - Parameters:
    ///   - position: The position among the shard's devices, from 0.
    ///   - count: The number of the shard's devices.
    public func instant(of position: Int, among count: Int) -> Int64 {
        begins + length * Int64(position) / Int64(max(1, count))
    }
}
