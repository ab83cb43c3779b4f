/// A decoder for the blocks of a kind, which also refuses the blocks of other kinds.
struct KindDecoder {
    let kind: CampaignKind
    let reader: ObjectReader

    static let titleBytesMax = 1024
    static let labelBytesMax = 256
    static let urlBytesMax = 2048
    static let announcementBytesMax = 262_144
    static let pollBodyBytesMax = 16_384
    static let questionsMax = 50
    static let choicesMax = 50
    static let wordBytesMax = 64

    func read(into content: inout Content) {
        refuseOtherBlocks()
        refuseWhatDoesNotGo()
        if let block = kind.block {
            reader.require(block, fix: KindDecoder.examples[kind].map { "for example \($0)" })
        }
        content.rich = block("rich", JobFields.rich).flatMap(KindDecoder.rich)
        content.announcement = block("announcement", JobFields.announcement).flatMap(KindDecoder.announcement)
        content.poll = block("poll", JobFields.poll).flatMap(KindDecoder.poll)
        content.dataPush = block("data_push", JobFields.dataPush).flatMap(KindDecoder.dataPush)
        content.inApp = reader.value("in_app").flatMap { value in
            InAppMessageDecoder.message(value, at: reader.pointer.appending("in_app"), reader.log)
        }
        // A data push wakes the app and does nothing else.
        if kind == .dataPush { content.contentAvailable = true }
    }

    private static let examples: [CampaignKind: String] = [
        .announcement: "{\"format\": \"text\", \"body\": \"The final is on Sunday.\"}",
        .poll: "{\"questions\": [{\"id\": \"q1\", \"title\": \"Who wins?\", \"choices\": "
            + "[{\"id\": \"a\", \"title\": \"Home\"}]}]}",
        .dataPush: "{\"encoding\": \"text\", \"body\": \"refresh\"}",
        .inApp: "{\"type\": \"modal\", \"header\": \"Kick-off\"}",
    ]

    private func block(_ name: String, _ fields: FieldList) -> ObjectReader? {
        reader.value(name).flatMap { ObjectReader($0, at: reader.pointer.appending(name), fields, reader.log) }
    }

    // MARK: - Fields for each kind

    private func refuseOtherBlocks() {
        for other in CampaignKind.allCases where other != kind {
            guard let block = other.block, reader.has(block) else { continue }
            reader.log.refuse(
                .conflict,
                at: reader.pointer.appending(block),
                "\(block) goes with the kind \(other.rawValue), and this is a campaign of kind \(kind.rawValue)",
                fix: "give \"kind\": \"\(other.rawValue)\", or leave \(block) out"
            )
        }
        if reader.has("rich"), kind != .notification {
            reader.log.refuse(
                .conflict,
                at: reader.pointer.appending("rich"),
                "rich goes with the kind notification: a campaign of kind \(kind.rawValue) has its own content",
                fix: "leave rich out, or kind"
            )
        }
    }

    /// The fields that a kind allows; nil for kinds with a notification, which allow all of its fields.
    private var taken: Set<String>? {
        switch kind {
        case .notification, .announcement, .poll: nil
        case .dataPush: ["data_push", "data", "apns", "fcm", "content_available"]
        case .native: ["apns", "fcm"]
        case .inApp: ["in_app", "localizations"]
        }
    }

    private func refuseWhatDoesNotGo() {
        guard let taken else { return }
        let blocks = Set(CampaignKind.allCases.compactMap(\.block) + ["rich"])
        for name in reader.given where !taken.contains(name) && !blocks.contains(name) {
            let inside = kind == .dataPush && name == "category"
            reader.log.refuse(
                .conflict,
                at: reader.pointer.appending(name),
                "\(name) does not go with the kind \(kind.rawValue)",
                fix: inside ? "category belongs in data_push" : "it takes \(taken.sorted().joined(separator: ", "))"
            )
        }
        if kind == .native, !reader.has("apns"), !reader.has("fcm") {
            reader.log.refuse(
                .required,
                at: reader.pointer.appending("apns"),
                "a campaign of kind native needs apns, fcm or both",
                fix: "give the payload as the provider wants it, for example {\"aps\": {\"alert\": \"Kick-off\"}}"
            )
        }
    }

    // MARK: - Blocks

    private static func rich(_ block: ObjectReader) -> RichReference? {
        block.require("type")
        block.require("id")
        // All are read before the guard, so that all problems are reported.
        let (type, id) = (word("type", block), word("id", block, bytesMax: NameRule.idBytesMax))
        let message = plain("message", block, bytesMax: titleBytesMax)
        guard let type, let id else { return nil }
        return RichReference(type: type, id: id, message: message)
    }

    private static func announcement(_ block: ObjectReader) -> Announcement? {
        block.require("format")
        block.require("body")
        let format = block.choice("format", of: Announcement.Format.self)
        let body = plain("body", block, bytesMax: announcementBytesMax)
        let title = plain("title", block, bytesMax: titleBytesMax)
        let actionLabel = plain("action_label", block, bytesMax: labelBytesMax)
        let actionURL = plain("action_url", block, bytesMax: urlBytesMax)
        let exitLabel = plain("exit_label", block, bytesMax: labelBytesMax)
        guard let format, let body else { return nil }
        var announcement = Announcement(format: format, body: body)
        announcement.title = title
        announcement.actionLabel = actionLabel
        announcement.actionURL = actionURL
        announcement.exitLabel = exitLabel
        return announcement
    }

