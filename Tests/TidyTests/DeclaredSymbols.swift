/// The names of public declarations in Swift files, in documentation style: `Fanfare.setUser(_:proof:)`.
///
/// A case is written without its values; operators and subscripts are left out.
struct DeclaredSymbols {
    private(set) var names: Set<String> = []
    private var tokens: [String] = []
    private var at = 0
    private var scopes: [Scope] = []
    private var isPublic = false

    /// The scope that a brace opened: a type, or anything else.
    private struct Scope {
        var type: String?
        /// `protocol` or `enum` of a public type, whose members or cases are public without a keyword.
        var keyword: String?
    }

    init(_ files: [SourceFile]) {
        for file in files { read(file) }
    }

    private mutating func read(_ file: SourceFile) {
        tokens = file.tokens
        (at, scopes, isPublic) = (0, [], false)
        var next = Scope()
        while at < tokens.count {
            let token = tokens[at]
            at += 1
            switch token {
            case "{":
                scopes.append(next)
                next = Scope()
                isPublic = false
            case "}":
                _ = scopes.popLast()
                isPublic = false
            case "public", "open": isPublic = true
            case "import": isPublic = false
            case "class", "struct", "enum", "protocol", "actor", "extension":
                guard let scope = type(token) else { continue }
                next = scope
            case "func", "init", "var", "let", "case", "typealias": member(token)
            default: continue
            }
        }
    }

    /// The type around the current position; nil within a function's body.
    private var surroundings: String? { scopes.isEmpty ? "" : scopes.last?.type }

    private func path(_ name: String) -> String? {
        surroundings.map { $0.isEmpty ? name : "\($0).\(name)" }
    }

    private mutating func type(_ keyword: String) -> Scope? {
        guard var name = word(), !["func", "var", "let"].contains(name) else { return nil }
        at += 1
        while at + 1 < tokens.count, tokens[at] == "." {
            name += ".\(tokens[at + 1])"
            at += 2
        }
        guard let path = path(name) else { return nil }
        defer { isPublic = false }
        if isPublic, keyword != "extension" { names.insert(path) }
        return Scope(type: path, keyword: isPublic ? keyword : nil)
    }

    private mutating func member(_ keyword: String) {
        defer { isPublic = false }
        let around = scopes.last?.keyword
        guard isPublic || around == "protocol" || around == "enum" && keyword == "case", surroundings != nil else {
            return
        }
        switch keyword {
        case "case": cases()
        case "init": add("init" + labels())
        case "func":
            guard let name = word() else { return }
            at += 1
            add(name + labels())
        default:
            guard let name = word() else { return }
            add(name)
        }
    }

    private mutating func add(_ name: String) {
        if let path = path(name) { names.insert(path) }
    }

    private mutating func cases() {
        while let name = word() {
            add(name)
            at += 1
            if at < tokens.count, tokens[at] == "(" { skipParentheses() }
            guard at < tokens.count else { return }
            if tokens[at] == "=" { at += 1 }
            guard at < tokens.count, tokens[at] == "," else { return }
            at += 1
        }
    }

    private mutating func skipParentheses() {
        var depth = 0
        repeat {
            if tokens[at] == "(" { depth += 1 }
            if tokens[at] == ")" { depth -= 1 }
            at += 1
        } while depth > 0 && at < tokens.count
    }

    /// Reads the argument labels in parentheses and moves behind them.
    private mutating func labels() -> String {
        while at < tokens.count, tokens[at] != "(" { at += 1 }
        var (labels, depth, isFirst) = ("", 0, true)
        while at < tokens.count {
            let token = tokens[at]
            at += 1
            switch token {
            case "(", "[", "<", "{": depth += 1
            case ")", "]", ">", "}":
                depth -= 1
                if depth == 0 { return "(\(labels))" }
            case "," where depth == 1: isFirst = true
            default:
                if isFirst, depth == 1 { labels += "\(token):" }
                isFirst = false
            }
        }
        return "(\(labels))"
    }

    private func word() -> String? {
        guard at < tokens.count, let first = tokens[at].utf8.first, PhraseSearch.isWord(first) else { return nil }
        return tokens[at]
    }
}
