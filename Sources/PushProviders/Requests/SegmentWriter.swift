import Campaigns

/// Writes a payload's JSON in pieces: what is alike for all devices, and where templates and the message id go.
struct SegmentWriter {
    private var segments: [PayloadSegment] = []
    private var bytes: [UInt8] = []

    /// Whether a text with the marks of a template is one.
    enum Place {
        /// It is not: it comes from the provider's raw fields, or from a field that takes none.
        case plain
        /// It is.
        case personal
    }

    /// What was written.
    func finished() -> [PayloadSegment] {
        bytes.isEmpty ? segments : segments + [.constant(bytes)]
    }

    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ more: [UInt8]) {
        bytes += more
    }

    mutating func messageID() {
        cut()
        segments.append(.messageID)
    }

    mutating func template(_ source: String, _ form: TemplateSlot.Form = .text) {
        cut()
        segments.append(.template(source, form))
    }

    /// Writes a JSON text as a string: what it has in quotation marks is escaped once more.
    mutating func writeText(_ write: (inout SegmentWriter) -> Void) {
        var inner = SegmentWriter()
        write(&inner)
        append("\"")
        for segment in inner.finished() {
            switch segment {
            case .constant(let text):
                var string: [UInt8] = []
                JSONWriter.writeString(String(decoding: text, as: UTF8.self), into: &string)
                bytes += string.dropFirst().dropLast()
            case .messageID: messageID()
            case .template(let source, let form):
                precondition(form == .text, "a count within a text")
                template(source, .nestedText)
            }
        }
        append("\"")
    }

    private mutating func cut() {
        if !bytes.isEmpty { segments.append(.constant(bytes)) }
        bytes = []
    }

    /// Members with commas between them, without braces around them.
    mutating func write(members: [JSONMember], _ place: Place, raw: JSONValue? = nil) {
        for (index, member) in members.enumerated() {
            if index > 0 { append(",") }
            JSONWriter.writeString(member.name, into: &bytes)
            append(":")
            write(member.value, place, raw: raw?[member.name])
        }
    }

    /// A job with a template that does not compile is refused where it enters; here it is a text.
    private static func isTemplate(_ text: String) -> Bool { Template.isIn(text) && (try? Template(text)) != nil }

    /// Writes a value.
    ///
    /// `raw` is what the provider's raw fields have at its place: what comes from there is never a template.
    mutating func write(_ value: JSONValue, _ place: Place, raw: JSONValue? = nil) {
        switch value {
        case .string(let text) where place == .personal && raw == nil && Self.isTemplate(text):
            append("\"")
            template(text)
            append("\"")
        case .array(let elements) where raw == nil:
            append("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { append(",") }
                write(element, place)
            }
            append("]")
        case .object(let members):
            append("{")
            // An object that replaced something else is raw as a whole.
            let isRaw = raw != nil && raw?.members == nil
            write(members: members, isRaw ? .plain : place, raw: raw)
            append("}")
        default: JSONWriter.write(value, into: &bytes)
        }
    }
}
