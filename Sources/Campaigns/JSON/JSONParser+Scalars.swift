/// The parsing of strings, numbers and literal names.
extension JSONParser {
    /// Reads a string whose opening quote is next.
    mutating func string() -> String {
        offset += 1
        let start = offset
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == UInt8(ascii: "\"") {
                defer { offset += 1 }
                return String(decoding: bytes[start..<offset], as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") || byte < 0x20 || byte >= 0x80 { break }
            offset += 1
        }
        return unusualString(from: start)
    }

    /// Parses the rest of a string with escapes, non-ASCII characters or mistakes; notes each sort of problem once.
    private mutating func unusualString(from start: Int) -> String {
        var text = Array(bytes[start..<offset])
        var hasBadByte = false
        var hasBadControl = false
        while offset < bytes.count, !isLost {
            let byte = bytes[offset]
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return streamSafe(String(decoding: text, as: UTF8.self), from: start)
            case UInt8(ascii: "\\"): escape(into: &text)
            case 0..<0x20:
                if !hasBadControl {
                    note(.syntax, "a string has a control character", fix: "write it as an escape, \\n for a new line")
                }
                hasBadControl = true
                offset += 1
            case 0x20..<0x80:
                text.append(byte)
                offset += 1
            default:
                let length = JSONParser.scalarLength(bytes[offset...])
                if length == 0, !hasBadByte {
                    note(.encoding, "a string is not valid UTF-8", fix: "send UTF-8")
                    hasBadByte = true
                }
                text.append(contentsOf: length == 0 ? bytes[offset..<offset] : bytes[offset..<offset + length])
                offset += max(1, length)
            }
        }
        give(up: .syntax, "the text ends within a string", fix: "close the string with a double quote")
        return ""
    }

    /// Returns the text; returns an empty one, with a problem, if it is not stream-safe.
    private mutating func streamSafe(_ text: String, from start: Int) -> String {
        if StreamSafeText.holds(text) { return text }
        note(.encoding, "a string has more than 30 combining marks in a row", fix: "leave them out", at: start)
        return ""
    }

    /// Reads an escape whose backslash is next.
    private mutating func escape(into text: inout [UInt8]) {
        let start = offset
        offset += 2
        switch start + 1 < bytes.count ? bytes[start + 1] : 0 {
        case UInt8(ascii: "\""): text.append(UInt8(ascii: "\""))
        case UInt8(ascii: "\\"): text.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "/"): text.append(UInt8(ascii: "/"))
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): unicodeEscape(from: start, into: &text)
        default:
            offset = min(start + 1, bytes.count)
            note(
                .syntax,
                "a string has an escape that JSON does not have",
                fix: "write \\\\ for a backslash",
                at: start
            )
        }
    }

    /// Parses the digits of an escape; the offset is behind its `\u`.
    private mutating func unicodeEscape(from start: Int, into text: inout [UInt8]) {
        guard var code = fourHexDigits() else {
            note(.syntax, "four hexadecimal digits must follow \\u", fix: nil, at: start)
            return
        }
        if (0xD800..<0xDC00).contains(code), offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "\\"),
            bytes[offset + 1] == UInt8(ascii: "u")
        {
            let rewind = offset
            offset += 2
            if let low = fourHexDigits(), (0xDC00..<0xE000).contains(low) {
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            } else {
                offset = rewind
            }
        }
        guard let scalar = Unicode.Scalar(code) else {
            note(.encoding, "half of a surrogate pair stands alone", fix: "send UTF-8, or both halves", at: start)
            return
        }
        text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    private mutating func fourHexDigits() -> UInt32? {
        guard offset + 4 <= bytes.count else { return nil }
        var code: UInt32 = 0
        for byte in bytes[offset..<offset + 4] {
            switch byte {
            case 48...57: code = code << 4 + UInt32(byte - 48)
            case 65...70: code = code << 4 + UInt32(byte - 55)
            case 97...102: code = code << 4 + UInt32(byte - 87)
            default: return nil
            }
        }
        offset += 4
        return code
    }

    /// Returns the length of the well-formed UTF-8 sequence beyond ASCII at the start of the bytes; 0 if there is none.
    ///
    /// As in Unicode 16, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF.
    static func scalarLength(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
        var rest = bytes.prefix(4).makeIterator()
        guard let first = rest.next(), let second = rest.next() else { return 0 }
        let seconds: ClosedRange<UInt8>
        let length: Int
        switch first {
        case 0xC2...0xDF: (length, seconds) = (2, 0x80...0xBF)
        case 0xE0: (length, seconds) = (3, 0xA0...0xBF)
        case 0xED: (length, seconds) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, seconds) = (3, 0x80...0xBF)
        case 0xF0: (length, seconds) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, seconds) = (4, 0x80...0xBF)
        case 0xF4: (length, seconds) = (4, 0x80...0x8F)
        default: return 0
        }
        guard seconds.contains(second) else { return 0 }
        for _ in 2..<length {
            guard let byte = rest.next(), byte & 0xC0 == 0x80 else { return 0 }
        }
        return length
    }

    /// Parses a number; skips a malformed one with a problem.
    mutating func number() -> JSONValue {
        let start = offset
        while offset < bytes.count, JSONParser.isWordByte(bytes[offset]) { offset += 1 }
        let word = bytes[start..<offset]
        guard word.count <= JSONReader.numberBytesMax else {
            note(.range, "a number has more than 1,000 digits", fix: "write it as a string", at: start)
            return .null
        }
        let text = String(decoding: word, as: UTF8.self)
        guard JSONNumber.isNumber(word) else {
            note(.syntax, "\(text.prefix(40)) is not a JSON number", fix: JSONParser.fix(forNumber: word), at: start)
            return .null
        }
        // No parser on a phone can represent such a number: JSON libraries fail or return infinity.
        guard let double = Double(text), double.isFinite else {
            note(.range, "a number is too large for a double", fix: "write it as a string", at: start)
            return .null
        }
        return .number(JSONNumber(text: text))
    }

    /// Parses `true`, `false` or `null`; skips any other word with a problem.
    mutating func word() -> JSONValue {
        let start = offset
        while offset < bytes.count, JSONParser.isWordByte(bytes[offset]) { offset += 1 }
        switch String(decoding: bytes[start..<offset].prefix(40), as: UTF8.self) {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        case "": noteNoValue()
        case let text:
            let fix = JSONParser.fix(forWord: text)
            note(.syntax, "\(text) is not a JSON value", fix: fix, at: start)
        }
        return .null
    }

    private mutating func noteNoValue() {
        guard offset < bytes.count else {
            give(up: .syntax, "the text ends where a value must stand", fix: nil)
            return
        }
        let isQuote = bytes[offset] == UInt8(ascii: "'")
        give(up: .syntax, "a value must stand here", fix: isQuote ? "strings take double quotes" : nil)
    }

    private static func fix(forWord text: String) -> String? {
        switch text.lowercased() {
        case "nan", "inf", "infinity": "leave the field out: JSON has only finite numbers"
        case "true", "false", "null": "write \(text.lowercased())"
        case "none", "nil", "undefined": "leave the field out"
        default: "put strings into double quotes"
        }
    }

    private static func fix(forNumber word: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
        switch word.first {
        case UInt8(ascii: "+"): "leave the plus sign out"
        case UInt8(ascii: "."): "write 0 in front of the point"
        case UInt8(ascii: "0"): "leave leading zeros out"
        default: "put strings into double quotes"
        }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
