/// The formats of a message with a job.
enum MessageFormat {
    /// The bytes are the job.
    case json
    /// A structured CloudEvent whose `data` is the job.
    case cloudEvent

    /// Checks content type and message type; returns nil, with problems, if the bytes cannot be a job.
    static func check(_ envelope: JobEnvelope, _ log: ProblemLog) -> MessageFormat? {
        if let type = envelope.type, type != JobDecoder.messageType {
            log.refuse(
                .messageType,
                at: .root,
                "messages of type \(type.clipped) are not taken",
                fix: "set the AMQP property type to \(JobDecoder.messageType), or leave it out"
            )
            return nil
        }
        guard let contentType = envelope.contentType else { return .json }
        let parts = contentType.lowercased().split(separator: ";").map { part in
            String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        let charset = parts.dropFirst().first { $0.hasPrefix("charset=") }
        let isUTF8 = charset.map { ["charset=utf-8", "charset=\"utf-8\""].contains($0) } ?? true
        switch parts.first {
        case "application/json" where isUTF8: return .json
        case "application/cloudevents+json" where isUTF8: return .cloudEvent
        default:
            log.refuse(
                .contentType,
                at: .root,
                "the content type \(contentType.clipped) is not taken",
                fix: "send application/json in UTF-8, or application/cloudevents+json"
            )
            return nil
        }
    }

    /// Returns the job inside a CloudEvent (version 1.0, JSON format).
    static func data(ofCloudEvent event: JSONValue, _ log: ProblemLog) -> JSONValue? {
        guard case .object(let members) = event else {
            log.refuse(.type, at: .root, "a CloudEvent must be an object, not \(event.typeName)")
            return nil
        }
        for name in ["specversion", "id", "source", "type"] {
            let location = JSONPointer.root.appending(name)
            guard let value = event[name] else {
                log.refuse(.required, at: location, "a CloudEvent needs the attribute \(name)")
                continue
            }
            guard case .string(let text) = value, !text.isEmpty else {
                log.refuse(.type, at: location, "\(name) must be a string that is not empty")
                continue
            }
            let expected = ["specversion": "1.0", "type": JobDecoder.messageType][name]
            if let expected, text != expected {
                log.refuse(.value, at: location, "\(name) must be \(expected)", fix: "give \(expected)")
            }
        }
        if let dataType = event["datacontenttype"], dataType != "application/json" {
            let location = JSONPointer.root.appending("datacontenttype")
            log.refuse(.contentType, at: location, "datacontenttype must be application/json")
        }
        for member in members where !isAttributeName(member.name) {
            let location = JSONPointer.root.appending(member.name)
            log.refuse(
                member.name == "data_base64" ? .format : .unknownField,
                at: location,
                "a CloudEvent has no \(member.name.clipped) here",
                fix: member.name == "data_base64" ? "put the job into data as JSON" : nil
            )
        }
        guard let data = event["data"] else {
            log.refuse(.required, at: JSONPointer.root.appending("data"), "a CloudEvent needs data: the job")
            return nil
        }
        return data
    }

    /// Returns true for lower-case letters and digits (CloudEvents 1.0, "Attribute naming convention").
    private static func isAttributeName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { (48...57).contains($0) || (97...122).contains($0) }
    }
}
