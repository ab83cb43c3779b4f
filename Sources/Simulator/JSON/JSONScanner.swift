/// The error for a text that is not JSON.
struct JSONError: Error, Equatable {
    /// The byte offset of the first invalid byte.
    let offset: Int
}

/// A strict RFC 8259 reader that walks bytes in place and builds nothing.
///
/// It is written separately for the simulator on purpose: a payload must not pass at both ends because both use one
/// reader.
struct JSONScanner {
    /// The deepest nesting accepted; no payload of 5 KB needs more, and it bounds the stack.
    static let depthMost = 64

    let bytes: ArraySlice<UInt8>
    private(set) var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    var error: JSONError { JSONError(offset: position - bytes.startIndex) }

    /// Returns the next byte that is not white space, without consuming it.
    mutating func peek() -> UInt8? {
        while position < bytes.endIndex {
            let byte = bytes[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            position += 1
        }
        return nil
    }

    /// Consumes `byte` if it comes next.
    mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        position += 1
        return true
    }

    mutating func expect(_ byte: UInt8) throws(JSONError) {
        guard take(byte) else { throw error }
    }

    /// Checks that only white space is left.
    mutating func expectEnd() throws(JSONError) {
        guard peek() == nil else { throw error }
    }

    /// Walks an object; `body` gets each key and must consume its value.
    mutating func members(
        depth: Int = 0,
        _ body: (inout JSONScanner, JSONString) throws(JSONError) -> Void
    ) throws(JSONError) {
        guard depth < Self.depthMost else { throw error }
        try expect(UInt8(ascii: "{"))
        if take(UInt8(ascii: "}")) { return }
        repeat {
            let key = try string()
            try expect(UInt8(ascii: ":"))
            try body(&self, key)
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"))
    }

    /// Walks an array; `body` must consume each element.
    mutating func elements(
        depth: Int = 0,
        _ body: (inout JSONScanner) throws(JSONError) -> Void
    ) throws(JSONError) {
        guard depth < Self.depthMost else { throw error }
        try expect(UInt8(ascii: "["))
        if take(UInt8(ascii: "]")) { return }
        repeat { try body(&self) } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "]"))
    }

    /// Checks the next value, of any kind, and skips it.
    mutating func skipValue(depth: Int = 0) throws(JSONError) {
        switch peek() {
        case UInt8(ascii: "{"):
            try members(depth: depth) { (inner, _) throws(JSONError) in try inner.skipValue(depth: depth + 1) }
        case UInt8(ascii: "["):
            try elements(depth: depth) { (inner) throws(JSONError) in try inner.skipValue(depth: depth + 1) }
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "t"): try literal("true")
        case UInt8(ascii: "f"): try literal("false")
        case UInt8(ascii: "n"): try literal("null")
        default: _ = try number()
        }
    }

    mutating func literal(_ word: StaticString) throws(JSONError) {
        for index in 0..<word.utf8CodeUnitCount {
            guard position < bytes.endIndex, bytes[position] == word.utf8Start[index] else { throw error }
            position += 1
        }
    }

    /// Returns the bytes of a number in RFC 8259's grammar.
    mutating func number() throws(JSONError) -> ArraySlice<UInt8> {
        guard peek() != nil else { throw error }
        let start = position
        _ = takeHere(UInt8(ascii: "-"))
        if !takeHere(UInt8(ascii: "0")) { try digits() }
        if takeHere(UInt8(ascii: ".")) { try digits() }
        if takeHere(UInt8(ascii: "e")) || takeHere(UInt8(ascii: "E")) {
            if !takeHere(UInt8(ascii: "+")) { _ = takeHere(UInt8(ascii: "-")) }
            try digits()
        }
        return bytes[start..<position]
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while position < bytes.endIndex, bytes[position] >= 0x30, bytes[position] <= 0x39 { position += 1 }
        guard position > start else { throw error }
    }

    private mutating func takeHere(_ byte: UInt8) -> Bool {
        guard position < bytes.endIndex, bytes[position] == byte else { return false }
        position += 1
        return true
    }
}

