/// Reads the fields of a JSON object by the contract's list of them.
///
/// The initializer reports unknown fields; the getters report wrong types. A getter returns nil if
/// the field is absent or was reported.
struct ObjectReader {
    let pointer: JSONPointer
    let fields: FieldList
    let log: ProblemLog
    /// The known members; a linear search is cheaper than hashing, because objects of the contract are small.
    private var members: [JSONMember] = []

    /// Returns nil, with a problem, if the value is not an object.
    init?(_ value: JSONValue, at pointer: JSONPointer, _ fields: FieldList, _ log: ProblemLog) {
        guard case .object(let given) = value else {
            log.refuse(.type, at: pointer, "\(fields.name) must be an object, not \(value.typeName)")
            return nil
        }
        self.pointer = pointer
        self.fields = fields
        self.log = log
        for member in given {
            if fields[member.name] != nil { members.append(member) } else { refuseUnknown(member.name) }
        }
    }

    private func refuseUnknown(_ name: String) {
        // A search for a similar name is expensive, and a stranger can send very many fields.
        if log.isFull { return log.omit() }
        log.refuse(
            .unknownField,
            at: pointer.appending(name),
            "\(fields.name) has no field \(name.clipped)",
            fix: ObjectReader.suggestion(for: name, in: fields)
        )
    }

    /// Returns true if the field is present, valid or not.
    func has(_ name: String) -> Bool { members.contains { $0.name == name } }

    /// The names of the fields that differ from their default values.
    var given: [String] { members.filter { $0.value != fields[$0.name]?.standard }.map(\.name) }

    /// Returns the value, of any type; refuses null, unless it has a meaning.
    func value(_ name: String, isNullable: Bool = false) -> JSONValue? {
        precondition(fields[name] != nil, "the decoder asks for \(name), which the list of fields lacks")
        guard let value = members.first(where: { $0.name == name })?.value else { return nil }
        if value == .null, !isNullable {
            log.refuse(.type, at: pointer.appending(name), "\(name) must not be null", fix: "leave the field out")
            return nil
        }
        return value
    }

    /// Reports a required field that is missing.
    func require(_ name: String, fix: String? = nil) {
        if !has(name) {
            log.refuse(.required, at: pointer.appending(name), "\(fields.name) needs the field \(name)", fix: fix)
        }
    }

    func refuseType(_ name: String, _ value: JSONValue, mustBe: String) {
        log.refuse(.type, at: pointer.appending(name), "\(name) must be \(mustBe), not \(value.typeName)")
    }

