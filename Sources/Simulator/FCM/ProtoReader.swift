/// Reads JSON by a schema; refuses the same texts as Google's reader, in its words.
///
/// proto3's JSON mapping: both names of a field are known, `null` means absent, and an unknown name is an error.
struct ProtoReader {
    private var scanner: JSONScanner
    /// The names from the root to the reader's position.
    private var path: [String] = []

    init(_ bytes: ArraySlice<UInt8>) { scanner = JSONScanner(bytes) }

    /// Reads a whole text as a message.
    mutating func read(_ root: ProtoMessage, into facts: inout FCMFacts) throws(FieldViolation) {
        guard scanner.peek() == UInt8(ascii: "{") else { throw malformed() }
        try message(root, owner: nil, into: &facts)
        guard scanner.peek() == nil else { throw malformed() }
    }

    private func malformed() -> FieldViolation {
        FieldViolation(field: "", description: "Invalid JSON payload received. Unexpected token.")
    }

    /// Runs a step of the scanner; invalid JSON is the same error everywhere.
    private mutating func scan<R>(_ step: (inout JSONScanner) throws(JSONError) -> R) throws(FieldViolation) -> R {
        do throws(JSONError) { return try step(&scanner) } catch { throw malformed() }
    }

    private mutating func message(
        _ type: ProtoMessage,
        owner: FCMFact?,
        into facts: inout FCMFacts
    ) throws(FieldViolation) {
        guard path.count < JSONScanner.depthMost else { throw malformed() }
        _ = try scan { (inner) throws(JSONError) in try inner.expect(UInt8(ascii: "{")) }
        if scanner.take(UInt8(ascii: "}")) { return }
        var seen: [String] = []
        var target: String?
        repeat {
            let name = try scan { (inner) throws(JSONError) in try inner.string().text }
            _ = try scan { (inner) throws(JSONError) in try inner.expect(UInt8(ascii: ":")) }
            guard let field = type.field(name) else { throw unknown(name) }
            if scanner.peek() == UInt8(ascii: "n") {
                _ = try scan { (inner) throws(JSONError) in try inner.literal("null") }
                continue
            }
            guard !seen.contains(field.name) else { throw twice(field.name) }
            seen.append(field.name)
            if field.isTarget {
                if target != nil { throw secondTarget(field.name) }
                target = field.name
            }
            path.append(field.name)
            try value(field.type, fact: field.fact, owner: owner, into: &facts)
            path.removeLast()
        } while scanner.take(UInt8(ascii: ","))
        _ = try scan { (inner) throws(JSONError) in try inner.expect(UInt8(ascii: "}")) }
    }

    private mutating func value(
        _ type: ProtoType,
        fact: FCMFact?,
        owner: FCMFact?,
        into facts: inout FCMFacts
    ) throws(FieldViolation) {
        switch type {
        case .string:
            let text = try string("TYPE_STRING")
            if let fact { facts.texts[fact] = text }
            // The texts of a notification count toward the size of the message.
            if let owner { facts.bytes[owner, default: 0] += text.utf8.count + (path.last?.utf8.count ?? 0) }
        case .boolean:
            let isTrue = scanner.peek() == UInt8(ascii: "t")
            guard isTrue || scanner.peek() == UInt8(ascii: "f") else { throw try wrong("TYPE_BOOL") }
            _ = try scan { (inner) throws(JSONError) in try inner.literal(isTrue ? "true" : "false") }
            if let fact { facts.flags[fact] = isTrue }
        case .int32:
            guard isNumber, let number = try number(), Int32(number) != nil else { throw try wrong("TYPE_INT32") }
        case .double:
            guard isNumber, try number() != nil else { throw try wrong("TYPE_FLOAT") }
        case .duration: try duration(fact, into: &facts)
        case .timestamp: _ = try string("type.googleapis.com/google.protobuf.Timestamp")
        case .enumeration(let name, let words):
            let word = try string("type.googleapis.com/\(name)")
            guard words.contains(word.uppercased()) else {
                throw invalid("type.googleapis.com/\(name)", JSONNode.quoted(word))
            }
        case .stringMap: try map(fact, into: &facts)
        case .structure:
            guard scanner.peek() == UInt8(ascii: "{") else {
                throw try wrong("type.googleapis.com/google.protobuf.Struct")
            }
            try scan { (inner) throws(JSONError) in try inner.skipValue() }
        case .list(let element): try list(of: element, owner: owner, into: &facts)
        case .message(let inner):
            guard scanner.peek() == UInt8(ascii: "{") else { throw try wrong("type.googleapis.com/message") }
            if let fact { facts.present.insert(fact) }
            let counted: FCMFact? = fact == .notification || fact == .androidNotification ? fact : nil
            try message(inner, owner: counted, into: &facts)
        }
    }