extension JSONScanner {
    /// Returns a string's bytes between the quotes, with escapes and UTF-8 checked.
    mutating func string() throws(JSONError) -> JSONString {
        try expect(UInt8(ascii: "\""))
        let start = position
        var isEscaped = false
        while position < bytes.endIndex {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                return JSONString(raw: bytes[start..<(position - 1)], isEscaped: isEscaped)
            }
            if byte == UInt8(ascii: "\\") {
                isEscaped = true
                try escape()
            } else if byte < 0x20 {
                throw error
            } else if byte < 0x80 {
                position += 1
            } else {
                try multibyte(lead: byte)
            }
        }
        throw error
    }

    private mutating func escape() throws(JSONError) {
        position += 1
        guard position < bytes.endIndex else { throw error }
        switch bytes[position] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"):
            let unit = try hexUnit()
            switch unit {
            case 0xD800..<0xDC00:
                guard takeHere(UInt8(ascii: "\\")), position < bytes.endIndex, bytes[position] == UInt8(ascii: "u"),
                    case 0xDC00..<0xE000 = try hexUnit()
                else { throw error }
            case 0xDC00..<0xE000: throw error
            default: break
            }
        default: throw error
        }
    }

    private mutating func hexUnit() throws(JSONError) -> UInt32 {
        position += 1
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard position < bytes.endIndex, let nibble = Hexadecimal.value(of: bytes[position]) else { throw error }
            unit = unit << 4 | UInt32(nibble)
            position += 1
        }
        return unit
    }

    /// Checks one character of two to four bytes: the shortest form, no surrogates (RFC 3629, table 3-7 of Unicode).
    private mutating func multibyte(lead: UInt8) throws(JSONError) {
        let (count, second): (Int, ClosedRange<UInt8>)
        switch lead {
        case 0xC2...0xDF: (count, second) = (2, 0x80...0xBF)
        case 0xE0: (count, second) = (3, 0xA0...0xBF)
        case 0xED: (count, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (count, second) = (3, 0x80...0xBF)
        case 0xF0: (count, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (count, second) = (4, 0x80...0xBF)
        case 0xF4: (count, second) = (4, 0x80...0x8F)
        default: throw error
        }
        guard position + count <= bytes.endIndex, second.contains(bytes[position + 1]) else { throw error }
        for index in 2..<max(count, 2) where bytes[position + index] & 0xC0 != 0x80 { throw error }
        position += count
    }
}

/// The bytes between the quotes of a checked JSON string.
struct JSONString {
    let raw: ArraySlice<UInt8>
    let isEscaped: Bool

    /// Returns true if the string equals `word` once its escapes are resolved.
    func says(_ word: StaticString) -> Bool {
        if isEscaped { return text == word.description }
        guard raw.count == word.utf8CodeUnitCount else { return false }
        var index = 0
        for byte in raw {
            if byte != word.utf8Start[index] { return false }
            index += 1
        }
        return true
    }

    /// The string with its escapes resolved.
    var text: String {
        guard isEscaped else { return String(decoding: raw, as: UTF8.self) }
        var units: [UInt16] = []
        var plain: [UInt8] = []
        var index = raw.startIndex
        while index < raw.endIndex {
            guard raw[index] == UInt8(ascii: "\\") else {
                plain.append(raw[index])
                index += 1
                continue
            }
            units.append(contentsOf: String(decoding: plain, as: UTF8.self).utf16)
            plain.removeAll(keepingCapacity: true)
            units.append(unit(afterEscapeAt: &index))
        }
        units.append(contentsOf: String(decoding: plain, as: UTF8.self).utf16)
        return String(decoding: units, as: UTF16.self)
    }

    private func unit(afterEscapeAt index: inout Int) -> UInt16 {
        let letter = raw[index + 1]
        index += 2
        switch letter {
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "u"):
            let digits = raw[index..<(index + 4)]
            index += 4
            return digits.reduce(0) { $0 << 4 | UInt16(Hexadecimal.value(of: $1) ?? 0) }
        default: return UInt16(letter)
        }
    }
}
