/// An append-only buffer of fixed size, which drops excess bytes and records that it did.
///
/// Its owner allocates and frees the memory.
struct TemplateSink {
    let memory: UnsafeMutableRawBufferPointer
    private(set) var count = 0
    /// True if bytes were dropped since the last `reset`.
    private(set) var isOver = false

    init(capacity: Int) { memory = .allocate(byteCount: capacity, alignment: 16) }

    /// Returns the bytes from an offset on.
    func bytes(from start: Int = 0) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: memory[start..<count])
    }

    mutating func reset() {
        count = 0
        isOver = false
    }

    /// Removes the bytes from an offset on.
    mutating func cut(to start: Int) { count = min(count, start) }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        guard count < memory.count else { return isOver = true }
        memory[count] = byte
        count += 1
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count <= memory.count - count, let base = memory.baseAddress else { return isOver = true }
        guard let source = bytes.baseAddress else { return }
        (base + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a number with a minimum of digits.
    mutating func append(_ number: Int, digits: Int, padding: UInt8 = 48) {
        var divisor = 1
        var width = 1
        while number / divisor >= 10 {
            divisor *= 10
            width += 1
        }
        for _ in 0..<max(0, digits - width) { append(padding) }
        while divisor > 0 {
            append(48 + UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
    }

    /// Appends the escaped content of a JSON string, without the quotes around it (RFC 8259, section 7).
    ///
    /// The bytes must be UTF-8, otherwise the output is not UTF-8 either.
    mutating func appendEscaped(_ bytes: UnsafeRawBufferPointer) {
        var start = 0
        var position = 0
        while position < bytes.count {
            if position + 8 <= bytes.count,
                !Self.hasMark(bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            {
                position += 8
                continue
            }
            let byte = bytes[position]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                append(UnsafeRawBufferPointer(rebasing: bytes[start..<position]))
                appendEscape(byte)
                start = position + 1
            }
            position += 1
        }
        append(UnsafeRawBufferPointer(rebasing: bytes[start...]))
    }

    private mutating func appendEscape(_ byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        case 0x20...: append(byte)
        default:
            append("u00")
            append(48 + byte >> 4)
            append(byte & 15 < 10 ? 48 + byte & 15 : 87 + byte & 15)
        }
    }

    /// Returns true if one of eight bytes may need an escape: below 0x20, a quotation mark or a backslash.
    ///
    /// It uses the tests for bytes of a word from "Bit Twiddling Hacks", Anderson; false positives are possible, false
    /// negatives are not.
    @inline(__always)
    private static func hasMark(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        let control = (word &- ones &* 0x20) & ~word
        let quote = word ^ ones &* 0x22
        let slash = word ^ ones &* 0x5C
        return (control | (quote &- ones) & ~quote | (slash &- ones) & ~slash) & tops != 0
    }
}
