/// A set of devices among 4,096 neighbors of the registry: what the index keeps for a term in one row.
///
/// A device's place is the low 12 bits of its number, and its block the bits above them, so the blocks of an app are
/// neighbors in the order of its devices. A row's bytes are up to 255 places of two bytes each, rising, least
/// significant byte first; of more devices they are 4,096 bits, the lowest place first.
public struct IndexBlock: Hashable, Sendable {
    /// The number of places.
    public static let places = 4096
    /// The number of bytes of a row that has a bit for each place.
    static let bitmapBytes = places / 8
    /// The bits, the lowest place first.
    private var words: [UInt64]

    /// A set of no device.
    public init() {
        words = Array(repeating: 0, count: Self.places / 64)
    }

    /// A set from bits, the lowest place first; missing ones are of places without a device.
    public init(words: some Collection<UInt64>) {
        self.words = Array(words.prefix(Self.places / 64))
        self.words += Array(repeating: 0, count: Self.places / 64 - self.words.count)
    }

    /// Reads a row; nil if the bytes are malformed.
    public init?(bytes: [UInt8]) {
        self.init()
        if bytes.count == Self.bitmapBytes {
            for (index, byte) in bytes.enumerated() { words[index / 8] |= UInt64(byte) << UInt64(index % 8 * 8) }
            return
        }
        guard bytes.count < Self.bitmapBytes, bytes.count.isMultiple(of: 2) else { return nil }
        for index in stride(from: 0, to: bytes.count, by: 2) {
            let place = Int(bytes[index]) | Int(bytes[index + 1]) << 8
            guard place < Self.places else { return nil }
            insert(place)
        }
    }

    /// The bytes of a row.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        if count < Self.bitmapBytes / 2 {
            forEach { place in
                bytes.append(UInt8(truncatingIfNeeded: place))
                bytes.append(UInt8(truncatingIfNeeded: place >> 8))
            }
            return bytes
        }
        bytes.reserveCapacity(Self.bitmapBytes)
        for word in words {
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        return bytes
    }

    /// The number of devices.
    public var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    /// True if the set has no device.
    public var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    /// Returns the block of a device's number.
    public static func block(of number: Int64) -> Int64 { number >> 12 }

    /// Returns the place of a device's number in its block.
    public static func place(of number: Int64) -> Int { Int(number & 4095) }

    /// Returns the number of the device at a place of a block.
    public static func number(block: Int64, place: Int) -> Int64 { block << 12 | Int64(place) }

    /// Returns true if the device at a place belongs to the set.
    public func contains(_ place: Int) -> Bool { words[place / 64] & 1 << UInt64(place % 64) != 0 }

    /// Adds the device at a place.
    public mutating func insert(_ place: Int) { words[place / 64] |= 1 << UInt64(place % 64) }

    /// Removes the device at a place.
    public mutating func remove(_ place: Int) { words[place / 64] &= ~(1 << UInt64(place % 64)) }

    /// Adds the devices of another set.
    public mutating func formUnion(_ other: IndexBlock) {
        for index in words.indices { words[index] |= other.words[index] }
    }

    /// Removes the devices that another set lacks.
    public mutating func formIntersection(_ other: IndexBlock) {
        for index in words.indices { words[index] &= other.words[index] }
    }

    /// Removes the devices of another set.
    public mutating func subtract(_ other: IndexBlock) {
        for index in words.indices { words[index] &= ~other.words[index] }
    }

    /// Calls `body` with each place, in rising order.
    public func forEach(_ body: (Int) throws -> Void) rethrows {
        for (index, word) in words.enumerated() where word != 0 {
            var left = word
            while left != 0 {
                try body(index * 64 + left.trailingZeroBitCount)
                left &= left - 1
            }
        }
    }
}
