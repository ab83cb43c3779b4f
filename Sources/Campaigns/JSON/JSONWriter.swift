/// Writes JSON without white space; the same value gives the same bytes.
public enum JSONWriter {
    /// Returns the bytes of a value.
    ///
    /// - Parameters:
    ///   - value: The value to write.
    ///   - sortedKeys: Orders members by the bytes of their names and writes numbers in one spelling, so that equal
    ///     values give equal bytes. Otherwise order and digits stay as they are.
    public static func bytes(_ value: JSONValue, sortedKeys: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        write(value, into: &bytes, sortedKeys: sortedKeys)
        return bytes
    }

    /// Appends the bytes of a value.
    public static func write(_ value: JSONValue, into bytes: inout [UInt8], sortedKeys: Bool = false) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let isTrue): bytes.append(contentsOf: (isTrue ? "true" : "false").utf8)
        case .number(let number): bytes.append(contentsOf: (sortedKeys ? number.normalized : number).text.utf8)
        case .string(let text): writeString(text, into: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(element, into: &bytes, sortedKeys: sortedKeys)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            let ordered = sortedKeys ? members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } : members
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in ordered.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                writeString(member.name, into: &bytes)
                bytes.append(UInt8(ascii: ":"))
                write(member.value, into: &bytes, sortedKeys: sortedKeys)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Appends a string with its quotes; escapes only the characters that RFC 8259, section 7, demands.
    public static func writeString(_ text: String, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x20...: bytes.append(byte)
            case 0x08: bytes.append(contentsOf: "\\b".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0x0C: bytes.append(contentsOf: "\\f".utf8)
            case 0x0D: bytes.append(contentsOf: "\\r".utf8)
            default:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(hexDigit(byte >> 4))
                bytes.append(hexDigit(byte & 15))
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? 48 + value : 87 + value
    }
}

extension JSONValue {
    /// The value as compact JSON text.
    public var text: String {
        String(decoding: JSONWriter.bytes(self), as: UTF8.self)
    }
}
