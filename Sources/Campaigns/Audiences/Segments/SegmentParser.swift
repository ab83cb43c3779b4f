/// A recursive descent parser for expressions, with bounded nesting and size.
struct SegmentParser {
    private(set) var warnings: [SegmentProblem] = []
    private(set) var scanner: SegmentScanner
    private(set) var token: SegmentScanner.Token
    /// The offset at which `token` begins.
    private var offset: Int
    /// The number of questions about other campaigns.
    var questions = 0
    private var terms = 0
    private var depth = 0

    init(_ text: String) throws(SegmentProblem) {
        guard text.utf8.count <= Segment.bytesMax else {
            let detail = "the expression has \(text.utf8.count) bytes, at most \(Segment.bytesMax) are allowed"
            throw SegmentProblem(code: .length, column: 1, detail: detail, fix: "put the devices into a list")
        }
        guard StreamSafeText.holds(text) else {
            throw SegmentProblem(code: .encoding, column: 1, detail: "more than 30 combining marks in a row")
        }
        scanner = SegmentScanner(text)
        token = try scanner.next()
        offset = scanner.start
        if token == .end {
            let fix = "say who is meant, for example sport, or give everyone: true"
            throw SegmentProblem(code: .empty, column: 1, detail: "the expression is empty", fix: fix)
        }
    }

    /// Parses the whole text.
    mutating func expression() throws(SegmentProblem) -> SegmentNode {
        let node = try any()
        switch token {
        case .end: return node
        case .close: throw problem("a closing parenthesis without an opening one")
        default: throw problem("\(token.name) follows without && or ||", fix: connective())
        }
    }

    private func connective() -> String {
        if case .word(let word) = token, let sign = SegmentWord.connectives[word.lowercased()] {
            return "write \(sign) for \(word.lowercased())"
        }
        if case .comparison = token { return "compare one thing at a time" }
        return "write && for and, || for or"
    }

    func problem(_ detail: String, fix: String? = nil) -> SegmentProblem {
        scanner.problem(detail, at: offset, fix: fix)
    }

    mutating func advance() throws(SegmentProblem) {
        token = try scanner.next()
        offset = scanner.start
    }