    // MARK: Values

    private mutating func string(_ type: String) throws(FieldViolation) -> String {
        guard scanner.peek() == UInt8(ascii: "\"") else { throw try wrong(type) }
        return try scan { (inner) throws(JSONError) in try inner.string().text }
    }

    private var isNumber: Bool {
        var ahead = scanner
        guard let first = ahead.peek() else { return false }
        return first == UInt8(ascii: "-") || (0x30...0x39).contains(first)
    }

    private mutating func number() throws(FieldViolation) -> String? {
        try scan { (inner) throws(JSONError) in String(decoding: try inner.number(), as: UTF8.self) }
    }

    /// Reads digits, optionally a point and up to nine more, and an `s`.
    private mutating func duration(_ fact: FCMFact?, into facts: inout FCMFacts) throws(FieldViolation) {
        let type = "type.googleapis.com/google.protobuf.Duration"
        let text = try string(type)
        let parts = text.dropLast().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let areDigits = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard text.hasSuffix("s"), areDigits, let whole = parts.first.flatMap({ Int64($0) }),
            parts.dropFirst().allSatisfy({ $0.count <= 9 })
        else { throw invalid(type, JSONNode.quoted(text)) }
        let hasFraction = parts.count == 2 && parts[1].contains { $0 != "0" }
        if fact == .timeToLive { facts.timeToLive = (whole, hasFraction) }
    }

    private mutating func map(_ fact: FCMFact?, into facts: inout FCMFacts) throws(FieldViolation) {
        guard scanner.take(UInt8(ascii: "{")) else { throw try wrong("map") }
        var bytes = 0
        var index = 0
        if !scanner.take(UInt8(ascii: "}")) {
            repeat {
                let key = try scan { (inner) throws(JSONError) in try inner.string().text }
                _ = try scan { (inner) throws(JSONError) in try inner.expect(UInt8(ascii: ":")) }
                path.append("\(path.removeLast())[\(index)]")
                path.append("value")
                bytes += key.utf8.count + (try string("TYPE_STRING")).utf8.count
                path.removeLast()
                path.append(String(path.removeLast().prefix { $0 != "[" }))
                if fact == .data || fact == .androidData { facts.dataKeys.append(key) }
                index += 1
            } while scanner.take(UInt8(ascii: ","))
            _ = try scan { (inner) throws(JSONError) in try inner.expect(UInt8(ascii: "}")) }
        }
        if let fact { facts.bytes[fact] = bytes }
    }

    private mutating func list(
        of element: ProtoType,
        owner: FCMFact?,
        into facts: inout FCMFacts
    ) throws(FieldViolation) {
        guard scanner.take(UInt8(ascii: "[")) else { throw try wrong("repeated") }
        if scanner.take(UInt8(ascii: "]")) { return }
        repeat { try value(element, fact: nil, owner: owner, into: &facts) } while scanner.take(UInt8(ascii: ","))
        _ = try scan { (inner) throws(JSONError) in try inner.expect(UInt8(ascii: "]")) }
    }

    // MARK: Violations

    private var fieldPath: String { path.joined(separator: ".") }

    private func unknown(_ name: String) -> FieldViolation {
        let at = path.isEmpty ? "" : " at '\(fieldPath)'"
        return FieldViolation(
            field: fieldPath,
            description: "Invalid JSON payload received. Unknown name \"\(name)\"\(at): Cannot find field."
        )
    }

    /// Returns the violation for a value of the wrong type; a simple value is quoted as it came.
    private mutating func wrong(_ type: String) throws(FieldViolation) -> FieldViolation {
        var ahead = scanner
        _ = ahead.peek()
        let start = ahead.position
        do throws(JSONError) { try ahead.skipValue() } catch { throw malformed() }
        let text = String(decoding: scanner.bytes[start..<ahead.position].prefix(64), as: UTF8.self)
        return invalid(type, text)
    }

    private func invalid(_ type: String, _ value: String) -> FieldViolation {
        FieldViolation(field: fieldPath, description: "Invalid value at '\(fieldPath)' (\(type)), \(value)")
    }

    private func twice(_ name: String) -> FieldViolation {
        FieldViolation(
            field: fieldPath,
            description: "Invalid JSON payload received. Field \"\(name)\" is already set."
        )
    }

    private func secondTarget(_ name: String) -> FieldViolation {
        FieldViolation(
            field: fieldPath,
            description: "Invalid value at '\(fieldPath)' (oneof), oneof field 'target' is already set. "
                + "Cannot set '\(name)'"
        )
    }
}
