/// Which positions of a chunk are known to be dead, or suspect: one bit each, least significant first.
struct DeadBits: Equatable {
    private(set) var bytes: [UInt8]

    init(bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    subscript(position: Int) -> Bool {
        let index = position >> 3
        return index < bytes.count && bytes[index] & (1 << UInt8(position & 7)) != 0
    }

    mutating func insert(_ position: Int) {
        let index = position >> 3
        while bytes.count <= index { bytes.append(0) }
        bytes[index] |= 1 << UInt8(position & 7)
    }

    mutating func remove(_ position: Int) {
        if self[position] { bytes[position >> 3] &= ~(1 << UInt8(position & 7)) }
    }

    var isEmpty: Bool { bytes.allSatisfy { $0 == 0 } }
}
