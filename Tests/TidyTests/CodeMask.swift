/// Blanks out comments, string literals and quoted identifiers in Swift source, keeping every line in place.
///
/// A rule that looks for a call must not match the same words in a comment or in a message.
struct CodeMask {
    private let source: [UInt8]
    private var masked: [UInt8]
    private var position = 0

    private init(_ source: [UInt8]) {
        self.source = source
        masked = source
    }

    /// Returns the same number of bytes and lines, with spaces for everything that is not code.
    static func blank(_ source: [UInt8]) -> [UInt8] {
        var mask = CodeMask(source)
        mask.code(untilParenthesis: false)
        return mask.masked
    }

    private func peek(_ distance: Int = 0) -> UInt8 {
        position + distance < source.count ? source[position + distance] : 0
    }

    private mutating func skip(_ count: Int = 1) {
        for _ in 0..<count where position < source.count {
            if source[position] != UInt8(ascii: "\n") { masked[position] = UInt8(ascii: " ") }
            position += 1
        }
    }

    /// Scans code; with `untilParenthesis`, up to the one that ends a string's interpolation.
    private mutating func code(untilParenthesis: Bool) {
        var depth = 0
        while position < source.count {
            switch peek() {
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"): lineComment()
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"): blockComment()
            case UInt8(ascii: "\""): string(pounds: 0)
            case UInt8(ascii: "#") where poundsBeforeQuote() > 0: string(pounds: poundsBeforeQuote())
            case UInt8(ascii: "`"): quotedIdentifier()
            case UInt8(ascii: "(") where untilParenthesis:
                depth += 1
                position += 1
            case UInt8(ascii: ")") where untilParenthesis && depth == 0: return
            case UInt8(ascii: ")") where untilParenthesis:
                depth -= 1
                position += 1
            default: position += 1
            }
        }
    }

    private mutating func lineComment() {
        while position < source.count, peek() != UInt8(ascii: "\n") { skip() }
    }

    private mutating func blockComment() {
        var depth = 0
        repeat {
            if peek() == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                depth += 1
                skip(2)
            } else if peek() == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                depth -= 1
                skip(2)
            } else {
                skip()
            }
        } while depth > 0 && position < source.count
    }

    private mutating func quotedIdentifier() {
        skip()
        while position < source.count, peek() != UInt8(ascii: "`"), peek() != UInt8(ascii: "\n") { skip() }
        if peek() == UInt8(ascii: "`") { skip() }
    }

    private func poundsBeforeQuote() -> Int {
        var count = 0
        while peek(count) == UInt8(ascii: "#") { count += 1 }
        return peek(count) == UInt8(ascii: "\"") ? count : 0
    }

    private mutating func string(pounds: Int) {
        skip(pounds)
        let multiline = peek(1) == UInt8(ascii: "\"") && peek(2) == UInt8(ascii: "\"")
        skip(multiline ? 3 : 1)
        while position < source.count {
            if peek() == UInt8(ascii: "\n"), !multiline { return }
            if peek() == UInt8(ascii: "\\"), followed(by: pounds, at: 1) {
                skip(1 + pounds)
                if peek() == UInt8(ascii: "(") {
                    skip()
                    code(untilParenthesis: true)
                }
                skip()
            } else if closes(multiline: multiline, pounds: pounds) {
                skip((multiline ? 3 : 1) + pounds)
                return
            } else {
                skip()
            }
        }
    }

    private func closes(multiline: Bool, pounds: Int) -> Bool {
        let quotes = multiline ? 3 : 1
        return (0..<quotes).allSatisfy { peek($0) == UInt8(ascii: "\"") } && followed(by: pounds, at: quotes)
    }

    private func followed(by pounds: Int, at distance: Int) -> Bool {
        (0..<pounds).allSatisfy { peek(distance + $0) == UInt8(ascii: "#") }
    }
}
