/// The producer's ids of a chunk's devices as bytes, in the form in which the ledger stores them: two bytes for the
/// length (0xFFFF for none), then UTF-8.
///
/// Takes no memory before the first id. An id is cut off after 65,534 bytes.
public struct DeviceIDs: Equatable, Sendable {
    /// The number of devices.
    public private(set) var count = 0
    /// All ids with their lengths; empty if no device has one.
    public private(set) var bytes: [UInt8] = []

    private static let longest = 0xFFFE
    /// Both bytes of the length of no id.
    private static let absent: UInt8 = 0xFF

    /// The ids of no device.
    public init() {}

    /// Reads what the ledger stores, as far as it goes.
    public init(stored bytes: [UInt8]) {
        self.bytes = bytes
        count = ranges.count
    }

    /// True if no device has an id.
    public var isEmpty: Bool { bytes.isEmpty }

    /// The place of each device's id in `bytes`; nil for a device without one.
    public var ranges: [Range<Int>?] {
        guard !bytes.isEmpty else { return Array(repeating: nil, count: count) }
        var ranges: [Range<Int>?] = []
        ranges.reserveCapacity(count)
        var index = 0
        while index + 2 <= bytes.count {
            let length = Int(bytes[index]) | Int(bytes[index + 1]) << 8
            index += 2
            guard length <= Self.longest else {
                ranges.append(nil)
                continue
            }
            let end = min(index + length, bytes.count)
            ranges.append(index..<end)
            index = end
        }
        return ranges
    }

    /// The ids as texts, one for each device and nil for none.
    public var texts: [String?] { ranges.map { range in range.map { String(decoding: bytes[$0], as: UTF8.self) } } }

    /// Adds a device with an id as UTF-8; nil for none.
    public mutating func append(_ id: UnsafeRawBufferPointer?) {
        defer { count += 1 }
        guard let id else {
            if !bytes.isEmpty { bytes += [Self.absent, Self.absent] }
            return
        }
        if bytes.isEmpty { bytes = Array(repeating: Self.absent, count: 2 * count) }
        let length = min(id.count, Self.longest)
        bytes.append(UInt8(truncatingIfNeeded: length))
        bytes.append(UInt8(truncatingIfNeeded: length >> 8))
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: id[..<length]))
    }

    /// Removes the ids of some devices.
    public mutating func remove(where isGone: (_ position: Int) -> Bool) {
        var left = DeviceIDs()
        bytes.withUnsafeBytes { all in
            for (position, range) in ranges.enumerated() {
                left.append(isGone(position) ? nil : range.map { UnsafeRawBufferPointer(rebasing: all[$0]) })
            }
        }
        self = left
    }
}
