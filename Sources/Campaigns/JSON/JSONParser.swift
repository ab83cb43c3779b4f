/// The recursive descent parser behind ``JSONReader``; the depth limit bounds its recursion.
struct JSONParser {
    let bytes: UnsafeBufferPointer<UInt8>
    let limits: JSONReader.Limits
    var offset = 0
    private var valueCount = 0
    private(set) var problems: [JSONProblem] = []
    /// True after a problem from which the parser cannot recover.
    private(set) var isLost = false
    /// The pointers whose positions are requested; `found` has the positions.
    var wanted: Set<String> = []
    private(set) var found: [String: JSONPosition] = [:]
    private var path: [Step] = []
    private var measured = (offset: 0, position: JSONPosition(line: 1, column: 1))

    private enum Step {
        case name(String)
        case index(Int)
    }

    init(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONReader.Limits) {
        self.bytes = bytes
        self.limits = limits
    }

    /// The next byte, or 0 at the end, since no JSON token begins with 0.
    var next: UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    mutating func document() -> JSONValue? {
        guard bytes.count <= limits.bytesMax else {
            give(
                up: .tooLarge,
                "the text has \(bytes.count) bytes, at most \(limits.bytesMax) are taken",
                fix: "put the devices into a list and name the list in the audience"
            )
            return nil
        }
        guard startsAsUTF8() else { return nil }
        skipSpace()
        guard offset < bytes.count else {
            give(up: .syntax, "the text is empty", fix: "send one JSON object")
            return nil
        }
        let value = value(depth: 0)
        skipSpace()
        if !isLost, offset < bytes.count {
            give(up: .syntax, "something follows after the end of the JSON value", fix: "send one JSON object")
        }
        return isLost ? nil : value
    }

    /// Returns true if the first bytes are UTF-8; notes a byte order mark as a problem and skips it.
    private mutating func startsAsUTF8() -> Bool {
        let first = bytes.prefix(4)
        if first.starts(with: [0xEF, 0xBB, 0xBF]) {
            note(.encoding, "the text begins with a byte order mark", fix: "send UTF-8 without it")
            offset = 3
            return true
        }
        let isWide = first.starts(with: [0xFE, 0xFF]) || first.starts(with: [0xFF, 0xFE]) || first.contains(0)
        if isWide {
            give(up: .encoding, "the text is not UTF-8 (it looks like UTF-16 or UTF-32)", fix: "send UTF-8")
        }
        return !isWide
    }

