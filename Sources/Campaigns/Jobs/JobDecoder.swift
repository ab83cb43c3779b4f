/// A decoder that turns a producer's bytes into a job, or into all of their problems (contract, sections 1 and 2).
///
/// Strict: a field that the contract does not have is refused, never ignored. Pure: the envelope carries the time. It
/// takes linear time and never traps, whatever the bytes are.
public enum JobDecoder {
    /// The only message type.
    public static let messageType = "fanfare.campaign.v1"
    /// The maximum time that a producer's clock may be ahead of ours; beyond that its expiry would be wrong too.
    public static let clockSkewMax = Duration.seconds(300)

    /// Decodes the bytes of a message, a file or a request.
    public static func decode(_ bytes: [UInt8], envelope: JobEnvelope) -> JobDecoding {
        let text = AMQP1Body.job(in: bytes, type: envelope.type)
        let reading = text.map { JSONReader.read($0) }
        let log = ProblemLog(reading?.problems ?? [])
        let format = MessageFormat.check(envelope, isReadable: reading != nil, log)
        var pointer = JSONPointer.root
        var body = reading?.value
        if format == .cloudEvent, let event = body {
            body = MessageFormat.data(ofCloudEvent: event, log)
            pointer = pointer.appending("data")
        }
        var draft: JobDraft?
        if let body, format != nil {
            draft = JobDraft(body, at: pointer, .received(envelope), log)
        }
        let problems = log.all
        return JobDecoding(
            job: problems.isEmpty ? draft?.job : nil,
            id: draft?.id ?? envelope.messageID.flatMap { NameRule.isID($0) ? $0 : nil },
            app: envelope.routingKey ?? draft?.app,
            problems: problems,
            warnings: log.warnings
        )
    }
}

/// The origin of a job's text.
enum JobOrigin {
    /// A producer; everything is checked.
    case received(JobEnvelope)
    /// The ledger: the job was checked, its inline devices are in a list, and time has passed.
    case stored

    var envelope: JobEnvelope? {
        if case .received(let envelope) = self { envelope } else { nil }
    }
}

/// A job, as far as it can be read.
struct JobDraft {
    private(set) var id: String?
    private(set) var app: String?
    /// The complete job, if no problem was found.
    private(set) var job: Job?

    init?(_ value: JSONValue, at pointer: JSONPointer, _ origin: JobOrigin, _ log: ProblemLog) {
        guard let reader = ObjectReader(value, at: pointer, JobFields.job, log) else { return nil }
        let identity = JobIdentity(reader, envelope: origin.envelope)
        (id, app) = (identity.id, identity.app)
        // An unknown one is reported, and the remainder is checked as a notification.
        let kind = reader.choice("kind", of: CampaignKind.self) ?? .notification
        let createdAt = JobDraft.createdAt(reader, envelope: origin.envelope)
        // Without the block its default values apply, and so does the end after 30 days.
        let block = reader.has("delivery") ? reader.value("delivery") : .object([JSONMember]())
        let delivery = block.flatMap { DeliveryDecoder($0, at: pointer.appending("delivery"), log) }
        let options = delivery?.options ?? DeliveryOptions()
        reader.require("content", fix: "say what the push shows, for example {\"title\": \"Kick-off\"}")
        let content = reader.value("content").flatMap { value in
            ContentDecoder(value, at: pointer.appending("content"), log)?.content(
                kind,
                isLiveActivity: options.pushType == .liveactivity
            )
        }
        reader.require("audience", fix: "say who is meant, for example {\"list\": \"sport\"}")
        let meant = JobDraft.audience(reader, options, origin, at: pointer.appending("audience"), log)
        let inApp = InAppRules(
            content: content,
            delivery: value["delivery"],
            audience: value["audience"],
            segments: InAppRules.segments(meant.audience, meant.exclude),
            pointer: pointer,
            log: log
        )
        inApp.check(options, kind)
        InsideRules(kind: kind, content: content, given: value, pointer: pointer, log: log).check(options, inApp)
        if let content, kind != .inApp, options.show != .inApp, delivery?.hasReadablePushType ?? false {
            PushRules(kind: kind, content: content, delivery: options, at: pointer, log).check()
        }
        if let content, let audience = meant.audience, origin.envelope != nil, kind != .inApp,
            delivery?.hasReadablePushType ?? false
        {
            ActivityRules(kind: kind, content: content, delivery: options, at: pointer, log)
                .check(audience, meant.exclude)
        }
        if let envelope = origin.envelope {
            if envelope.judgesTime { inApp.checkEnd(options, now: envelope.now) }
            if envelope.judgesTime, kind != .inApp { delivery?.checkEnd(createdAt: createdAt, envelope: envelope) }
            if options.repetition != nil { identity.checkRepeated(reader) }
            JobDraft.compareUrgency(options.policy.urgency, envelope: envelope, at: pointer, log)
        }
        if let content, case .devices(let devices)? = meant.audience, origin.envelope != nil, log.isEmpty {
            JobDraft.warnOfVariables(content, options, devices, at: pointer, log)
        }
        let name = reader.text("name")
        let tags = reader.texts("tags", countMax: JobDraft.tagsMax)
        let metadata = JobDraft.metadata(reader)
        guard let id, let app, let content, let audience = meant.audience else { return }
        job = Job(
            id: id,
            app: app,
            kind: kind,
            createdAt: createdAt,
            name: name,
            tags: tags,
            metadata: metadata,
            audience: audience,
            exclude: meant.exclude,
            atMost: meant.atMost,
            upload: meant.upload,
            content: content,
            delivery: options
        )
    }

