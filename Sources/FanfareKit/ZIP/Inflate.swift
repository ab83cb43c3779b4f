/// Decodes raw deflate (RFC 1951), without the frames of zlib and gzip; no I/O.
///
/// It walks the canonical codes bit by bit. This is slower than zlib, but short enough to review, and the archives of
/// in-app messages are small. Whatever the input, work and memory are bounded by its length and by `size`.
struct Inflate {
    enum Problem: Error, Hashable {
        /// The input ended before the last block did.
        case truncated
        /// The input is not what an encoder produces.
        case damaged
        /// The output is longer than announced.
        case tooLong
    }

    private let input: ArraySlice<UInt8>
    private let size: Int
    private var offset: Int
    private var bits: UInt32 = 0
    private var bitCount = 0
    private var output: [UInt8] = []

    private init(_ input: ArraySlice<UInt8>, size: Int) {
        self.input = input
        self.size = size
        offset = input.startIndex
        output.reserveCapacity(size)
    }

    /// Returns the decoded bytes, at most `size`.
    static func decode(_ input: ArraySlice<UInt8>, size: Int) throws(Problem) -> [UInt8] {
        var inflate = Inflate(input, size: size)
        try inflate.run()
        return inflate.output
    }

    private mutating func run() throws(Problem) {
        var isLast = false
        while !isLast {
            isLast = try take(1) == 1
            switch try take(2) {
            case 0: try stored()
            case 1: try block(Self.fixedLiterals, Self.fixedDistances)
            case 2:
                let (literals, distances) = try codes()
                try block(literals, distances)
            default: throw .damaged
            }
        }
    }

    // MARK: - Bits

    /// Takes up to 16 bits, the first one lowest.
    private mutating func take(_ count: Int) throws(Problem) -> Int {
        while bitCount < count {
            guard offset < input.endIndex else { throw .truncated }
            bits |= UInt32(input[offset]) << UInt32(bitCount)
            offset += 1
            bitCount += 8
        }
        defer {
            bits >>= UInt32(count)
            bitCount -= count
        }
        return Int(bits & ((1 << UInt32(count)) - 1))
    }

    private mutating func add(_ byte: UInt8) throws(Problem) {
        guard output.count < size else { throw .tooLong }
        output.append(byte)
    }

    // MARK: - Blocks

    private mutating func stored() throws(Problem) {
        // The rest of the byte is padding.
        (bits, bitCount) = (0, 0)
        let (length, check) = (try take(16), try take(16))
        guard length == ~check & 0xFFFF else { throw .damaged }
        guard input.endIndex - offset >= length else { throw .truncated }
        guard size - output.count >= length else { throw .tooLong }
        output += input[offset..<offset + length]
        offset += length
    }

    private mutating func block(_ literals: Code, _ distances: Code) throws(Problem) {
        while true {
            let symbol = try literals.next(&self)
            switch symbol {
            case 0..<256: try add(UInt8(symbol))
            case 256: return
            case 257..<286: try copy(symbol - 257, distances)
            default: throw .damaged
            }
        }
    }

    private mutating func copy(_ index: Int, _ distances: Code) throws(Problem) {
        let length = Self.lengths[index] + (try take(Self.lengthBits[index]))
        let symbol = try distances.next(&self)
        guard symbol < 30 else { throw .damaged }
        let distance = Self.distances[symbol] + (try take(Self.distanceBits[symbol]))
        guard distance <= output.count else { throw .damaged }
        guard size - output.count >= length else { throw .tooLong }
        // Byte by byte, because source and target may overlap.
        for _ in 0..<length { output.append(output[output.count - distance]) }
    }

    /// Reads the codes of a block with dynamic codes.
    private mutating func codes() throws(Problem) -> (literals: Code, distances: Code) {
        let literalCount = try take(5) + 257
        let distanceCount = try take(5) + 1
        let orderCount = try take(4) + 4
        guard literalCount <= 286, distanceCount <= 30 else { throw .damaged }
        var lengths = [UInt8](repeating: 0, count: 19)
        for index in 0..<orderCount { lengths[Self.order[index]] = UInt8(try take(3)) }
        let code = try Code(lengths[...])
        var all: [UInt8] = []
        while all.count < literalCount + distanceCount {
            let symbol = try code.next(&self)
            switch symbol {
            case 0..<16: all.append(UInt8(symbol))
            case 16:
                guard let last = all.last else { throw .damaged }
                all += [UInt8](repeating: last, count: 3 + (try take(2)))
            case 17: all += [UInt8](repeating: 0, count: 3 + (try take(3)))
            default: all += [UInt8](repeating: 0, count: 11 + (try take(7)))
            }
        }
        // A block without an end symbol never ends.
        guard all.count == literalCount + distanceCount, all[256] != 0 else { throw .damaged }
        return (try Code(all[..<literalCount]), try Code(all[literalCount...]))
    }

    // MARK: - Codes

    /// A canonical prefix code: the number of codes of each length, and the symbols in the order of their codes.
    private struct Code {
        private var counts = [Int](repeating: 0, count: 16)
        private var symbols: [Int] = []

        /// Builds the code from the code lengths of all symbols, 0 for symbols that do not occur.
        init(_ lengths: ArraySlice<UInt8>) throws(Problem) {
            for length in lengths where length > 0 { counts[Int(length)] += 1 }
            var left = 1
            for length in 1...15 {
                left = left * 2 - counts[length]
                guard left >= 0 else { throw .damaged }
            }
            // An incomplete code is valid only with a single symbol, or with none.
            guard left == 0 || counts.reduce(0, +) <= 1 else { throw .damaged }
            for length in 1...15 where counts[length] > 0 {
                for (symbol, own) in lengths.enumerated() where own == length { symbols.append(symbol) }
            }
        }

        /// Reads the next symbol.
        func next(_ inflate: inout Inflate) throws(Problem) -> Int {
            var (code, first, index) = (0, 0, 0)
            for length in 1...15 {
                code |= try inflate.take(1)
                let count = counts[length]
                if code - first < count { return symbols[index + code - first] }
                index += count
                first = (first + count) << 1
                code <<= 1
            }
            throw .damaged
        }
    }

    private static let fixedLiterals = fixed(
        [(144, 8), (112, 9), (24, 7), (8, 8)].flatMap { [UInt8](repeating: $0.1, count: $0.0) }
    )
    private static let fixedDistances = fixed([UInt8](repeating: 5, count: 32))

    private static func fixed(_ lengths: [UInt8]) -> Code {
        guard let code = try? Code(lengths[...]) else { preconditionFailure("the fixed codes of RFC 1951 are whole") }
        return code
    }

    // RFC 1951, section 3.2.5 and 3.2.7.
    private static let lengths = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    private static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let distances = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
        6145,
        8193, 12289, 16385, 24577,
    ]
    private static let distanceBits = [
        0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
    ]
    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
}
