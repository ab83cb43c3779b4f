struct TemplateToken: Equatable {
    enum Kind: Equatable {
        /// A variable, a filter, or one of the words `and`, `or`, `contains`, `true`, `false`, `nil`, `blank`, `empty`.
        case name(String)
        /// A text, without its quotation marks.
        case text([UInt8])
        /// A number, as written.
        case number([UInt8])
        /// `|`, `:`, `,`, `==`, `!=`, `<`, `>`, `<=`, `>=`.
        case mark(String)
    }

    var kind: Kind
    /// The offset at which it begins in the source.
    var offset: Int
}

struct TemplateTokens {
    let source: [UInt8]
    private let end: Int
    private var tokens: [TemplateToken] = []
    private var position = 0

    /// Splits a range of the source into tokens.
    init(_ source: [UInt8], _ range: Range<Int>) throws(TemplateProblem) {
        self.source = source
        end = range.upperBound
        var offset = range.lowerBound
        while offset < end {
            if TemplateScanner.isSpace(source[offset]) {
                offset += 1
                continue
            }
            let (kind, next) = try read(at: offset)
            tokens.append(TemplateToken(kind: kind, offset: offset))
            offset = next
        }
    }

    /// The offset of the next token; the end of the expression if there is none.
    var offset: Int { position < tokens.count ? tokens[position].offset : end }

    var peek: TemplateToken.Kind? { position < tokens.count ? tokens[position].kind : nil }

    mutating func take() -> TemplateToken? {
        guard position < tokens.count else { return nil }
        position += 1
        return tokens[position - 1]
    }

    /// Takes the next token if it is this mark.
    mutating func take(mark: String) -> Bool {
        guard peek == .mark(mark) else { return false }
        position += 1
        return true
    }

    /// Takes the next token if it is this name.
    mutating func take(name: String) -> Bool {
        guard peek == .name(name) else { return false }
        position += 1
        return true
    }

    /// Creates a problem at the next token.
    func problem(_ detail: String, fix: String? = nil) -> TemplateProblem {
        TemplateProblem(detail, in: source, at: offset, fix: fix)
    }

    private func read(at start: Int) throws(TemplateProblem) -> (TemplateToken.Kind, Int) {
        let byte = source[start]
        if Self.isNameStart(byte) { return name(at: start) }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
            guard let close = source[start + 1..<end].firstIndex(of: byte) else {
                throw TemplateProblem("the quotation mark is not closed", in: source, at: start)
            }
            return (.text(Array(source[start + 1..<close])), close + 1)
        }
        if Self.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") { return try number(at: start) }
        let pair = start + 1 < end ? String(decoding: source[start...start + 1], as: UTF8.self) : ""
        if ["==", "!=", "<=", ">="].contains(pair) { return (.mark(pair), start + 2) }
        if pair == "<>" { return (.mark("!="), start + 2) }
        let mark = String(decoding: [byte], as: UTF8.self)
        if ["|", ":", ",", "<", ">"].contains(mark) { return (.mark(mark), start + 1) }
        throw refusal(mark, at: start)
    }

    private func refusal(_ mark: String, at start: Int) -> TemplateProblem {
        switch mark {
        case "=": TemplateProblem("= is not a comparison", in: source, at: start, fix: "write ==")
        case "(", ")":
            TemplateProblem(
                "there are no parentheses",
                in: source,
                at: start,
                fix: "put one {% if %} into another"
            )
        case "[", "]":
            TemplateProblem("there are no lists", in: source, at: start, fix: "give each value a variable of its own")
        case "&", "!":
            TemplateProblem("\(mark) means nothing here", in: source, at: start, fix: "write and, or, ==, !=")
        default:
            TemplateProblem(
                source[start] < 0x80 ? "\(mark.clipped) means nothing here" : "a character that means nothing here",
                in: source,
                at: start,
                fix: "a text stands in quotation marks, \"like this\""
            )
        }
    }

    private func name(at start: Int) -> (TemplateToken.Kind, Int) {
        var position = start + 1
        while position < end, Self.isNamePart(source[position]) { position += 1 }
        return (.name(String(decoding: source[start..<position], as: UTF8.self)), position)
    }

    private func number(at start: Int) throws(TemplateProblem) -> (TemplateToken.Kind, Int) {
        var position = start + 1
        while position < end, Self.isDigit(source[position]) || source[position] == UInt8(ascii: ".") { position += 1 }
        let digits = Array(source[start..<position])
        guard digits.withUnsafeBytes({ TemplateNumber($0) }) != nil else {
            throw TemplateProblem(
                "\(String(decoding: digits, as: UTF8.self).clipped) is not a number",
                in: source,
                at: start,
                fix: "write digits with one point, for example -2.5"
            )
        }
        return (.number(digits), position)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    private static func isNameStart(_ byte: UInt8) -> Bool {
        (65...90).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "_")
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        isNameStart(byte) || isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
}