    private mutating func value(depth: Int) -> JSONValue {
        if !wanted.isEmpty { locate() }
        valueCount += 1
        guard valueCount <= limits.valuesMax else {
            give(up: .tooMany, "the text has more than \(limits.valuesMax) values", fix: "put devices into a list")
            return .null
        }
        switch next {
        case UInt8(ascii: "{"): return object(depth: depth + 1)
        case UInt8(ascii: "["): return array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(string())
        case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), 48...57: return number()
        default: return word()
        }
    }

    private mutating func object(depth: Int) -> JSONValue {
        guard admits(depth) else { return .null }
        offset += 1
        var members: [JSONMember] = []
        var names: Set<String> = []
        var expectsMember = false
        while !isLost {
            skipSpace()
            if next == UInt8(ascii: "}") {
                if expectsMember { noteTrailingComma() }
                offset += 1
                break
            }
            guard next == UInt8(ascii: "\"") else {
                loseName()
                break
            }
            let nameOffset = offset
            let name = string()
            skipSpace()
            guard !isLost, next == UInt8(ascii: ":") else {
                give(up: .syntax, "a colon must follow the name of a field", fix: nil)
                break
            }
            offset += 1
            skipSpace()
            path.append(.name(name))
            if name.utf8.count > JSONReader.nameBytesMax {
                path.removeLast()
                path.append(.name(String(name.unicodeScalars.prefix(40))))
                note(.length, "a field's name has more than 1,024 bytes", fix: nil, at: nameOffset)
            } else if isDuplicate(name, among: members, names: &names) {
                note(.duplicateField, "the field is there twice", fix: "keep one of them", at: nameOffset)
            }
            members.append(JSONMember(name, value(depth: depth)))
            path.removeLast()
            expectsMember = separator(closing: UInt8(ascii: "}"))
        }
        return .object(members)
    }

    private mutating func array(depth: Int) -> JSONValue {
        guard admits(depth) else { return .null }
        offset += 1
        var elements: [JSONValue] = []
        var expectsElement = false
        while !isLost {
            skipSpace()
            if next == UInt8(ascii: "]") {
                if expectsElement { noteTrailingComma() }
                offset += 1
                break
            }
            path.append(.index(elements.count))
            elements.append(value(depth: depth))
            path.removeLast()
            expectsElement = separator(closing: UInt8(ascii: "]"))
        }
        return .array(elements)
    }

    /// Consumes the comma after a member or element and returns true; tolerates a missing one, with a problem.
    private mutating func separator(closing: UInt8) -> Bool {
        skipSpace()
        if isLost { return false }
        switch next {
        case UInt8(ascii: ","):
            offset += 1
            return true
        case closing: return false
        case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "-"), 48...57,
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            note(.syntax, "a comma is missing", fix: "put a comma between two values")
        default:
            let end = closing == UInt8(ascii: "}") ? "object" : "array"
            let what = offset < bytes.count ? "an \(end) continues with something other than a comma or its end" : ""
            give(up: .syntax, what.isEmpty ? "the text ends within an \(end)" : what, fix: nil)
        }
        return false
    }

    /// Returns true if a name is a duplicate.
    ///
    /// Names are compared as Swift compares strings (canonically equal ones are the same), because they become
    /// dictionary keys.
    private func isDuplicate(_ name: String, among members: [JSONMember], names: inout Set<String>) -> Bool {
        // Most objects are small, and a set costs more than a linear search.
        if members.count < 8 { return members.contains { $0.name == name } }
        if names.isEmpty { names = Set(members.map(\.name)) }
        return !names.insert(name).inserted
    }

    private mutating func admits(_ depth: Int) -> Bool {
        if depth > limits.depthMax {
            give(
                up: .tooDeep,
                "more than \(limits.depthMax) objects and arrays are nested",
                fix: "flatten it"
            )
        }
        return !isLost
    }

    private mutating func loseName() {
        if offset >= bytes.count {
            give(up: .syntax, "the text ends within an object", fix: nil)
        } else {
            give(up: .syntax, "a field's name must stand here, in double quotes", fix: nil)
        }
    }

    private mutating func noteTrailingComma() {
        note(.syntax, "a comma stands before the end", fix: "leave the last comma out")
    }

    /// Skips white space; skips comments, with a problem.
    mutating func skipSpace() {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x09, 0x0A, 0x0D: offset += 1
            case UInt8(ascii: "/"):
                note(.syntax, "JSON has no comments", fix: "leave the comment out")
                while !isLost, offset < bytes.count, bytes[offset] != 0x0A { offset += 1 }
                if isLost { return }
            default: return
            }
        }
    }
}

extension JSONParser {
    /// Notes a problem; parsing continues.
    mutating func note(_ code: ProblemCode, _ detail: String, fix: String?, at location: Int? = nil) {
        guard !isLost else { return }
        problems.append(
            JSONProblem(
                pointer: pointer,
                position: position(at: location ?? offset),
                code: code,
                detail: detail,
                fix: fix
            )
        )
        if problems.count >= JSONReader.problemsMax { isLost = true }
    }

    /// Notes a problem after which parsing cannot continue.
    mutating func give(up code: ProblemCode, _ detail: String, fix: String?) {
        note(code, detail, fix: fix)
        isLost = true
    }

    private var pointer: JSONPointer {
        path.reduce(.root) { pointer, step in
            switch step {
            case .name(let name): pointer.appending(name)
            case .index(let index): pointer.appending(index)
            }
        }
    }

    private mutating func locate() {
        let text = pointer.text
        if wanted.contains(text), found[text] == nil { found[text] = position(at: offset) }
    }

    /// Returns the line and column of a byte; continues from the offset measured last.
    private mutating func position(at location: Int) -> JSONPosition {
        var (start, position) = measured
        if location < start { (start, position) = (0, JSONPosition(line: 1, column: 1)) }
        for byte in bytes[start..<min(location, bytes.count)] {
            if byte == 0x0A {
                position.line += 1
                position.column = 1
            } else if byte & 0xC0 != 0x80 {
                position.column += 1
            }
        }
        measured = (location, position)
        return position
    }
}