    /// Reads a text that is neither empty nor contains NUL, which databases and C libraries do not support.
    func text(_ name: String, bytesMax: Int = .max) -> String? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value else {
            refuseType(name, value, mustBe: "a string")
            return nil
        }
        if isFine(text, bytesMax: bytesMax) { return text }
        refuse(text, name: name, at: pointer.appending(name), bytesMax: bytesMax)
        return nil
    }

    func flag(_ name: String) -> Bool? {
        guard let value = value(name) else { return nil }
        guard case .bool(let flag) = value else {
            refuseType(name, value, mustBe: "true or false")
            return nil
        }
        return flag
    }

    func integer(_ name: String, in range: ClosedRange<Int64>, fix: String? = nil) -> Int64? {
        guard let value = value(name) else { return nil }
        guard case .number(let number) = value else {
            refuseType(name, value, mustBe: "a whole number")
            return nil
        }
        guard let integer = number.integer, range.contains(integer) else {
            let limits = "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)"
            log.refuse(.range, at: pointer.appending(name), limits, fix: fix)
            return nil
        }
        return integer
    }

    /// Reads a number from 0 to 1, or of any size.
    func number(_ name: String, fromZeroToOne isBounded: Bool) -> JSONNumber? {
        guard let value = value(name) else { return nil }
        guard case .number(let number) = value else {
            refuseType(name, value, mustBe: "a number")
            return nil
        }
        if isBounded, !(0...1).contains(number.double ?? -1) {
            log.refuse(.range, at: pointer.appending(name), "\(name) must be a number from 0 to 1")
            return nil
        }
        return number
    }

    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String,
        of choices: Choice.Type
    ) -> Choice? where Choice.RawValue == String {
        guard let word = choice(name, among: choices.allCases.map(\.rawValue)) else { return nil }
        return Choice(rawValue: word)
    }

    func choice(_ name: String, among words: [String]) -> String? {
        guard let value = value(name) else { return nil }
        guard case .string(let word) = value else {
            refuseType(name, value, mustBe: "a string")
            return nil
        }
        if words.contains(word) { return word }
        let near = Spelling.nearest(to: word, among: words)
        log.refuse(
            .value,
            at: pointer.appending(name),
            "\(name) must be one of \(words.joined(separator: ", "))",
            fix: near.map { "did you mean \($0)?" }
        )
        return nil
    }

    /// Reads an instant with a UTC offset.
    func instant(_ name: String) -> Timestamp? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value else {
            refuseType(name, value, mustBe: "a string")
            return nil
        }
        do {
            return try Timestamp(rfc3339: text)
        } catch {
            let example = "write it like 2026-11-20T21:05:00Z"
            switch error {
            case .missingOffset:
                log.refuse(
                    .format,
                    at: pointer.appending(name),
                    "\(name) has no offset from UTC",
                    fix: "add Z, or an offset such as +02:00"
                )
            case .outOfRange:
                log.refuse(.format, at: pointer.appending(name), "\(name) is not an instant that exists", fix: example)
            case .malformed:
                log.refuse(.format, at: pointer.appending(name), "\(name) is not an RFC 3339 instant", fix: example)
            }
            return nil
        }
    }

    /// Reads a wall clock's time, without an offset.
    func localTime(_ name: String) -> LocalTime? {
        guard let text = text(name) else { return nil }
        if let local = LocalTime(text: text) { return local }
        log.refuse(
            .format,
            at: pointer.appending(name),
            "\(name) is not a local time",
            fix: "with local_time, write it without an offset, like 2026-11-20T21:05:00"
        )
        return nil
    }

    func texts(_ name: String, countMax: Int = .max) -> [String] {
        guard let elements = array(name, countMax: countMax) else { return [] }
        let location = pointer.appending(name)
        return elements.enumerated().compactMap { index, element in
            guard case .string(let text) = element else {
                let found = element.typeName
                log.refuse(.type, at: location.appending(index), "\(name) holds strings, not \(found)")
                return nil
            }
            if isFine(text, bytesMax: .max) { return text }
            refuse(text, name: "an entry of \(name)", at: location.appending(index), bytesMax: .max)
            return nil
        }
    }

    func array(_ name: String, countMax: Int) -> [JSONValue]? {
        guard let value = value(name) else { return nil }
        guard case .array(let elements) = value else {
            refuseType(name, value, mustBe: "an array")
            return nil
        }
        guard elements.count <= countMax else {
            let detail = "\(name) has \(elements.count) entries, at most \(countMax) are allowed"
            log.refuse(.tooMany, at: pointer.appending(name), detail)
            return nil
        }
        return elements
    }

    /// Reads the members of an object whose names the producer chooses.
    func members(_ name: String) -> [JSONMember]? {
        guard let value = value(name) else { return nil }
        guard case .object(let members) = value else {
            refuseType(name, value, mustBe: "an object")
            return nil
        }
        return members
    }

    private func isFine(_ text: String, bytesMax: Int) -> Bool {
        !text.isEmpty && text.utf8.count <= bytesMax && !text.utf8.contains(0)
    }

    private func refuse(_ text: String, name: String, at location: JSONPointer, bytesMax: Int) {
        if text.isEmpty {
            log.refuse(.empty, at: location, "\(name) is empty", fix: "leave it out")
        } else if text.utf8.count > bytesMax {
            let detail = "\(name) has \(text.utf8.count) bytes of UTF-8, at most \(bytesMax) are allowed"
            log.refuse(.length, at: location, detail)
        } else {
            log.refuse(.format, at: location, "\(name) has a NUL character")
        }
    }

    /// Returns the field that was probably meant: one of exactly this name in another object, or a similar one of this
    /// object.
    private static func suggestion(for name: String, in fields: FieldList) -> String? {
        if let elsewhere = JobFields.all.first(where: { $0[name] != nil }) {
            return "\(name) belongs in \(elsewhere.name)"
        }
        return Spelling.nearest(to: name, among: fields.fields.map(\.name)).map { "did you mean \($0)?" }
    }
}

extension String {
    /// The first 64 characters, without control characters: a stranger's text for a message.
    var clipped: String {
        let clean = String(String.UnicodeScalarView(unicodeScalars.prefix(64).map { $0.value < 32 ? "?" : $0 }))
        return clean.unicodeScalars.count < unicodeScalars.count ? clean + "…" : clean
    }
}
