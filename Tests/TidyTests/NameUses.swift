/// The declarations of Swift files, and the names that each file uses.
///
/// A name is used where it stands and is not declared there. Names are compared, not symbols: a second declaration of
/// the same name hides that the first is unused.
struct NameUses {
    /// A declaration: a type, a function, a property, a case or an alias.
    struct Declaration {
        let path: String
        /// The line of its name, counted from 1.
        let line: Int
        let name: String
        let isPrivate: Bool
        let isPublic: Bool
    }

    private(set) var declarations: [Declaration] = []
    /// The names that a file uses, by its path.
    private(set) var used: [String: Set<String>] = [:]

    init(_ files: [SourceFile]) {
        for file in files {
            var scan = Scan(code: file.code, path: file.path)
            scan.run()
            declarations += scan.declarations
            used[file.path] = scan.used
        }
    }
}

/// Reads one file, word by word.
private struct Scan {
    let code: [UInt8]
    let path: String
    var declarations: [NameUses.Declaration] = []
    var used: Set<String> = []

    private var at = 0
    private var line = 1
    /// True as long as only modifiers and attributes have stood on the line.
    private var isFresh = true
    /// The keyword whose name comes next.
    private var keyword: String?
    private var isPrivate = false
    private var isPublic = false
    /// True behind an attribute by which somebody else finds the declaration, or whose parent has the name already.
    private var isFoundOtherwise = false

    init(code: [UInt8], path: String) {
        self.code = code
        self.path = path
    }

    mutating func run() {
        while at < code.count {
            let byte = code[at]
            if PhraseSearch.isWord(byte) {
                take(word(), next: peek())
            } else {
                at += 1
                symbol(byte)
            }
        }
    }

    private mutating func word() -> String {
        let start = at
        while at < code.count, PhraseSearch.isWord(code[at]) { at += 1 }
        return String(decoding: code[start..<at], as: UTF8.self)
    }

    private func peek() -> UInt8 { at < code.count ? code[at] : 0 }

    private mutating func symbol(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\n"):
            line += 1
            if keyword == nil { isFresh = true }
        case UInt8(ascii: " "): return
        case UInt8(ascii: "@") where isFresh: attribute()
        case UInt8(ascii: "{"), UInt8(ascii: ";"): begin()
        default:
            keyword = nil
            isFresh = false
        }
    }

    private mutating func begin() {
        (isFresh, keyword, isPrivate, isPublic, isFoundOtherwise) = (true, nil, false, false, false)
    }

    /// Skips an attribute with its arguments, whose words are uses.
    private mutating func attribute() {
        let name = word()
        if ["Suite", "Test", "main"].contains(name) { isFoundOtherwise = true }
        used.insert(name)
        guard peek() == UInt8(ascii: "(") else { return }
        parentheses()
    }

    private mutating func parentheses() {
        var depth = 0
        repeat {
            let byte = code[at]
            if PhraseSearch.isWord(byte) {
                used.insert(word())
                continue
            }
            at += 1
            if byte == UInt8(ascii: "(") { depth += 1 }
            if byte == UInt8(ascii: ")") { depth -= 1 }
            if byte == UInt8(ascii: "\n") { line += 1 }
        } while depth > 0 && at < code.count
    }

    private mutating func take(_ word: String, next: UInt8) {
        if keyword != nil, !Self.keywords.contains(word) {
            declare(word, next: next)
        } else if isFresh, Self.keywords.contains(word) {
            keyword = word
        } else if isFresh, Self.modifiers.contains(word) {
            modifier(word, next: next)
        } else if isFresh, word == "extension" {
            skipType()
        } else {
            if isFresh { begin() }
            isFresh = false
            used.insert(word)
        }
    }

    private mutating func modifier(_ word: String, next: UInt8) {
        // `private(set)` says nothing about the declaration itself.
        if next == UInt8(ascii: "(") { return parentheses() }
        switch word {
        case "private", "fileprivate": isPrivate = true
        case "public", "open": isPublic = true
        case "override": isFoundOtherwise = true
        default: return
        }
    }

    /// Skips the type of an extension: to extend a type is not to use it.
    private mutating func skipType() {
        isFresh = false
        while at < code.count,
            PhraseSearch.isWord(code[at]) || [UInt8(ascii: " "), UInt8(ascii: ".")].contains(code[at])
        {
            at += 1
        }
    }

    private mutating func declare(_ name: String, next: UInt8) {
        defer {
            begin()
            isFresh = false
        }
        // A pattern of a switch: a number or a constant of C.
        let isPattern = keyword == "case" && name.first?.isLowercase == false
        guard !isPattern, name != "_", next != UInt8(ascii: ".") else {
            used.insert(name)
            return
        }
        add(name)
        if keyword == "case" { furtherCases() }
    }

    private mutating func add(_ name: String) {
        guard !isFoundOtherwise else { return }
        declarations.append(
            .init(path: path, line: line, name: name, isPrivate: isPrivate, isPublic: isPublic)
        )
    }

    /// Reads the rest of `case a, b(Int), c` unless it is a pattern, which ends with a colon.
    private mutating func furtherCases() {
        let end = code[at...].firstIndex(of: UInt8(ascii: "\n")) ?? code.count
        let rest = code[at..<end]
        guard rest.last(where: { $0 != UInt8(ascii: " ") }) != UInt8(ascii: ":") else { return }
        var depth = 0
        var isNext = false
        while at < end {
            let byte = code[at]
            if PhraseSearch.isWord(byte) {
                let name = word()
                if isNext { add(name) } else { used.insert(name) }
                isNext = false
                continue
            }
            at += 1
            if byte == UInt8(ascii: "(") { depth += 1 }
            if byte == UInt8(ascii: ")") { depth -= 1 }
            if byte == UInt8(ascii: ","), depth == 0 { isNext = true }
        }
    }

    private static let keywords: Set = [
        "func", "class", "struct", "enum", "protocol", "actor", "typealias", "case", "let", "var",
    ]
    private static let modifiers: Set = [
        "public", "package", "internal", "private", "fileprivate", "open", "static", "final", "override", "mutating",
        "nonmutating", "nonisolated", "convenience", "required", "lazy", "weak", "unowned", "indirect", "borrowing",
        "consuming", "prefix", "infix", "postfix", "dynamic", "isolated", "distributed",
    ]
}
