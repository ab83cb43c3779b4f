/// The formats of a message with a job.
enum MessageFormat {
    /// The bytes are the job.
    case json
    /// A structured CloudEvent whose `data` is the job.
    case cloudEvent

    /// Checks content type and message type; returns nil, with problems, if the bytes cannot be a job.
    ///
    /// `isReadable`: false for a body of AMQP 1.0 that holds no text.
    static func check(_ envelope: JobEnvelope, isReadable: Bool, _ log: ProblemLog) -> MessageFormat? {
        guard isReadable else {
            log.refuse(
                .messageType,
                at: .root,
                "an AMQP 1.0 body that is neither data nor text is not taken",
                fix: "send the job as one data section, or as a string"
            )
            return nil
        }
        if let type = envelope.type, !isTaken(type, envelope) {
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

    /// Returns true for our own message type, and for those by which RabbitMQ names a body from AMQP 1.0.
    private static func isTaken(_ type: String, _ envelope: JobEnvelope) -> Bool {
        type == JobDecoder.messageType || type == AMQP1Body.encodedType
            || envelope.isTranslated && type == AMQP1Body.dataType
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
