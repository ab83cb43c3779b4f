/// A compiler for template sources; throws the first problem.
struct TemplateCompiler {
    private let source: [UInt8]
    private var scanner: TemplateScanner
    private var template = Template()
    private var open: [Branching] = []

    /// An open `{% if %}`.
    private struct Branching {
        /// Its offset in the source.
        var offset: Int
        /// The jump after the last branch's condition; nil after `{% else %}`.
        var pending: Int?
        /// The jumps at the ends of branches.
        var exits: [Int] = []
    }

    static func compile(_ source: [UInt8]) throws(TemplateProblem) -> Template {
        guard source.count <= Template.sourceBytesMax else {
            throw TemplateProblem(
                "the template has \(source.count) bytes, at most \(Template.sourceBytesMax) are allowed",
                in: source,
                at: 0
            )
        }
        var compiler = TemplateCompiler(source)
        try compiler.run()
        return compiler.template
    }

    private init(_ source: [UInt8]) {
        self.source = source
        scanner = TemplateScanner(source)
    }

    private mutating func run() throws(TemplateProblem) {
        while let piece = try scanner.next() {
            switch piece {
            case .text(let range): text(range)
            case .output(let range): try output(range)
            case .tag(let range): try tag(range)
            }
        }
        if let last = open.last { throw problem("{% if %} has no {% endif %}", at: last.offset) }
    }

    private func problem(_ detail: String, at offset: Int, fix: String? = nil) -> TemplateProblem {
        TemplateProblem(detail, in: source, at: offset, fix: fix)
    }

    private mutating func emit(_ instruction: TemplateInstruction) {
        template.instructions.append(instruction)
    }

    private mutating func text(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        emit(TemplateInstruction(operation: .text, left: constant(.text, source[range])))
    }

    private mutating func constant(
        _ kind: TemplateOperand.Kind,
        _ bytes: some Collection<UInt8>
    ) -> TemplateOperand {
        let (start, count) = template.literal(bytes)
        return TemplateOperand(kind: kind, start: start, count: count)
    }

    // MARK: - Outputs

    private mutating func output(_ range: Range<Int>) throws(TemplateProblem) {
        var tokens = try TemplateTokens(source, range)
        guard tokens.peek != nil else {
            throw problem("{{ }} is empty", at: range.lowerBound, fix: "name a variable, for example {{ first }}")
        }
        emit(TemplateInstruction(operation: .load, left: try operand(&tokens)))
        while tokens.take(mark: "|") { try filter(&tokens) }
        guard tokens.peek == nil else {
            throw tokens.problem("nothing can stand here", fix: "a filter follows |, its argument follows :")
        }
        emit(TemplateInstruction(operation: .write))
    }

    private mutating func filter(_ tokens: inout TemplateTokens) throws(TemplateProblem) {
        let location = tokens.offset
        guard case .name(let name)? = tokens.take()?.kind else {
            throw problem("a filter's name is missing after |", at: location)
        }
        guard let filter = TemplateFilter.byName[name] else {
            let near = Spelling.nearest(to: name, among: TemplateFilter.allCases.map(\.name))
            throw problem(
                "there is no filter \(name.clipped)",
                at: location,
                fix: near.map { "did you mean \($0)?" }
                    ?? "the filters are \(TemplateFilter.allCases.map(\.name).joined(separator: ", "))"
            )
        }
        var arguments: [TemplateOperand] = []
        if tokens.take(mark: ":") {
            repeat {
                let argument = tokens.offset
                if filter == .date { try checkFormat(tokens.peek, at: argument) }
                arguments.append(try operand(&tokens))
            } while tokens.take(mark: ",")
        }
        guard filter.arguments.contains(arguments.count) else {
            throw problem(
                "the filter \(name) has \(arguments.count) arguments",
                at: location,
                fix: "write it like {{ name | \(filter.example) }}"
            )
        }
        var instruction = TemplateInstruction(operation: .filter, detail: filter.rawValue)
        if let first = arguments.first { instruction.left = first }
        if arguments.count > 1 { instruction.right = arguments[1] }
        emit(instruction)
    }

