/// The decoded pairs of a query or a form, in order.
struct FormPairs {
    let pairs: [(name: String, value: String)]

    /// Parses `name=value` pairs joined by `&`; nil if the text is anything else.
    init?(_ text: Substring) {
        var pairs: [(name: String, value: String)] = []
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = Self.decoded(parts[0]), let value = Self.decoded(parts[1]) else {
                return nil
            }
            pairs.append((name, value))
        }
        self.pairs = pairs
    }

    /// The first value with a name.
    subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

    /// Decodes percent-encoding (RFC 3986); `+` is a space, as in forms.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(Hexadecimal.value),
                    let low = rest.popFirst().flatMap(Hexadecimal.value)
                else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