    private static func poll(_ block: ObjectReader) -> Poll? {
        block.require("questions")
        let title = plain("title", block, bytesMax: titleBytesMax)
        let body = plain("body", block, bytesMax: pollBodyBytesMax)
        let actionLabel = plain("action_label", block, bytesMax: labelBytesMax)
        let exitLabel = plain("exit_label", block, bytesMax: labelBytesMax)
        let questions = entries("questions", block, JobFields.question, countMax: questionsMax, question)
        guard !questions.isEmpty else { return nil }
        refuseTwice(questions.map(\.id), "question", at: block.pointer.appending("questions"), block.log)
        var poll = Poll(questions: questions)
        poll.title = title
        poll.body = body
        poll.actionLabel = actionLabel
        poll.exitLabel = exitLabel
        return poll
    }

    private static func question(_ block: ObjectReader) -> Poll.Question? {
        for name in ["id", "title", "choices"] { block.require(name) }
        let id = word("id", block)
        let title = plain("title", block, bytesMax: titleBytesMax)
        let select = block.choice("select", of: Poll.Selection.self) ?? .one
        let choices = entries("choices", block, JobFields.choice, countMax: choicesMax, choice)
        let location = block.pointer.appending("choices")
        refuseTwice(choices.map(\.id), "choice", at: location, block.log)
        if select == .one, choices.count(where: \.isDefault) > 1 {
            let fix = "mark one of them, or give \"select\": \"many\""
            block.log.refuse(.conflict, at: location, "one choice is taken, and several are the default", fix: fix)
        }
        guard let id, let title, !choices.isEmpty else { return nil }
        return Poll.Question(id: id, title: title, select: select, choices: choices)
    }

    private static func choice(_ block: ObjectReader) -> Poll.Choice? {
        block.require("id")
        block.require("title")
        let id = word("id", block)
        let title = plain("title", block, bytesMax: titleBytesMax)
        let isDefault = block.flag("default") ?? false
        guard let id, let title else { return nil }
        return Poll.Choice(id: id, title: title, isDefault: isDefault)
    }

    private static func dataPush(_ block: ObjectReader) -> DataPush? {
        block.require("encoding")
        block.require("body")
        let encoding = block.choice("encoding", of: DataPush.Encoding.self)
        let category = plain("category", block, bytesMax: wordBytesMax)
        guard let value = block.value("body") else { return nil }
        let location = block.pointer.appending("body")
        guard case .string(let body) = value else {
            block.refuseType("body", value, mustBe: "a string")
            return nil
        }
        if body.utf8.contains(0) {
            block.log.refuse(.format, at: location, "body has a NUL character", fix: "send bytes as base64")
        }
        guard let encoding else { return nil }
        switch encoding {
        case .text: Templates.refuseAnywhere(in: body, "body", at: location, block.log)
        case .base64 where !Base64Text.isValid(body):
            let fix = "write it with the alphabet A-Z a-z 0-9 + / and padding, without line breaks"
            block.log.refuse(.format, at: location, "body is not Base64 (RFC 4648, section 4)", fix: fix)
        case .base64: break
        }
        return DataPush(encoding: encoding, body: body, category: category)
    }

    // MARK: - Fields

    /// Reads a text in which templates are never allowed: it is stored once, for all devices.
    private static func plain(_ name: String, _ block: ObjectReader, bytesMax: Int) -> String? {
        guard let text = block.text(name, bytesMax: bytesMax) else { return nil }
        Templates.refuseAnywhere(in: text, name, at: block.pointer.appending(name), block.log)
        return text
    }

    /// Reads an identifier that is used in addresses and rows.
    private static func word(_ name: String, _ block: ObjectReader, bytesMax: Int = wordBytesMax) -> String? {
        guard let text = block.text(name) else { return nil }
        if text.utf8.count <= bytesMax, NameRule.isID(text) { return text }
        let detail = "\(name) must be 1 to \(bytesMax) of the characters A-Z a-z 0-9 . _ : -"
        block.log.refuse(.format, at: block.pointer.appending(name), detail)
        return nil
    }

    /// Reads the objects of an array, at least one.
    private static func entries<Entry>(
        _ name: String,
        _ block: ObjectReader,
        _ fields: FieldList,
        countMax: Int,
        _ read: (ObjectReader) -> Entry?
    ) -> [Entry] {
        guard let elements = block.array(name, countMax: countMax) else { return [] }
        let location = block.pointer.appending(name)
        if elements.isEmpty { block.log.refuse(.empty, at: location, "\(name) is empty", fix: "give at least one") }
        return elements.enumerated().compactMap { index, element in
            ObjectReader(element, at: location.appending(index), fields, block.log).flatMap(read)
        }
    }

    private static func refuseTwice(_ ids: [String], _ what: String, at location: JSONPointer, _ log: ProblemLog) {
        var seen: Set<String> = []
        for id in ids where !seen.insert(id).inserted {
            log.refuse(
                .conflict,
                at: location,
                "two entries have the id \(id.clipped)",
                fix: "give each \(what) its own"
            )
        }
    }
}
