/// Where Liquid templates are allowed, and where not (contract, section 1, Content); this version renders none.
enum Templates {
    /// Whether a text has the marks of a template.
    static func isIn(_ text: String) -> Bool {
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if previous == UInt8(ascii: "{"), byte == UInt8(ascii: "{") || byte == UInt8(ascii: "%") { return true }
            previous = byte
        }
        return false
    }

    /// Refuses a template where the contract allows one.
    static func refuse(in text: String, _ name: String, at pointer: JSONPointer, _ log: ProblemLog) {
        guard isIn(text) else { return }
        log.refuse(
            .notInThisVersion,
            at: pointer,
            "\(name) has a template, and templates are not in this version",
            mend: "write the text out, without {{ and {%"
        )
    }

    /// Refuses templates in any text within a value.
    static func refuse(within value: JSONValue, at pointer: JSONPointer, _ log: ProblemLog) {
        switch value {
        case .string(let text): refuse(in: text, "data", at: pointer, log)
        case .array(let elements):
            for (index, element) in elements.enumerated() { refuse(within: element, at: pointer.appending(index), log) }
        case .object(let members):
            for member in members { refuse(within: member.value, at: pointer.appending(member.name), log) }
        case .null, .bool, .number: break
        }
    }

    /// Refuses a template where the contract allows none: it would reach the phone as it stands.
    static func refuseAnywhere(in text: String, _ name: String, at pointer: JSONPointer, _ log: ProblemLog) {
        guard isIn(text) else { return }
        log.refuse(.templateNotAllowed, at: pointer, "\(name) takes no template", mend: "write the text out")
    }
}
