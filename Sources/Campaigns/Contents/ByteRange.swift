/// The part of a content that a request asks for with the field `Range` (RFC 9110, section 14).
public enum ByteRange: Sendable, Equatable {
    /// The whole content: the field is missing, or is not understood and thus ignored.
    case whole
    /// These bytes.
    case part(Range<Int>)
    /// No range begins within the content (416).
    case unsatisfiable

    /// Reads a field for a content of `count` bytes; several ranges are answered with the whole, as the RFC allows.
    public init(_ field: String?, of count: Int) {
        self = .whole
        guard let field, let equals = field.firstIndex(of: "="), field[..<equals].lowercased() == "bytes" else {
            return
        }
        let text = field[field.index(after: equals)...].filter { $0 != " " && $0 != "\t" }
        guard !text.contains(","), let dash = text.firstIndex(of: "-") else { return }
        let (first, last) = (text[..<dash], text[text.index(after: dash)...])
        // Digits only, since Int takes signs as well. A number that overflows counts as the largest one.
        guard (first + last).utf8.allSatisfy({ (48...57).contains($0) }) else { return }
        func number(_ digits: Substring) -> Int? { digits.isEmpty ? nil : Int(digits) ?? Int.max }
        switch (number(first), number(last)) {
        case (nil, nil): return
        case (nil, let suffix?): self = suffix > 0 && count > 0 ? .part(max(0, count - suffix)..<count) : .unsatisfiable
        case (let start?, let end):
            if let end, end < start { return }
            self = start < count ? .part(start..<min(end ?? .max, count - 1) + 1) : .unsatisfiable
        }
    }
}
