import Campaigns

/// Writes a payload's JSON in pieces: the bytes that all devices share, and the offsets of templates and message id.
struct SegmentWriter {
    private var segments: [PayloadSegment] = []
    private var bytes: [UInt8] = []

    /// The treatment of texts that look like a template.
    enum Context {
        /// Never a template: the text comes from the provider's raw fields, or from a field that takes none.
        case plain
        /// A template.
        case personal
    }

    /// Returns the pieces written so far.
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

    mutating func template(_ source: String, _ form: TemplatePlaceholder.Form = .text) {
        cut()
        segments.append(.template(source, form))
    }

    /// Writes JSON as a string, in which its quotation marks are escaped once more.
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

    /// Writes members with commas between them, without braces around them.
    mutating func write(members: [JSONMember], _ context: Context, raw: JSONValue? = nil) {
        for (index, member) in members.enumerated() {
            if index > 0 { append(",") }
            JSONWriter.writeString(member.name, into: &bytes)
            append(":")
            write(member.value, context, raw: raw?[member.name])
        }
    }

    /// Returns true for a template; one that does not compile is a text here, because intake has refused such a job.
    private static func isTemplate(_ text: String) -> Bool { Template.isIn(text) && (try? Template(text)) != nil }

    /// Writes a value.
    ///
    /// `raw` is the value of the provider's raw fields at this location; values from there are never templates.
    mutating func write(_ value: JSONValue, _ context: Context, raw: JSONValue? = nil) {
        switch value {
        case .string(let text) where context == .personal && raw == nil && Self.isTemplate(text):
            append("\"")
            template(text)
            append("\"")
        case .array(let elements) where raw == nil:
            append("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { append(",") }
                write(element, context)
            }
            append("]")
        case .object(let members):
            append("{")
            // An object that replaced another value is raw as a whole.
            let isRaw = raw != nil && raw?.members == nil
            write(members: members, isRaw ? .plain : context, raw: raw)
            append("}")
        default: JSONWriter.write(value, into: &bytes)
        }
    }
}