    private func checkFormat(_ token: TemplateToken.Kind?, at offset: Int) throws(TemplateProblem) {
        guard case .text(let format)? = token else {
            throw problem(
                "a date's format is a text in quotation marks",
                at: offset,
                fix: "write it like date: \"%d.%m.%Y\""
            )
        }
        if let wrong = TemplateDate.unknownDirective(in: format) {
            throw problem(
                "%\(wrong) is not a date directive",
                at: offset,
                fix: "known are %Y %y %m %d %e %j %H %I %k %l %M %S %L %p %P %A %a %B %b %u %w %Z %z %s %F %T %D %R %%"
            )
        }
    }

    private mutating func operand(_ tokens: inout TemplateTokens) throws(TemplateProblem) -> TemplateOperand {
        let location = tokens.offset
        guard let token = tokens.take() else {
            throw problem("a value is missing", at: location, fix: "name a variable, or write a text or a number")
        }
        switch token.kind {
        case .text(let bytes): return constant(.text, bytes)
        case .number(let bytes): return constant(.number, bytes)
        case .name("true"): return TemplateOperand(kind: .yes)
        case .name("false"): return TemplateOperand(kind: .no)
        case .name("nil"), .name("null"), .name("blank"), .name("empty"): return TemplateOperand()
        case .name(let name): return TemplateOperand(kind: .variable, start: template.variable(name))
        case .mark(let mark):
            throw problem("a value is missing before \(mark)", at: location, fix: "name a variable")
        }
    }

    // MARK: - Tags

    private mutating func tag(_ range: Range<Int>) throws(TemplateProblem) {
        let word = TemplateScanner.word(source, range)
        let location = source[range].firstIndex { !TemplateScanner.isSpace($0) } ?? range.lowerBound
        let rest = min(location + word.utf8.count, range.upperBound)..<range.upperBound
        switch word {
        case "if": try begin(rest, at: location)
        case "elsif": try branch(rest, at: location)
        case "else":
            try checkEmpty(rest, word)
            try close("else", at: location)
        case "endif":
            try checkEmpty(rest, word)
            try end(at: location)
        case "abort": try abort(rest)
        case "comment": try comment(at: location)
        case "raw": try raw(at: location)
        case _ where word.hasPrefix("#"): break
        default: throw unknownTag(word, at: location)
        }
    }

    private func checkEmpty(_ range: Range<Int>, _ word: String) throws(TemplateProblem) {
        guard let first = source[range].firstIndex(where: { !TemplateScanner.isSpace($0) }) else { return }
        let fix = word == "else" ? "a further condition is {% elsif … %}" : nil
        throw problem("nothing may follow \(word)", at: first, fix: fix)
    }

    private static let tags = ["if", "elsif", "else", "endif", "abort", "comment", "raw"]
    private static let otherTags: Set<String> = [
        "for", "endfor", "break", "continue", "tablerow", "cycle", "increment", "decrement", "assign", "capture",
        "include", "render", "layout", "section", "case", "when", "unless", "endunless", "liquid", "echo",
        "connected_content", "catalog_items",
    ]

    private func unknownTag(_ word: String, at offset: Int) -> TemplateProblem {
        if word.isEmpty { return problem("{% %} is empty", at: offset) }
        if Self.otherTags.contains(word) {
            let fix =
                ["unless", "endunless", "case", "when"].contains(word)
                ? "write it with {% if %} and !=" : "there are no loops, assignments or includes"
            return problem("the tag \(word) of Liquid is not in Fanfare's templates", at: offset, fix: fix)
        }
        if word.hasPrefix("abort") {
            return problem("there is no tag \(word.clipped)", at: offset, fix: "write {% abort \"reason\" %}")
        }
        let near = Spelling.nearest(to: word, among: Self.tags)
        return problem(
            "there is no tag \(word.clipped)",
            at: offset,
            fix: near.map { "did you mean \($0)?" } ?? "the tags are \(Self.tags.joined(separator: ", "))"
        )
    }

    private mutating func begin(_ range: Range<Int>, at offset: Int) throws(TemplateProblem) {
        guard open.count < Template.depthMax else {
            throw problem("{% if %} within more than \(Template.depthMax) others", at: offset)
        }
        open.append(Branching(offset: offset, pending: try condition(range, at: offset)))
    }

    private mutating func branch(_ range: Range<Int>, at offset: Int) throws(TemplateProblem) {
        try close("elsif", at: offset)
        let jump = try condition(range, at: offset)
        open[open.count - 1].pending = jump
    }

