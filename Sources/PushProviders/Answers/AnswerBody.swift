/// Finds two members of the small JSON object in an answer's body: a text and a whole number.
///
/// It does not use the reader of `Campaigns`. It builds no tree and allocates nothing, because in a campaign to old
/// tokens every tenth answer has a body. Anything but one complete object is unreadable; the status alone decides then.
struct AnswerBody {
    /// The longest body that is read; a provider's own have about 70 bytes.
    static let bytesMax = 4096
    /// The deepest nesting of objects and arrays.
    private static let depthMax = 16

    /// The range of the text between its quotes, with escapes unchanged; nil when there is none.
    private(set) var text: Range<Int>?
    /// The whole number; nil when there is none or it does not fit.
    private(set) var number: Int64?

    /// Reads the members `textName` and `numberName` of a body; nil when it is not one JSON object.
    init?(_ body: Span<UInt8>, textName: String, numberName: String) {
        guard !body.isEmpty, body.count <= Self.bytesMax else { return nil }
        var position = 0
        Self.skipSpace(body, &position)
        guard Self.take(UInt8(ascii: "{"), body, &position) else { return nil }
        Self.skipSpace(body, &position)
        if !Self.take(UInt8(ascii: "}"), body, &position) {
            repeat {
                Self.skipSpace(body, &position)
                guard let name = Self.string(body, &position) else { return nil }
                Self.skipSpace(body, &position)
                guard Self.take(UInt8(ascii: ":"), body, &position) else { return nil }
                Self.skipSpace(body, &position)
                let start = position
                guard let scanned = Self.value(body, &position, depth: 1) else { return nil }
                if Self.equal(body, name, textName) {
                    if case .text(let range) = scanned { text = range }
                } else if Self.equal(body, name, numberName) {
                    number = Self.whole(body, start..<position)
                }
                Self.skipSpace(body, &position)
            } while Self.take(UInt8(ascii: ","), body, &position)
            guard Self.take(UInt8(ascii: "}"), body, &position) else { return nil }
        }
        Self.skipSpace(body, &position)
        guard position == body.count else { return nil }
    }

    /// Returns true if a part of the body equals a text, byte for byte.
    static func equal(_ body: Span<UInt8>, _ range: Range<Int>, _ expected: String) -> Bool {
        guard range.count == expected.utf8.count else { return false }
        var position = range.lowerBound
        for byte in expected.utf8 {
            guard body[position] == byte else { return false }
            position += 1
        }
        return true
    }

    private static func skipSpace(_ body: Span<UInt8>, _ position: inout Int) {
        while position < body.count, [0x20, 0x09, 0x0a, 0x0d].contains(body[position]) { position += 1 }
    }

    private static func take(_ byte: UInt8, _ body: Span<UInt8>, _ position: inout Int) -> Bool {
        guard position < body.count, body[position] == byte else { return false }
        position += 1
        return true
    }

    /// Skips a string; its range excludes the quotes.
    private static func string(_ body: Span<UInt8>, _ position: inout Int) -> Range<Int>? {
        guard take(UInt8(ascii: "\""), body, &position) else { return nil }
        let start = position
        while position < body.count {
            switch body[position] {
            case UInt8(ascii: "\""):
                position += 1
                return start..<position - 1
            case UInt8(ascii: "\\"): position += 2
            default: position += 1
            }
        }
        return nil
    }

    /// A skipped value.
    private enum Scanned {
        /// A string; the range excludes the quotes.
        case text(Range<Int>)
        /// Anything else.
        case other
    }

    private static func value(_ body: Span<UInt8>, _ position: inout Int, depth: Int) -> Scanned? {
        guard position < body.count, depth <= depthMax else { return nil }
        switch body[position] {
        case UInt8(ascii: "\""):
            return string(body, &position).map { .text($0) }
        case UInt8(ascii: "{"):
            return container(body, &position, end: UInt8(ascii: "}"), named: true, depth: depth) ? .other : nil
        case UInt8(ascii: "["):
            return container(body, &position, end: UInt8(ascii: "]"), named: false, depth: depth) ? .other : nil
        default:
            let start = position
            while position < body.count, isWordByte(body[position]) { position += 1 }
            return position > start ? .other : nil
        }
    }

    private static func container(
        _ body: Span<UInt8>,
        _ position: inout Int,
        end: UInt8,
        named: Bool,
        depth: Int
    ) -> Bool {
        position += 1
        skipSpace(body, &position)
        if take(end, body, &position) { return true }
        repeat {
            skipSpace(body, &position)
            if named {
                guard string(body, &position) != nil else { return false }
                skipSpace(body, &position)
                guard take(UInt8(ascii: ":"), body, &position) else { return false }
                skipSpace(body, &position)
            }
            guard value(body, &position, depth: depth + 1) != nil else { return false }
            skipSpace(body, &position)
        } while take(UInt8(ascii: ","), body, &position)
        return take(end, body, &position)
    }

    /// Returns true for bytes of numbers and of `true`, `false`, `null`.
    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x61...0x7a, UInt8(ascii: "E"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }

    private static func whole(_ body: Span<UInt8>, _ range: Range<Int>) -> Int64? {
        guard !range.isEmpty, range.count <= 18 else { return nil }
        var result: Int64 = 0
        for index in range {
            guard body[index] >= 0x30, body[index] <= 0x39 else { return nil }
            result = result * 10 + Int64(body[index] - 0x30)
        }
        return result
    }
}
