/// A campaign's key (app, id), from the job and from its message.
struct JobIdentity {
    let id: String?
    let app: String?

    init(_ reader: ObjectReader, envelope: JobEnvelope?) {
        id = JobIdentity.id(reader, envelope: envelope)
        app = JobIdentity.app(reader, envelope: envelope)
    }

    private static func id(_ reader: ObjectReader, envelope: JobEnvelope?) -> String? {
        let location = reader.pointer.appending("id")
        guard reader.has("id") else {
            guard let messageID = envelope?.messageID else {
                reader.require("id", fix: "give the campaign a name of its own, or the AMQP message a message_id")
                return nil
            }
            return checked(messageID, "the AMQP message_id", isStored: false, at: location, reader.log)
        }
        guard let text = reader.text("id"),
            let id = checked(text, "id", isStored: envelope == nil, at: location, reader.log)
        else { return nil }
        if let messageID = envelope?.messageID, messageID != id {
            reader.log.refuse(
                .conflict,
                at: location,
                "id and the AMQP message_id are different",
                fix: "give both the same value, or only one of them"
            )
        }
        return id
    }

    /// Refuses an id that is too long to be extended for its runs.
    func checkRepeated(_ reader: ObjectReader) {
        guard let id, id.utf8.count > Job.repeatedIDBytesMax else { return }
        reader.log.refuse(
            .length,
            at: reader.pointer.appending("id"),
            "the id of a repeated campaign has \(Job.repeatedIDBytesMax) characters at most, this one \(id.utf8.count)",
            fix: "each run's id is this one with @ and its instant"
        )
    }

    /// Returns true for the id of a run, which only the ledger assigns.
    static func isRunID(_ text: String) -> Bool {
        let halves = text.split(separator: Job.runMark, omittingEmptySubsequences: false)
        return halves.count == 2 && text.utf8.count <= NameRule.idBytesMax
            && halves.allSatisfy { NameRule.isID(String($0)) }
    }

    private static func checked(
        _ text: String,
        _ name: String,
        isStored: Bool,
        at location: JSONPointer,
        _ log: ProblemLog
    ) -> String? {
        if NameRule.isID(text) || isStored && isRunID(text) { return text }
        log.refuse(.format, at: location, "\(name) must be 1 to 128 of the characters A-Z a-z 0-9 . _ : -")
        return nil
    }

    private static func app(_ reader: ObjectReader, envelope: JobEnvelope?) -> String? {
        reader.require("app", fix: envelope?.routingKey.map { "the routing key is \($0.clipped)" })
        guard let app = reader.text("app") else { return nil }
        let location = reader.pointer.appending("app")
        guard NameRule.isApp(app) else {
            reader.log.refuse(.format, at: location, "app must be 1 to 128 of the characters A-Z a-z 0-9 . _ -")
            return nil
        }
        if let routingKey = envelope?.routingKey, routingKey != app {
            reader.log.refuse(
                .conflict,
                at: location,
                "app is not the routing key \(routingKey.clipped), by which the broker decides who may send for whom",
                fix: "publish with the app as the routing key"
            )
        }
        return app
    }
}