    private mutating func any() throws(SegmentProblem) -> SegmentNode {
        var parts = [try all()]
        while token == .or {
            try advance()
            parts.append(try all())
        }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func all() throws(SegmentProblem) -> SegmentNode {
        var parts = [try unary()]
        while token == .and {
            try advance()
            parts.append(try unary())
        }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func unary() throws(SegmentProblem) -> SegmentNode {
        switch token {
        case .not, .open:
            depth += 1
            guard depth <= Segment.depthMax else {
                throw SegmentProblem(
                    code: .tooDeep,
                    column: scanner.column(offset),
                    detail: "more than \(Segment.depthMax) parentheses and negations within each other"
                )
            }
            defer { depth -= 1 }
            let (isNegation, opening) = (token == .not, offset)
            try advance()
            if isNegation { return .not(try unary()) }
            let inner = try any()
            guard token == .close else {
                if token == .end { throw scanner.problem("a parenthesis that is not closed", at: opening) }
                throw problem("\(token.name) follows without && or ||", fix: connective())
            }
            try advance()
            return inner
        case .word(let word):
            if let sign = SegmentWord.connectives[word.lowercased()] {
                throw problem("\(word.clipped) is not a tag", fix: "write \(sign), or put the tag into quotes")
            }
            return try term(word, isQuoted: false)
        case .quoted(let text): return try term(text, isQuoted: true)
        case .end: throw problem("the expression ends where a tag or a comparison must stand")
        default: throw problem("\(token.name) stands where a tag or a comparison must stand")
        }
    }

    private mutating func term(_ name: String, isQuoted: Bool) throws(SegmentProblem) -> SegmentNode {
        terms += 1
        let begin = offset
        guard terms <= Segment.termsMax else {
            throw SegmentProblem(
                code: .tooMany,
                column: scanner.column(offset),
                detail: "more than \(Segment.termsMax) tags and comparisons",
                fix: "put the devices into a list"
            )
        }
        try advance()
        if token == .open, !isQuoted, TrackedQuestion.words.contains(name) { return try tracked(name, at: begin) }
        guard case .comparison(let comparison) = token else {
            if !isQuoted, SegmentWord.fields.contains(name) {
                throw scanner.problem("\(name) needs a comparison", at: begin, fix: "for example \(example(name))")
            }
            return .term(.tag(try tag(name, at: begin)))
        }
        try advance()
        let value: (text: String, isQuoted: Bool)
        switch token {
        case .word(let word): value = (word, false)
        case .quoted(let text): value = (text, true)
        default: throw problem("\(token.name) stands where a value must stand", fix: "texts may stand in quotes")
        }
        let node = try compared(name, isQuoted: isQuoted, comparison, value, at: begin)
        try advance()
        return node
    }

    private func tag(_ name: String, at begin: Int) throws(SegmentProblem) -> String {
        guard name.utf8.count <= DeviceTraits.tagBytesMax else {
            throw scanner.problem("a tag of more than \(DeviceTraits.tagBytesMax) bytes", at: begin)
        }
        return name
    }

    private func example(_ field: String) -> String {
        switch field {
        case "app_version": "app_version >= 3.2"
        case "locale": "locale == es"
        case "time_zone": "time_zone == Europe/Madrid"
        case "environment": "environment == sandbox"
        case "permission": "permission == authorized"
        case "registered_at": "registered_at >= \"2026-11-20T00:00:00Z\""
        case "platform": "platform == ios"
        default: "provider == apns"
        }
    }
}

extension SegmentParser {
    private mutating func compared(
        _ name: String,
        isQuoted: Bool,
        _ comparison: SegmentComparison,
        _ value: (text: String, isQuoted: Bool),
        at begin: Int
    ) throws(SegmentProblem) -> SegmentNode {
        let isNegated = comparison == .notEqual
        let positive = isNegated ? .equal : comparison
        let term: SegmentTerm
        if !isQuoted, SegmentWord.fields.contains(name) {
            term = try field(name, positive, value.text)
        } else {
            term = try attribute(name, isQuoted: isQuoted, positive, value, at: begin)
        }
        return isNegated ? .not(.term(term)) : .term(term)
    }

    private func field(
        _ name: String,
        _ comparison: SegmentComparison,
        _ value: String
    ) throws(SegmentProblem) -> SegmentTerm {
        switch name {
        case "app_version":
            guard VersionOrder.isVersion(value.utf8) else {
                throw problem("\(value.clipped) is not a version", fix: "write it like 3.2 or 3.2.1")
            }
            return .appVersion(comparison, VersionOrder.canonical(value))
        case "registered_at":
            guard let instant = try? Timestamp(rfc3339: value) else {
                throw problem("\(value.clipped) is not an instant", fix: "write it like \"2026-11-20T00:00:00Z\"")
            }
            return .registeredAt(comparison, instant)
        default: break
        }
        guard comparison == .equal else {
            throw problem("\(name) compares with == and != only", fix: "for example \(example(name))")
        }
        switch name {
        case "locale":
            guard DeviceRule.isLocale(value) else {
                throw problem("\(value.clipped) is not a BCP 47 tag", fix: "write it like es or es-ES")
            }
            return .locale(value.lowercased())
        case "time_zone":
            guard DeviceRule.isTimeZone(value) else {
                throw problem("\(value.clipped) is not an IANA name", fix: "write it like Europe/Madrid")
            }
            return .group(.timeZone, value)
        case "environment":
            return .group(.environment, try choice(value, PushEnvironment.apple.map(\.rawValue)))
        case "permission":
            let word = try choice(value, PushPermission.allCases.map(\.rawValue))
            return .permission(PushPermission(rawValue: word) ?? .unknown)
        default:
            // The language does not know the set of providers: an unknown name matches no device.
            guard ProviderName.isName(value) else {
                throw problem("\(value.clipped) is not a provider", fix: "for example \(example(name))")
            }
            return .group(.provider, ProviderName.ofPlatform[value] ?? value)
        }
    }

    private func choice(_ value: String, _ words: [String]) throws(SegmentProblem) -> String {
        if words.contains(value) { return value }
        let near = Spelling.nearest(to: value, among: words).map { "did you mean \($0)?" }
        throw problem("\(value.clipped) is none of \(words.joined(separator: ", "))", fix: near)
    }

    private mutating func attribute(
        _ given: String,
        isQuoted: Bool,
        _ comparison: SegmentComparison,
        _ value: (text: String, isQuoted: Bool),
        at begin: Int
    ) throws(SegmentProblem) -> SegmentTerm {
        let prefix = SegmentWord.attributePrefix
        let isPrefixed = !isQuoted && given.hasPrefix(prefix) && given.utf8.count > prefix.utf8.count
        let name = isPrefixed ? String(given.dropFirst(prefix.count)) : given
        guard name.utf8.count <= DeviceTraits.attributeNameBytesMax else {
            throw scanner.problem("the name of an attribute has more than 128 bytes", at: begin)
        }
        if !isQuoted, !isPrefixed, let near = Spelling.nearest(to: name, among: SegmentWord.fields) {
            warnings.append(
                SegmentProblem(
                    code: .unusual,
                    column: scanner.column(begin),
                    detail: "\(name.clipped) is taken as an attribute",
                    fix: "did you mean \(near)?"
                )
            )
        }
        let literal = literal(value)
        if case .bool = literal, comparison != .equal {
            throw problem("\(value.text) compares with == and != only")
        }
        return .attribute(name, comparison, literal)
    }

    private func literal(_ value: (text: String, isQuoted: Bool)) -> SegmentLiteral {
        if value.isQuoted { return .text(value.text) }
        if value.text == "true" || value.text == "false" { return .bool(value.text == "true") }
        let number = JSONNumber(text: value.text)
        // A number with an exponent out of range is compared as text.
        if JSONNumber.isNumber(value.text.utf8) {
            return number.compare(number) == nil ? .text(value.text) : .number(number.normalized)
        }
        let isVersion = value.text.utf8.first.map { (48...57).contains($0) } ?? false
        let dots = value.text.utf8.count { $0 == UInt8(ascii: ".") }
        if isVersion, dots >= 2, VersionOrder.isVersion(value.text.utf8) {
            return .version(VersionOrder.canonical(value.text, numbersMin: 3))
        }
        return .text(value.text)
    }
}
