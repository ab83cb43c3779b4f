import TLS

/// A device token as raw bytes: the key of all counts.
struct DeviceTokenKey: Hashable {
    /// The shortest token.
    ///
    /// Apple: token lengths must not be assumed; today they are 32 bytes, and Live Activities' longer.
    static let bytesLeast = 32
    static let bytesMost = 128

    /// The first 32 bytes, in the order of the text.
    let head: SIMD4<UInt64>
    /// The bytes after the first 32; nil for today's usual tokens, so that they need no allocation.
    let tail: [UInt8]?

    /// Reads hexadecimal text of either case; nil when it cannot be a token.
    init?(hexadecimal text: ArraySlice<UInt8>) {
        guard text.count.isMultiple(of: 2), text.count >= 2 * Self.bytesLeast, text.count <= 2 * Self.bytesMost else {
            return nil
        }
        var head = SIMD4<UInt64>()
        var tail: [UInt8]?
        if text.count > 64 { tail = [] }
        var index = text.startIndex
        var position = 0
        while index < text.endIndex {
            guard let high = Hexadecimal.value(of: text[index]), let low = Hexadecimal.value(of: text[index + 1]) else {
                return nil
            }
            let byte = high << 4 | low
            if position < 32 {
                head[position / 8] = head[position / 8] << 8 | UInt64(byte)
            } else {
                tail?.append(byte)
            }
            index += 2
            position += 1
        }
        self.head = head
        self.tail = tail
    }

    init(head: SIMD4<UInt64>) {
        self.head = head
        tail = nil
    }

    /// Creates the key of a non-hexadecimal token: its SHA-256, so that every token takes the same memory.
    init(digestOf text: ArraySlice<UInt8>) {
        var head = SIMD4<UInt64>()
        for (position, byte) in SHA256.digest(Array(text)).enumerated() {
            head[position / 8] = head[position / 8] << 8 | UInt64(byte)
        }
        self.init(head: head)
    }

    /// The bytes in the order of the text.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for word in 0..<4 {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: head[word] >> UInt64(shift)))
            }
        }
        return bytes + (tail ?? [])
    }

    /// The token as lower-case text.
    var text: String { Hexadecimal.text(bytes) }

    /// A hash that is the same in every run and well mixed, even for tokens that differ in one bit.
    var hash64: UInt64 {
        var hash = Mixing.mix(head[0] ^ 0x9E37_79B9_7F4A_7C15)
        hash = Mixing.mix(hash ^ head[1])
        hash = Mixing.mix(hash ^ head[2])
        hash = Mixing.mix(hash ^ head[3])
        for byte in tail ?? [] { hash = Mixing.mix(hash ^ UInt64(byte)) }
        return hash
    }

    /// Returns the hexadecimal digit at `index` of the text.
    func digit(at index: Int) -> UInt8? {
        if index < 64 { return UInt8(truncatingIfNeeded: head[index / 16] >> UInt64(60 - 4 * (index % 16))) & 15 }
        guard let tail, index / 2 - 32 < tail.count else { return nil }
        let byte = tail[index / 2 - 32]
        return index.isMultiple(of: 2) ? byte >> 4 : byte & 15
    }
}

/// The finalizer of splitmix64 (Steele, Lea, Flood 2014): every input bit changes half of the output bits.
enum Mixing {
    static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number in 0 ..< 1 made from the upper 53 bits.
    static func fraction(_ value: UInt64) -> Double { Double(value >> 11) * 0x1p-53 }
}
