/// The positions of a chunk that are dead, or suspect: one bit each, least significant first.
public struct DeadBits: Sendable, Equatable {
    /// The bits as they are stored.
    public private(set) var bytes: [UInt8]

    /// Bits as they are stored; none by default.
    public init(bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    /// Returns true if a position is marked.
    public subscript(position: Int) -> Bool {
        let index = position >> 3
        return index < bytes.count && bytes[index] & (1 << UInt8(position & 7)) != 0
    }

    /// Marks a position.
    public mutating func insert(_ position: Int) {
        let index = position >> 3
        while bytes.count <= index { bytes.append(0) }
        bytes[index] |= 1 << UInt8(position & 7)
    }

    /// Removes the mark of a position.
    public mutating func remove(_ position: Int) {
        if self[position] { bytes[position >> 3] &= ~(1 << UInt8(position & 7)) }
    }

    /// True if no position is marked.
    public var isEmpty: Bool { bytes.allSatisfy { $0 == 0 } }
}
