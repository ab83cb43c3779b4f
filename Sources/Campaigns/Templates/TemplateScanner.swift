/// Splits a template's source into texts, outputs and tags; omits white space that `{{-` or `-}}` removes.
struct TemplateScanner {
    enum Piece {
        /// Text to be written unchanged.
        case text(Range<Int>)
        /// The inside of `{{` and `}}`.
        case output(Range<Int>)
        /// The inside of `{%` and `%}`.
        case tag(Range<Int>)
    }

    let source: [UInt8]
    private var offset = 0
    private var isTrimming = false
    /// The piece found together with the text before it.
    private var waiting: Piece?

    init(_ source: [UInt8]) { self.source = source }

    /// Returns the next piece; nil at the end.
    mutating func next() throws(TemplateProblem) -> Piece? {
        if let piece = waiting {
            waiting = nil
            return piece
        }
        guard offset < source.count else { return nil }
        let start = offset
        let opening = opening(from: start)
        var text = (isTrimming ? skipSpace(from: start) : start)..<(opening ?? source.count)
        if text.lowerBound > text.upperBound { text = text.upperBound..<text.upperBound }
        isTrimming = false
        guard let opening else {
            offset = source.count
            return .text(text)
        }
        if opening + 2 < source.count, source[opening + 2] == UInt8(ascii: "-") {
            while !text.isEmpty, Self.isSpace(source[text.upperBound - 1]) {
                text = text.lowerBound..<text.upperBound - 1
            }
        }
        let piece = try markup(at: opening)
        if text.isEmpty { return piece }
        waiting = piece
        return .text(text)
    }

    /// Returns the source up to a tag of that name as text and skips the tag; nil if there is none.
    mutating func skip(to name: String) -> Range<Int>? {
        let start = isTrimming ? skipSpace(from: offset) : offset
        var position = offset
        while let opening = opening(from: position) {
            position = opening + 2
            guard source[opening + 1] == UInt8(ascii: "%"), let end = closing(from: position, "%"),
                Self.word(source, Self.inside(source, position..<end)) == name
            else { continue }
            offset = end + 2
            isTrimming = source[end - 1] == UInt8(ascii: "-")
            return min(start, opening)..<opening
        }
        return nil
    }

    /// Returns the offset of the next `{{` or `{%`.
    private func opening(from start: Int) -> Int? {
        var position = start
        while position + 1 < source.count {
            if source[position] == UInt8(ascii: "{"),
                source[position + 1] == UInt8(ascii: "{") || source[position + 1] == UInt8(ascii: "%")
            {
                return position
            }
            position += 1
        }
        return nil
    }

    /// Returns the offset of the next `}}` or `%}` outside of quotation marks.
    private func closing(from start: Int, _ mark: Unicode.Scalar) -> Int? {
        var quote: UInt8?
        var position = start
        while position < source.count {
            let byte = source[position]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: mark), position + 1 < source.count,
                source[position + 1] == UInt8(ascii: "}")
            {
                return position
            }
            position += 1
        }
        return nil
    }

    private mutating func markup(at opening: Int) throws(TemplateProblem) -> Piece {
        let isTag = source[opening + 1] == UInt8(ascii: "%")
        guard let end = closing(from: opening + 2, isTag ? "%" : "}") else {
            let (open, close) = isTag ? ("{%", "%}") : ("{{", "}}")
            throw TemplateProblem(
                "\(open) has no \(close)",
                in: source,
                at: opening,
                fix: "write \(close) after it; an unclosed quotation mark hides it"
            )
        }
        offset = end + 2
        isTrimming = end > opening + 2 && source[end - 1] == UInt8(ascii: "-")
        let inside = Self.inside(source, opening + 2..<end)
        return isTag ? .tag(inside) : .output(inside)
    }

    /// Returns the range without the marks of white space control.
    private static func inside(_ source: [UInt8], _ range: Range<Int>) -> Range<Int> {
        var range = range
        if let first = range.first, source[first] == UInt8(ascii: "-") { range = first + 1..<range.upperBound }
        if let last = range.last, source[last] == UInt8(ascii: "-") { range = range.lowerBound..<last }
        return range
    }

    private func skipSpace(from start: Int) -> Int {
        var position = start
        while position < source.count, Self.isSpace(source[position]) { position += 1 }
        return position
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }

    static func word(_ source: [UInt8], _ range: Range<Int>) -> String {
        let rest = source[range].drop(while: isSpace)
        return String(decoding: rest.prefix { !isSpace($0) && $0 != UInt8(ascii: "(") }, as: UTF8.self)
    }
}
