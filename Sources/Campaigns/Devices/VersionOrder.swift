/// The order of app versions: `3.2` equals `3.2.0` and comes before `3.10`.
///
/// A version is numbers of any length between dots. A leading `v` is ignored, as is everything after a `+`, a blank or
/// a bracket. A suffix after a hyphen makes a pre-release, which comes before the version without it (Semantic
/// Versioning 2.0.0, section 11); suffixes compare by bytes.
enum VersionOrder {
    /// Returns a negative number, zero or a positive one if `left` comes before, equals or comes after `right`; nil if
    /// either is not a version.
    static func compare(
        _ left: some Collection<UInt8> & SendableMetatype,
        _ right: some Collection<UInt8> & SendableMetatype
    ) -> Int? {
        var (a, b) = (Cursor(left), Cursor(right))
        guard a.begin(), b.begin() else { return nil }
        var order = 0
        while a.hasNumber || b.hasNumber {
            guard let x = a.number(), let y = b.number() else { return nil }
            if order == 0 { order = compareDigits(x, y) }
        }
        guard let x = a.suffix(), let y = b.suffix() else { return nil }
        if order != 0 { return order }
        switch (x.isEmpty, y.isEmpty) {
        case (true, true): return 0
        case (true, false): return 1
        case (false, true): return -1
        case (false, false):
            return x.lexicographicallyPrecedes(y) ? -1 : y.lexicographicallyPrecedes(x) ? 1 : 0
        }
    }

    static func isVersion(_ text: some Collection<UInt8> & SendableMetatype) -> Bool { compare(text, text) != nil }

    /// Returns the one spelling of equal versions, with at least `numbersMin` numbers.
    static func canonical(_ text: String, numbersMin: Int = 1) -> String {
        var cursor = Cursor(text.utf8.map { $0 })
        guard cursor.begin() else { return text }
        var numbers: [String] = []
        while cursor.hasNumber, let digits = cursor.number() {
            numbers.append(digits.isEmpty ? "0" : String(decoding: digits, as: UTF8.self))
        }
        while numbers.count > numbersMin, numbers.last == "0" { numbers.removeLast() }
        let suffix = cursor.suffix().map { String(decoding: $0, as: UTF8.self) } ?? ""
        return numbers.joined(separator: ".") + (suffix.isEmpty ? "" : "-" + suffix)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    private static func compareDigits<A: Collection<UInt8>, B: Collection<UInt8>>(_ left: A, _ right: B) -> Int {
        if left.count != right.count { return left.count < right.count ? -1 : 1 }
        return left.lexicographicallyPrecedes(right) ? -1 : right.lexicographicallyPrecedes(left) ? 1 : 0
    }

    /// Iterates over a version's numbers.
    private struct Cursor<Text: Collection<UInt8> & SendableMetatype> {
        private var rest: Text.SubSequence
        private(set) var hasNumber = false

        init(_ text: Text) {
            rest = text[...]
        }

        mutating func begin() -> Bool {
            if rest.first == UInt8(ascii: "v") || rest.first == UInt8(ascii: "V") { rest = rest.dropFirst() }
            hasNumber = rest.first.map(VersionOrder.isDigit) ?? false
            return hasNumber
        }

        /// Returns the next number's digits without leading zeros, none for 0 and after the last number; nil if digits
        /// are missing.
        mutating func number() -> Text.SubSequence? {
            guard hasNumber else { return rest.prefix(0) }
            let digits = rest.prefix(while: VersionOrder.isDigit)
            guard !digits.isEmpty else { return nil }
            rest = rest.dropFirst(digits.count)
            hasNumber = rest.first == UInt8(ascii: ".")
            if hasNumber { rest = rest.dropFirst() }
            return digits.drop { $0 == 48 }
        }

        /// Returns the pre-release suffix; nil if the remaining text does not belong to a version.
        func suffix() -> Text.SubSequence? {
            switch rest.first {
            case nil: rest
            case UInt8(ascii: "+"), UInt8(ascii: " "), UInt8(ascii: "("): rest.prefix(0)
            case UInt8(ascii: "-"): rest.dropFirst().prefix { $0 != UInt8(ascii: "+") }
            default: nil
            }
        }
    }
}