    /// The devices that a job means, as far as they can be read, and the upload that their list comes from.
    private static func audience(
        _ reader: ObjectReader,
        _ options: DeliveryOptions,
        _ origin: JobOrigin,
        at pointer: JSONPointer,
        _ log: ProblemLog
    ) -> (audience: Audience?, exclude: Audience?, atMost: Int?, upload: String?) {
        let (isUrgent, isStored) = (options.policy.urgency == .urgent, origin.envelope == nil)
        // The devices of a stored job are already checked.
        let tokens = origin.envelope?.tokens
        guard let value = reader.value("audience"),
            let decoder = AudienceDecoder(value, at: pointer, JobFields.audience, tokens, log)
        else { return (nil, nil, nil, nil) }
        let limits = decoder.limits(isUrgent: isUrgent, isStored: isStored)
        let audience = decoder.audience(isUrgent: isUrgent, isStored: isStored)
        let upload = decoder.upload(of: audience, isRepeated: options.repetition != nil)
        return (audience, limits.exclude, limits.atMost, upload)
    }

    /// Warns of template variables that no device of the job has.
    private static func warnOfVariables(
        _ content: Content,
        _ options: DeliveryOptions,
        _ devices: [Device],
        at pointer: JSONPointer,
        _ log: ProblemLog
    ) {
        let known = Set(devices.flatMap(\.variables.keys))
        let collapse = options.collapseID.map {
            [(location: pointer.appending("delivery").appending("collapse_id"), text: $0)]
        }
        let texts = content.personalTexts(at: pointer.appending("content")) + (collapse ?? [])
        for warning in Templates.unknownVariables(texts, known: known) { log.warn(warning) }
    }

    private static let tagsMax = 20
    private static let metadataMax = 20

    private static func createdAt(_ reader: ObjectReader, envelope: JobEnvelope?) -> Timestamp? {
        let isGiven = reader.has("created_at")
        let createdAt = isGiven ? reader.instant("created_at") : envelope?.timestamp
        guard let createdAt, let envelope, envelope.judgesTime else { return createdAt }
        if createdAt > envelope.now.advanced(by: JobDecoder.clockSkewMax) {
            let source = isGiven ? "created_at" : "the AMQP timestamp"
            reader.log.refuse(
                .tooFarAhead,
                at: reader.pointer.appending("created_at"),
                "\(source) is more than five minutes ahead of \(envelope.now.rfc3339)",
                fix: isGiven
                    ? "set the producer's clock" : "give whole seconds since 1970, and set the producer's clock"
            )
        }
        return createdAt
    }

    private static func metadata(_ reader: ObjectReader) -> [String: String] {
        guard let members = reader.members("metadata") else { return [:] }
        let location = reader.pointer.appending("metadata")
        if members.count > metadataMax {
            let detail = "metadata has \(members.count) pairs, at most \(metadataMax) are allowed"
            reader.log.refuse(.tooMany, at: location, detail)
        }
        var metadata: [String: String] = [:]
        for member in members {
            guard case .string(let text) = member.value else {
                let found = member.value.typeName
                reader.log.refuse(.type, at: location.appending(member.name), "metadata holds strings, not \(found)")
                continue
            }
            metadata[member.name] = text
        }
        return metadata
    }

    /// Warns if the header differs from the job: the header only selects the intake queue, the job determines the
    /// urgency.
    private static func compareUrgency(
        _ urgency: Urgency,
        envelope: JobEnvelope,
        at pointer: JSONPointer,
        _ log: ProblemLog
    ) {
        guard let header = envelope.urgencyHeader, header != urgency.rawValue else { return }
        log.warn(
            .urgencyHeader,
            at: pointer.appending("delivery").appending("urgency"),
            "the AMQP header urgency is not what the job says: it is sent as \(urgency.rawValue)",
            fix: "give the header and delivery.urgency the same value"
        )
    }
}

extension JSONValue {
    /// Adds an uploaded list as the audience of a job without one: `campaign send --audience` publishes the result.
    ///
    /// - Parameter list: `name@version`.
    /// - Returns: nil if the value is not an object, or already has an audience.
    public func addingAudience(list: String) -> JSONValue? {
        guard case .object(let members) = self, self["audience"] == nil else { return nil }
        return .object(members + [JSONMember("audience", .object(["list": .string(list)]))])
    }
}