    /// Ends the branch before `elsif` or `else`, whose condition then jumps here.
    private mutating func close(_ word: String, at offset: Int) throws(TemplateProblem) {
        guard var last = open.popLast() else { throw problem("\(word) without {% if %}", at: offset) }
        guard let pending = last.pending else { throw problem("\(word) after {% else %}", at: offset) }
        last.exits.append(template.instructions.count)
        emit(TemplateInstruction(operation: .jump))
        template.instructions[pending].target = Int32(template.instructions.count)
        last.pending = nil
        open.append(last)
    }

    private mutating func end(at offset: Int) throws(TemplateProblem) {
        guard let last = open.popLast() else { throw problem("endif without {% if %}", at: offset) }
        for jump in last.exits + [last.pending].compactMap(\.self) {
            template.instructions[jump].target = Int32(template.instructions.count)
        }
    }

    /// Compiles a condition and the jump over its branch; returns the jump.
    ///
    /// As in Liquid, `and` and `or` have equal precedence and associate to the right: `a or b and c` is `a or (b and
    /// c)`, `a and b or c` is `a and (b or c)`.
    private mutating func condition(_ range: Range<Int>, at offset: Int) throws(TemplateProblem) -> Int {
        var tokens = try TemplateTokens(source, range)
        guard tokens.peek != nil else {
            throw problem("the condition is missing", at: offset, fix: "write it like {% if points > 100 %}")
        }
        var comparisons = [try comparison(&tokens)]
        var links: [TemplateInstruction.Operation] = []
        while true {
            if tokens.take(name: "and") {
                links.append(.and)
            } else if tokens.take(name: "or") {
                links.append(.or)
            } else {
                break
            }
            comparisons.append(try comparison(&tokens))
        }
        guard tokens.peek == nil else {
            let isFilter = tokens.peek == .mark("|")
            throw tokens.problem(
                isFilter ? "a condition has no filters" : "nothing can stand here",
                fix: isFilter ? "compare the variable itself" : "conditions are linked by and, or"
            )
        }
        for (index, comparison) in comparisons.enumerated().reversed() {
            var instruction = comparison
            instruction.operation = index < links.count ? links[index] : .compare
            emit(instruction)
        }
        emit(TemplateInstruction(operation: .jumpUnless))
        return template.instructions.count - 1
    }

    private static let comparisons: [String: TemplateComparison] = [
        "==": .equal, "!=": .notEqual, "<": .less, "<=": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual,
    ]

    private mutating func comparison(_ tokens: inout TemplateTokens) throws(TemplateProblem) -> TemplateInstruction {
        var instruction = TemplateInstruction(operation: .compare, left: try operand(&tokens))
        if tokens.take(name: "contains") {
            instruction.detail = TemplateComparison.contains.rawValue
            instruction.right = try operand(&tokens)
        } else if case .mark(let mark)? = tokens.peek, let comparison = Self.comparisons[mark] {
            _ = tokens.take()
            instruction.detail = comparison.rawValue
            instruction.right = try operand(&tokens)
        }
        return instruction
    }

    /// The maximum length of an abort's reason, in bytes: the ledger stores it, and the campaign's status shows it.
    private static let reasonBytesMax = 80

    private mutating func abort(_ range: Range<Int>) throws(TemplateProblem) {
        var tokens = try TemplateTokens(source, range)
        var reason = ""
        let location = tokens.offset
        if let token = tokens.take() {
            guard case .text(let bytes) = token.kind else {
                throw problem(
                    "the reason of abort is a text in quotation marks",
                    at: location,
                    fix: "write {% abort \"reason\" %}"
                )
            }
            reason = String(decoding: bytes, as: UTF8.self)
            guard bytes.count <= Self.reasonBytesMax, bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw problem(
                    "the reason of abort is over \(Self.reasonBytesMax) bytes, or has control characters",
                    at: location
                )
            }
        }
        guard tokens.peek == nil else { throw tokens.problem("nothing may follow abort's reason") }
        emit(TemplateInstruction(operation: .abort, target: template.reason(reason)))
    }

    private mutating func comment(at offset: Int) throws(TemplateProblem) {
        guard scanner.skip(to: "endcomment") != nil else {
            throw problem("{% comment %} has no {% endcomment %}", at: offset)
        }
    }

    private mutating func raw(at offset: Int) throws(TemplateProblem) {
        guard let range = scanner.skip(to: "endraw") else {
            throw problem("{% raw %} has no {% endraw %}", at: offset)
        }
        text(range)
    }
}
