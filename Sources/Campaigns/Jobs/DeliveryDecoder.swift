struct DeliveryDecoder {
    private let reader: ObjectReader
    let options: DeliveryOptions

    static let collapseIDBytesMax = 64
    static let attemptsMax = 100
    static let onUnknown = ["resend", "drop"]
    static let perSecondMax: Int64 = 1_000_000
    static let rampUpMax: Int64 = 86_400

    init?(_ value: JSONValue, at pointer: JSONPointer, _ log: ProblemLog) {
        guard let reader = ObjectReader(value, at: pointer, JobFields.delivery, log) else { return nil }
        self.reader = reader
        var options = DeliveryOptions()
        options.pushType = reader.choice("push_type", of: PushType.self)
        options.priority = reader.choice("priority", of: DeliveryOptions.Priority.self)
        options.policy.urgency = reader.choice("urgency", of: Urgency.self) ?? .bulk
        let isLocal = reader.flag("local_time") ?? false
        if reader.has("repeat") {
            options.repetition = RepetitionDecoder(reader, isLocal: isLocal).repetition
        } else if isLocal {
            options.localSendAt = reader.localTime("send_at")
            reader.require("send_at", fix: "say what the device's clock shows, for example 2026-11-20T20:50:00")
        } else {
            options.sendAt = reader.instant("send_at")
        }
        options.quietHours = DeliveryDecoder.quietHours(reader)
        options.hold = reader.flag("hold") ?? false
        options.expiry = DeliveryDecoder.expiry(reader, isLocal: isLocal)
        options.policy.dropIfOffline = reader.choice("if_offline", among: ["store", "drop"]) == "drop"
        options.collapseID = DeliveryDecoder.collapseID(reader)
        options.supersede = reader.flag("supersede") ?? true
        options.policy.maxAttempts =
            reader.integer("max_attempts", in: 1...Int64(DeliveryDecoder.attemptsMax)).map(UInt32.init)
            ?? options.policy.maxAttempts
        options.policy.dropUnknown = reader.choice("on_unknown", among: DeliveryDecoder.onUnknown) == "drop"
        options.android = reader.choice("android", of: DeliveryOptions.AndroidMessage.self)
        options.perSecond = reader.integer("per_second", in: 1...DeliveryDecoder.perSecondMax).map(Int.init)
        options.rampUp = DeliveryDecoder.rampUp(reader)
        options.frequencyCap =
            reader.choice("frequency_cap", of: DeliveryOptions.FrequencyCapUse.self) ?? options.frequencyCap
        options.show = reader.choice("show", of: DeliveryOptions.Showing.self) ?? .any
        options.inApp = reader.value("in_app").flatMap { value in
            InAppDeliveryDecoder.delivery(value, at: pointer.appending("in_app"), log)
        }
        self.options = options
        if options.hold, isLocal || options.quietHours != nil {
            log.refuse(
                .conflict,
                at: pointer.appending("hold"),
                "a held campaign begins everywhere when it is fired",
                fix: "leave out hold, or local_time and quiet_hours"
            )
        }
    }

    private static func quietHours(_ reader: ObjectReader) -> QuietHours? {
        guard let value = reader.value("quiet_hours"),
            let window = ObjectReader(
                value,
                at: reader.pointer.appending("quiet_hours"),
                JobFields.quietHours,
                reader.log
            )
        else { return nil }
        window.require("from")
        window.require("to")
        _ = window.choice("then", among: ["wait"])
        func minutes(_ name: String) -> Int? {
            guard let text = window.text(name) else { return nil }
            if let minutes = QuietHours.minutes(text) { return minutes }
            window.log.refuse(
                .format,
                at: window.pointer.appending(name),
                "\(name) is not a time of day",
                fix: "write it like 22:00"
            )
            return nil
        }
        // Both are read before the guard, so that problems of both are reported.
        let (begin, end) = (minutes("from"), minutes("to"))
        guard let from = begin, let to = end else { return nil }
        if from == to {
            window.log.refuse(.conflict, at: window.pointer.appending("to"), "the quiet hours end when they begin")
        }
        return QuietHours(from: from, to: to)
    }

    /// True if the push type is absent or one of Apple's.
    var hasReadablePushType: Bool { options.pushType != nil || !reader.has("push_type") }

    private static func expiry(_ reader: ObjectReader, isLocal: Bool) -> DeliveryOptions.Expiry {
        let end = isLocal ? nil : reader.instant("expires_at")
        let localEnd = isLocal ? reader.localTime("expires_at") : nil
        let fix = "give 1 second to 30 days, or expires_at"
        let seconds = reader.integer("ttl", in: 1...Int64(ExpiryRule.secondsMax), fix: fix)
        if reader.has("expires_at"), reader.has("ttl") {
            reader.log.refuse(
                .conflict,
                at: reader.pointer.appending("ttl"),
                "expires_at and ttl both say when the campaign ends",
                fix: "keep one of them"
            )
        }
        if let end { return .at(end) }
        if let localEnd { return .atLocal(localEnd) }
        return seconds.map { .ttl(seconds: Int($0)) } ?? .none
    }

    private static func rampUp(_ reader: ObjectReader) -> Int {
        guard let seconds = reader.integer("ramp_up", in: 0...rampUpMax), seconds > 0 else { return 0 }
        if !reader.has("per_second") {
            reader.log.refuse(
                .conflict,
                at: reader.pointer.appending("ramp_up"),
                "ramp_up needs per_second",
                fix: "say with per_second what the rate grows to, or leave ramp_up out"
            )
        }
        return Int(seconds)
    }

    private static func collapseID(_ reader: ObjectReader) -> String? {
        guard let text = reader.text("collapse_id") else { return nil }
        let location = reader.pointer.appending("collapse_id")
        if Template.isIn(text) {
            Templates.check([(location, text)], reader.log)
            return text
        }
        guard text.utf8.count <= collapseIDBytesMax else {
            let detail =
                "collapse_id has \(text.utf8.count) bytes of UTF-8, at most \(collapseIDBytesMax) are allowed"
            reader.log.refuse(.length, at: location, detail)
            return nil
        }
        // The collapse id becomes the value of an HTTP header.
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), text.first != " ", text.last != " " else {
            let detail = "collapse_id has control characters, or a space at an end"
            reader.log.refuse(.format, at: location, detail, fix: "leave them out")
            return nil
        }
        return text
    }

    /// Refuses a campaign that would end before it begins.
    func checkEnd(createdAt: Timestamp?, envelope: JobEnvelope) {
        // A repeated campaign's expiry counts from each run.
        if reader.has("repeat") { return }
        let sendAt = options.sendAt ?? options.localSendAt?.lastInstant
        let release = ExpiryRule.release(createdAt: createdAt, sendAt: sendAt, acceptedAt: envelope.now)
        let end = ExpiryRule.end(options.expiry, release: release)
        let field = reader.has("ttl") ? "ttl" : "expires_at"
        let location = reader.pointer.appending(field)
        if case .atLocal(let local) = options.expiry, let sendAt = options.localSendAt, local <= sendAt {
            reader.log.refuse(
                .conflict,
                at: location,
                "the campaign would end at \(local.text), before it begins at \(sendAt.text)",
                fix: "give an expires_at after send_at, or a ttl, which counts from there"
            )
            return
        }
        if case .at = options.expiry, let sendAt = options.sendAt, end <= sendAt {
            reader.log.refuse(
                .conflict,
                at: location,
                "the campaign would end at \(end.rfc3339), before it begins at \(sendAt.rfc3339)",
                fix: "give an expires_at after send_at, or a ttl, which counts from there"
            )
            return
        }
        // A held campaign is released when it is fired.
        guard options.hold && field == "ttl" || end > envelope.now else {
            reader.log.refuse(
                .expired,
                at: location,
                "the campaign ended at \(end.rfc3339), and it is \(envelope.now.rfc3339) now",
                fix: field == "ttl" ? "ttl counts from created_at, time in the queue included" : "give a later instant"
            )
            return
        }
        let storageEnd = envelope.now.advanced(by: .seconds(ExpiryRule.secondsMax))
        if case .at = options.expiry, end > storageEnd {
            reader.log.warn(
                .beyondStorage,
                at: location,
                "no provider keeps a push for a device that is off for more than 30 days"
            )
        }
    }
}
