/// Reads `delivery`.
struct DeliveryDecoder {
    private let reader: ObjectReader
    let options: DeliveryOptions

    static let collapseIDBytesMax = 64
    static let attemptsMax = 100
    static let perSecondMax: Int64 = 1_000_000
    static let rampUpMax: Int64 = 86_400

    init?(_ value: JSONValue, at pointer: JSONPointer, _ log: ProblemLog) {
        guard let reader = ObjectReader(value, at: pointer, JobFields.delivery, log) else { return nil }
        self.reader = reader
        var options = DeliveryOptions()
        options.pushType = reader.choice("push_type", of: PushType.self)
        options.priority = reader.choice("priority", of: DeliveryOptions.Priority.self)
        options.urgency = reader.choice("urgency", of: Urgency.self) ?? .bulk
        options.expiry = DeliveryDecoder.expiry(reader)
        options.dropIfOffline = reader.choice("if_offline", among: ["store", "drop"]) == "drop"
        options.collapseID = DeliveryDecoder.collapseID(reader)
        options.supersede = reader.flag("supersede") ?? true
        options.maxAttempts =
            reader.integer("max_attempts", in: 1...Int64(DeliveryDecoder.attemptsMax)).map(Int.init)
            ?? options.maxAttempts
        options.onUnknown = reader.choice("on_unknown", of: DeliveryOptions.OnUnknown.self) ?? .resend
        options.perSecond = reader.integer("per_second", in: 1...DeliveryDecoder.perSecondMax).map(Int.init)
        options.rampUp = DeliveryDecoder.rampUp(reader)
        self.options = options
        if options.collapseID != nil, options.supersede {
            log.warn(
                .supersedeNotInThisVersion,
                at: pointer.appending("collapse_id"),
                "the provider collapses, the queue does not yet: an older campaign is not stopped by this one"
            )
        }
    }

    /// Whether the push type is absent or one of Apple's.
    var hasReadablePushType: Bool { options.pushType != nil || !reader.has("push_type") }

    private static func expiry(_ reader: ObjectReader) -> DeliveryOptions.Expiry {
        let end = reader.instant("expires_at")
        let mend = "give 1 second to 30 days, or expires_at"
        let seconds = reader.integer("ttl", in: 1...Int64(ExpiryRule.secondsMax), mend: mend)
        if reader.has("expires_at"), reader.has("ttl") {
            reader.log.refuse(
                .conflict,
                at: reader.pointer.appending("ttl"),
                "expires_at and ttl both say when the campaign ends",
                mend: "keep one of them"
            )
        }
        if let end { return .at(end) }
        return seconds.map { .ttl(seconds: Int($0)) } ?? .none
    }

    private static func rampUp(_ reader: ObjectReader) -> Int {
        guard let seconds = reader.integer("ramp_up", in: 0...rampUpMax), seconds > 0 else { return 0 }
        if !reader.has("per_second") {
            reader.log.refuse(
                .conflict,
                at: reader.pointer.appending("ramp_up"),
                "ramp_up needs per_second",
                mend: "say with per_second what the rate grows to, or leave ramp_up out"
            )
        }
        return Int(seconds)
    }

    private static func collapseID(_ reader: ObjectReader) -> String? {
        guard let text = reader.text("collapse_id") else { return nil }
        let place = reader.pointer.appending("collapse_id")
        if Template.isIn(text) {
            Templates.check([(place, text)], reader.log)
            return text
        }
        guard text.utf8.count <= collapseIDBytesMax else {
            let detail =
                "collapse_id has \(text.utf8.count) bytes of UTF-8, at most \(collapseIDBytesMax) are allowed"
            reader.log.refuse(.length, at: place, detail)
            return nil
        }
        // It becomes an HTTP header's value.
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), text.first != " ", text.last != " " else {
            let detail = "collapse_id has control characters, or a space at an end"
            reader.log.refuse(.format, at: place, detail, mend: "leave them out")
            return nil
        }
        return text
    }

    /// Refuses a campaign that would be over before it begins.
    func checkEnd(createdAt: Timestamp?, envelope: JobEnvelope) {
        let end = ExpiryRule.resolve(options.expiry, createdAt: createdAt, acceptedAt: envelope.now)
        let field = reader.has("ttl") ? "ttl" : "expires_at"
        let place = reader.pointer.appending(field)
        guard end > envelope.now else {
            reader.log.refuse(
                .expired,
                at: place,
                "the campaign ended at \(end.rfc3339), and it is \(envelope.now.rfc3339) now",
                mend: field == "ttl" ? "ttl counts from created_at, time in the queue included" : "give a later instant"
            )
            return
        }
        let storageEnd = envelope.now.advanced(by: .seconds(ExpiryRule.secondsMax))
        if case .at = options.expiry, end > storageEnd {
            reader.log.warn(
                .beyondStorage,
                at: place,
                "no provider keeps a push for a device that is off for more than 30 days"
            )
        }
    }
}
