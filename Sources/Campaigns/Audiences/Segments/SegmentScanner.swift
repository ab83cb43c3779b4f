/// Splits an expression into tokens.
struct SegmentScanner {
    enum Token: Equatable {
        case open, close, comma, and, or, not, end
        case comparison(SegmentComparison)
        case word(String)
        case quoted(String)

        /// The token's name in messages.
        var name: String {
            switch self {
            case .open: "("
            case .close: ")"
            case .comma: ","
            case .and: "&&"
            case .or: "||"
            case .not: "!"
            case .end: "the end"
            case .comparison(let comparison): comparison.rawValue
            case .word(let word): word.clipped
            case .quoted: "a quoted text"
            }
        }
    }

    private let bytes: [UInt8]
    private var offset = 0
    /// The offset at which the last token begins.
    private(set) var start = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The number of the character at an offset, from 1.
    func column(_ offset: Int) -> Int {
        1 + bytes[..<min(offset, bytes.count)].reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
    }

    func problem(_ detail: String, at offset: Int? = nil, fix: String? = nil) -> SegmentProblem {
        SegmentProblem(code: .syntax, column: column(offset ?? start), detail: detail, fix: fix)
    }

    mutating func next() throws(SegmentProblem) -> Token {
        while offset < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) { offset += 1 }
        start = offset
        guard offset < bytes.count else { return .end }
        let byte = bytes[offset]
        offset += 1
        switch byte {
        case UInt8(ascii: "("): return .open
        case UInt8(ascii: ")"): return .close
        case UInt8(ascii: ","): return .comma
        case UInt8(ascii: "&"):
            if take("&") { return .and }
            throw problem("a single &", fix: "write && for and")
        case UInt8(ascii: "|"):
            if take("|") { return .or }
            throw problem("a single |", fix: "write || for or")
        case UInt8(ascii: "!"): return take("=") ? .comparison(.notEqual) : .not
        case UInt8(ascii: "="):
            if take("=") { return .comparison(.equal) }
            throw problem("a single =", fix: "write == to compare")
        case UInt8(ascii: "<"): return .comparison(take("=") ? .lessOrEqual : .less)
        case UInt8(ascii: ">"): return .comparison(take("=") ? .greaterOrEqual : .greater)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .quoted(try quoted(until: byte))
        default:
            guard SegmentWord.isWordByte(byte) else {
                let shown = String(decoding: [byte], as: UTF8.self).clipped
                throw problem("the character \(shown) means nothing here", fix: "put texts into quotes")
            }
            while offset < bytes.count, SegmentWord.isWordByte(bytes[offset]) { offset += 1 }
            return .word(String(decoding: bytes[start..<offset], as: UTF8.self))
        }
    }

    private mutating func take(_ character: Character) -> Bool {
        guard offset < bytes.count, bytes[offset] == character.asciiValue else { return false }
        offset += 1
        return true
    }

    private mutating func quoted(until quote: UInt8) throws(SegmentProblem) -> String {
        var text: [UInt8] = []
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            switch byte {
            case quote:
                if text.isEmpty { throw problem("an empty text", fix: "take it out, or put something into it") }
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard offset < bytes.count, [UInt8(ascii: "\\"), 0x22, 0x27].contains(bytes[offset]) else {
                    throw problem("a backslash in front of another character", at: offset - 1, fix: "write \\\\")
                }
                text.append(bytes[offset])
                offset += 1
            case ..<0x20, 0x7F: throw problem("a control character within a text", at: offset - 1)
            default: text.append(byte)
            }
        }
        throw problem("a text that is not closed", fix: "close it with a quote")
    }
}
