/// The types that the files of one target declare, and each mention of one in another file.
///
/// It reads names, not meanings: a member that is used without its type's name is no mention. A name is looked up from
/// the inside out, as the compiler does it.
struct TypeMentions {
    /// A file that names a type of another file.
    struct Mention: Hashable, Comparable, Sendable {
        let file: String
        let type: String
        /// The file that declares the type.
        let declared: String

        static func < (left: Mention, right: Mention) -> Bool {
            (left.file, left.type, left.declared) < (right.file, right.type, right.declared)
        }
    }

    private(set) var mentions: Set<Mention> = []
    private var declarations: [String: [Declaration]] = [:]
    private let target: String

    private struct Declaration {
        let file: String
        /// True if no other file sees it.
        let isPrivate: Bool
    }

    init(target: String, files: [SourceFile]) {
        self.target = target
        let tokens = files.map { ($0.path, $0.tokens) }
        for (path, tokens) in tokens {
            TypeScopes.walk(tokens) { at, scope in declare(at, in: scope, tokens: tokens, path: path) }
        }
        for (path, tokens) in tokens {
            TypeScopes.walk(tokens) { at, scope in mention(at, in: scope, tokens: tokens, path: path) }
        }
    }

    private mutating func declare(_ at: Int, in scope: TypeScopes, tokens: [String], path: String) {
        guard at > 0, Self.keywords.contains(tokens[at - 1]), let outer = scope.path else { return }
        let words = tokens[max(0, at - 8)..<at].reversed().prefix { !["{", "}", ";"].contains($0) }
        let isPrivate = outer.isEmpty && words.contains { ["private", "fileprivate"].contains($0) }
        let name = outer.isEmpty ? tokens[at] : "\(outer).\(tokens[at])"
        declarations[name, default: []].append(Declaration(file: path, isPrivate: isPrivate))
    }

    private static let keywords: Set<String> = ["struct", "class", "enum", "protocol", "actor", "typealias"]

    private mutating func mention(_ at: Int, in scope: TypeScopes, tokens: [String], path: String) {
        if at > 1, tokens[at - 1] == ".", tokens[at - 2] != target, tokens[at - 2] != "Self" { return }
        guard var name = resolve(tokens[at], in: scope.around, path: path) else { return }
        note(name, path: path)
        var at = at
        while at + 2 < tokens.count, tokens[at + 1] == ".", declarations["\(name).\(tokens[at + 2])"] != nil {
            at += 2
            name += ".\(tokens[at])"
            note(name, path: path)
        }
    }

    /// Returns the full name of the type that a word means within a type.
    private func resolve(_ word: String, in scope: String, path: String) -> String? {
        var scope = scope[...]
        while !scope.isEmpty {
            if declarations["\(scope).\(word)"] != nil { return "\(scope).\(word)" }
            scope = scope.lastIndex(of: ".").map { scope[..<$0] } ?? ""
        }
        return declarations[word] == nil ? nil : word
    }

    private mutating func note(_ name: String, path: String) {
        guard let known = declarations[name], !known.contains(where: { $0.file == path }) else { return }
        for declaration in known where !declaration.isPrivate {
            mentions.insert(Mention(file: path, type: name, declared: declaration.file))
        }
    }
}

/// The types around a position in code.
struct TypeScopes {
    private var scopes: [String?] = []
    private var next: String?

    /// The full name of the type whose member stands here; empty at a file's top, nil within a body.
    var path: String? { scopes.isEmpty ? "" : scopes.last.flatMap { $0 } }

    /// The full name of the innermost type around this position.
    var around: String { scopes.last { $0 != nil }.flatMap { $0 } ?? "" }

    /// Calls a function for each word that begins with a capital.
    static func walk(_ tokens: [String], _ body: (Int, TypeScopes) -> Void) {
        var scope = TypeScopes()
        for at in tokens.indices {
            switch tokens[at] {
            case "{":
                scope.scopes.append(scope.next)
                scope.next = nil
            case "}": _ = scope.scopes.popLast()
            case "struct", "class", "enum", "protocol", "actor", "extension": scope.open(tokens[(at + 1)...])
            case let word where word.utf8.first.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } == true:
                body(at, scope)
            default: break
            }
        }
    }

    private mutating func open(_ tokens: ArraySlice<String>) {
        guard let first = tokens.first, let outer = path, first.first?.isUppercase == true else { return }
        var name = first
        var rest = tokens.dropFirst()
        while rest.count > 1, rest.first == "." {
            name += ".\(rest[rest.startIndex + 1])"
            rest = rest.dropFirst(2)
        }
        next = outer.isEmpty ? name : "\(outer).\(name)"
    }
}
