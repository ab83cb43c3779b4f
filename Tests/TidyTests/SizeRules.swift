extension Rule {
    /// The most lines of a file; a longer one has two subjects.
    static let longestFile = 500
    /// The most lines of a function, from the keyword to the closing brace.
    static let longestFunction = 70

    /// Limits the size of files; generated Protocol Buffers are exempt.
    static let fileSize = Rule("files have at most \(longestFile) lines") { file in
        guard file.isHandwrittenSwift else { return [] }
        let count = file.lines.last?.isEmpty == true ? file.lines.count - 1 : file.lines.count
        guard count > longestFile else { return [] }
        return [Violation(path: file.path, line: count, what: "\(count) lines")]
    }

    /// Limits the size of functions, initialisers and computed properties.
    static let functionSize = Rule("functions have at most \(longestFunction) lines") { file in
        guard file.isHandwrittenSwift else { return [] }
        return FunctionFinder.functions(in: file.code).filter { $0.lines > longestFunction }.map {
            Violation(path: file.path, line: $0.first, what: "\($0.name) has \($0.lines) lines")
        }
    }
}

/// Finds the bodies of functions by matching braces in masked code.
struct FunctionFinder {
    /// A function with a body.
    struct Function: Equatable {
        let name: String
        /// The line of its keyword, counted from 1.
        let first: Int
        /// The number of lines up to and including the closing brace.
        let lines: Int
    }

    private enum Scope {
        case function(name: String, line: Int)
        case requirements
        case other
    }

    private var scopes: [Scope] = []
    private var pending: Scope?
    private var pendingDepth = 0
    private var depth = 0
    private var line = 1
    private var found: [Function] = []
    private var previous = ""
    private var previousByte: UInt8 = 0

    /// Returns every function of the code, inner ones too, in the order of their closing braces.
    static func functions(in code: [UInt8]) -> [Function] {
        var finder = FunctionFinder()
        var position = 0
        while position < code.count {
            let byte = code[position]
            if PhraseSearch.isWord(byte) {
                let end = code[position...].firstIndex { !PhraseSearch.isWord($0) } ?? code.count
                let next = code[end...].first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") } ?? 0
                finder.word(String(decoding: code[position..<end], as: UTF8.self), next: next)
                position = end
            } else {
                finder.symbol(byte)
                position += 1
            }
        }
        return finder.found
    }

    private mutating func word(_ word: String, next: UInt8) {
        defer {
            previous = word
            previousByte = 0
        }
        var inProtocol = false
        if case .requirements = scopes.last { inProtocol = true }
        switch word {
        case _ where previous == "func" && pendingName == "func":
            pending = .function(name: word, line: line)
        case "func" where !inProtocol: open(.function(name: "func", line: line))
        case "init" where !inProtocol && previousByte != UInt8(ascii: ".") && "(?!<".utf8.contains(next):
            if depth == 0 { open(.function(name: "init", line: line)) }
        case "deinit" where next == UInt8(ascii: "{"): open(.function(name: "deinit", line: line))
        case "var" where !inProtocol && depth == 0: open(.function(name: "var", line: line))
        case "protocol": open(.requirements)
        case "struct", "class", "enum", "extension", "actor", "case", "let", "if", "for", "while", "switch", "guard":
            if pendingIsVariable { pending = nil }
        default: break
        }
    }

    private var pendingName: String? {
        if case .function(let name, _) = pending { name } else { nil }
    }

    private var pendingIsVariable: Bool { pendingName == "var" }

    private mutating func open(_ scope: Scope) {
        pending = scope
        pendingDepth = depth
    }

    private mutating func symbol(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\n"): line += 1
        case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
        case UInt8(ascii: "=") where pendingIsVariable && depth == pendingDepth: pending = nil
        case UInt8(ascii: "{"):
            if let scope = pending, depth == pendingDepth {
                scopes.append(scope)
                pending = nil
            } else {
                scopes.append(.other)
            }
        case UInt8(ascii: "}"):
            if case .function(let name, let first) = scopes.popLast() {
                found.append(Function(name: name, first: first, lines: line - first + 1))
            }
            if pendingIsVariable { pending = nil }
        default: break
        }
        if byte != UInt8(ascii: " "), byte != UInt8(ascii: "\n") {
            previousByte = byte
            previous = ""
        }
    }
}
