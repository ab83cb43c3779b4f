/// A JSON number kept as text, so that nothing is rounded.
public struct JSONNumber: Hashable, Sendable {
    /// The number as JSON writes it, for example `0.8` or `-1e3`.
    public let text: String

    /// Wraps a text that is known to be a JSON number.
    public init(text: String) {
        self.text = text
    }

    /// Creates an integer.
    public init(_ value: some BinaryInteger) {
        text = String(value)
    }

    /// The exact value if it is an integer in range: `5`, `5.0` and `50e-1` are the same number.
    public var integer: Int64? {
        if let value = Int64(text) { return value }
        return Decimal(text)?.integer
    }

    /// The nearest double.
    public var double: Double? { Double(text) }

    /// Returns true for the grammar of RFC 8259, section 6: `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`.
    static func isNumber(_ text: some Collection<UInt8>) -> Bool {
        var rest = text[...]
        func takeDigits() -> Int {
            let count = rest.prefix { (48...57).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let startsWithZero = rest.first == UInt8(ascii: "0")
        let whole = takeDigits()
        guard whole > 0, whole == 1 || !startsWithZero else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard takeDigits() > 0 else { return false }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
            guard takeDigits() > 0 else { return false }
        }
        return rest.isEmpty
    }

    /// Returns a negative number, zero or a positive one for an exact comparison; nil if an exponent is out of range.
    func compare(_ other: JSONNumber) -> Int? {
        if let left = Int64(text), let right = Int64(other.text) { return left < right ? -1 : left > right ? 1 : 0 }
        guard let left = Decimal(text), let right = Decimal(other.text) else { return nil }
        return left.compare(right)
    }

    /// The number in the one form that all its spellings share: `5.0`, `50e-1` and `5` become `5`.
    public var normalized: JSONNumber {
        guard let decimal = Decimal(text) else { return self }
        return JSONNumber(text: decimal.text)
    }
}

/// A decimal number, ± digits × 10^exponent, without zeros at either end of the digits; zero has no digits.
private struct Decimal {
    let isNegative: Bool
    let digits: [UInt8]
    let exponent: Int

    /// Returns nil if the exponent is out of range: such a number stays as it was written.
    init?(_ text: String) {
        var digits: [UInt8] = []
        var exponent = 0
        var isNegative = false
        var isFraction = false
        var bytes = text.utf8[...]
        if bytes.first == UInt8(ascii: "-") {
            isNegative = true
            bytes.removeFirst()
        }
        while let byte = bytes.popFirst() {
            switch byte {
            case 48...57:
                digits.append(byte)
                if isFraction { exponent -= 1 }
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                // Zero stays zero with any exponent.
                let isZero = digits.allSatisfy { $0 == 48 }
                guard let written = isZero ? 0 : Int(String(bytes) ?? ""), abs(written) < 1_000_000 else { return nil }
                exponent += written
                bytes = bytes[bytes.endIndex...]
            default: return nil
            }
        }
        while digits.last == 48 {
            digits.removeLast()
            exponent += 1
        }
        digits = Array(digits.drop { $0 == 48 })
        self.isNegative = isNegative && !digits.isEmpty
        self.digits = digits
        self.exponent = digits.isEmpty ? 0 : exponent
    }

    func compare(_ other: Decimal) -> Int {
        let (left, right) = (sign, other.sign)
        if left != right { return left < right ? -1 : 1 }
        return left * compareMagnitude(other)
    }

    private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

    /// Compares the position of the first digit, then digit by digit, since neither has leading zeros.
    private func compareMagnitude(_ other: Decimal) -> Int {
        let (left, right) = (digits.count + exponent, other.digits.count + other.exponent)
        if left != right { return left < right ? -1 : 1 }
        if digits.lexicographicallyPrecedes(other.digits) { return -1 }
        return other.digits.lexicographicallyPrecedes(digits) ? 1 : 0
    }

    var integer: Int64? {
        guard exponent >= 0, digits.count + exponent <= 19 else { return nil }
        return Int64(text)
    }

    /// The number as text: integers of up to 21 digits in full, everything else with digits and exponent.
    var text: String {
        let sign = isNegative ? "-" : ""
        guard !digits.isEmpty else { return "0" }
        let mantissa = String(decoding: digits, as: UTF8.self)
        if exponent >= 0, digits.count + exponent <= 21 {
            return sign + mantissa + String(repeating: "0", count: exponent)
        }
        if exponent < 0, exponent >= -21 {
            let padding = max(0, 1 - exponent - digits.count)
            let padded = String(repeating: "0", count: padding) + mantissa
            return sign + padded.dropLast(-exponent) + "." + padded.suffix(-exponent)
        }
        return sign + mantissa + "e" + String(exponent)
    }
}
