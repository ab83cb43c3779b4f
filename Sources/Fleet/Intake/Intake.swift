import AMQP
import Campaigns
import Delivery
import Operations
import PushProviders
import Settings
import Store
import TLS

/// Turns a producer's message into a campaign, or into a refusal that names every problem.
///
/// It reads and decides; acceptance, list and event are one synced transaction. May be used by several tasks at once.
struct Intake: Sendable {
    let ledger: Ledger
    let apps: AppDirectory
    let worker: Int64
    /// True if this process has the sender role: otherwise no job takes the fast path to its sender.
    var sends = true

    /// The result for a message, which is acked once the result is carried out.
    enum Verdict: Sendable {
        /// A campaign, new or known: the message is acked.
        case accepted
        /// The shards of an urgent job, which run in this process; the message is their lease.
        case claimed([ShardToPublish])
        /// The shards of a known urgent campaign whose message was redelivered; each is claimed as redelivered.
        case reclaim([ShardToPublish])
        /// A refused job: the message is parked with these problems.
        case refused(ParkedNotice.Facts)
    }

    /// Handles one message.
    ///
    /// Throws only when the ledger cannot do its part now: then the message waits, unacked.
    func handle(_ message: InboundMessage) async throws -> Verdict {
        let steps = ledger.timeSteps
        let now = ledger.now()
        let decoding = decode(message, now: now)
        guard let job = decoding.job, decoding.problems.isEmpty else {
            if let verdict = try await accepted(decoding, message, now: now) { return verdict }
            return try await refuse(ProblemDocument(refused: decoding), app: decoding.app, message, now: now)
        }
        let identity = SHA256.digest(job.canonicalJSON())
        let (knowledge, served) = try await readFacts(job, now: now)
        if let known = IntakeDecision.known(job: job, identity: identity, holder: knowledge.holder) {
            return try await answer(known, job, message, now: now)
        }
        let app = KnownApp(job.app, in: apps)
        let providers = providers(of: job, knowledge, served: served)
        var check = app.check(job, with: providers.checked, now: now)
        check.problems += providers.problems
        switch IntakeDecision.decide(job: job, identity: identity, knowledge: knowledge, problems: check.problems) {
        case .refuse(let problems):
            let document = ProblemDocument(
                .invalidJob,
                title: "The job cannot be sent",
                campaign: job.id,
                errors: problems,
                warnings: decoding.warnings + check.warnings
            )
            return try await refuse(document, app: job.app, message, now: now)
        case .conflict, .existing: preconditionFailure("\(job.id) has no campaign and one at once")
        case .accept(let fastPath):
            let slow =
                !job.sendsPushes
                ? []
                : TooSlow.warnings(
                    job,
                    devices: knowledge.deviceCount,
                    appPace: apps.pace(of: job.app),
                    quotas: quotas(of: job, knowledge),
                    now: now
                )
            let warnings =
                decoding.warnings + check.warnings + slow + IntakeDecision.warnings(job, knowledge) + providers.warnings
            let addressed = job.addressed(to: knowledge.channel)
            let contents = providers.meant.map { app.variants(of: addressed, for: $0) }
            let origin = Origin(message, job)
            let new =
                !job.sendsPushes
                ? try await newInApp(job, identity, warnings, origin, now: now)
                : try await newCampaign(addressed, contents, identity, warnings, origin, now: now)
            let isDirect = fastPath && !isLate(new, now) && apps.pace(of: job.app) == nil
            if let verdict = try await accept(new, fastPath: isDirect, now: now, steps: steps) { return verdict }
            return try await handle(message)
        }
    }

    private func isLate(_ new: NewCampaign, _ now: Timestamp) -> Bool { now >= new.facts.expiresAt }

    // MARK: - Reading

    private func decode(_ message: InboundMessage, judgesTime: Bool = true, now: Timestamp) -> JobDecoding {
        var envelope = JobEnvelope(
            routingKey: message.routingKey,
            messageID: message.properties.messageID,
            contentType: message.properties.contentType,
            type: message.properties.type,
            timestampSeconds: message.properties.timestamp.map { Int64(clamping: $0) },
            now: now,
            tokens: ProviderRegistry.tokens
        )
        envelope.judgesTime = judgesTime
        envelope.isTranslated = message.properties.header(BrokerNames.translatedHeader) != nil
        if case .string(let urgency) = message.properties.header(BrokerNames.urgencyHeader) {
            envelope.urgencyHeader = urgency
        }
        return JobDecoder.decode(message.body, envelope: envelope)
    }

    private func readFacts(
        _ job: Job,
        now: Timestamp
    ) async throws -> (knowledge: IntakeDecision.Knowledge, served: Set<ProviderName>) {
        let store = ledger.storeID
        return try await ledger.read { [worker] reader in
            let served = try reader.liveAccounts(now: now, asking: worker).providers[job.app]
            var knowledge = try reader.knowledge(of: job, isAppKnown: served != nil, store: store)
            knowledge.unserved = Set(knowledge.providers).subtracting(served ?? [])
            return (knowledge, served ?? [])
        }
    }

    // MARK: - Accepting

    /// Returns the campaign of a job.
    ///
    /// `contents`: the content for each provider of its devices; while these are not known, for the most probable
    /// provider first, then for all others.
    func newCampaign(
        _ job: Job,
        _ contents: [ContentVariants],
        _ identity: [UInt8],
        _ warnings: [Problem],
        _ origin: Origin,
        now: Timestamp
    ) async throws -> NewCampaign {
        guard let variants = contents.first else { preconditionFailure("a campaign without a provider") }
        let push = variants.standard
        let schedule = try await schedule(job, origin, now: now)
        let (audience, expiresAt) = (schedule.audience, schedule.expiresAt)
        let facts = Shard.Facts(
            push,
            of: job,
            provider: variants.provider.name,
            expiresAt: expiresAt,
            traceParent: origin.traceParent
        )
        let isKnown = schedule.freezing == nil && schedule.repetition == nil
        let warnings = try await warnings + self.warnings(of: isKnown ? contents : [variants], job, audience)
        return NewCampaign(
            identity: identity,
            job: job.storedJSON(),
            kind: job.kind,
            content: NamedContent.brought(by: job),
            name: job.name,
            tags: job.tags,
            metadata: job.metadata,
            facts: facts,
            // A counted badge alone needs no variables.
            carriesVariables: contents.contains { $0.isPersonal } && job.usesVariables,
            variants: variants.stored,
            contents: isKnown && contents.count > 1 ? contents.map(\.content) : [],
            pace: job.delivery.perSecond.map { Pace(perSecond: $0, rampUp: job.delivery.rampUp) },
            ignoresCap: job.delivery.frequencyCap == .ignore,
            badge: job.content.badgeChange,
            audience: audience,
            freezing: schedule.freezing,
            atMost: job.atMost,
            createdAt: job.createdAt ?? now,
            release: schedule.release,
            collapseKey: schedule.collapseKey,
            parts: schedule.parts,
            repetition: schedule.repetition,
            correlationID: origin.correlationID,
            event: CampaignEvent.accepted(job, expiresAt: expiresAt, warnings: warnings, at: now)
        )
    }

    /// Returns warnings about the devices' variables, as far as they are known (contract, section 1, Limits).
    private func warnings(
        of contents: [ContentVariants],
        _ job: Job,
        _ audience: NewCampaign.Audience
    ) async throws -> [Problem] {
        var warnings = try await badgeWarnings(job)
        for variants in contents {
            // A warning that two providers share is given once.
            for warning in try await personalWarnings(of: variants, job, audience) where !warnings.contains(warning) {
                warnings.append(warning)
            }
        }
        return warnings
    }

    /// Returns a warning when there is no badge count to raise or lower.
    private func badgeWarnings(_ job: Job) async throws -> [Problem] {
        guard job.content.badgeChange?.step != nil else { return [] }
        guard try await !ledger.read({ try $0.hasDevices(app: job.app) }) else { return [] }
        return [
            Problem(
                pointer: "/content/badge",
                code: .noBadgeCount,
                detail: "the registry has no device of \(job.app): no badge changes",
                fix: "register devices, or give badge as a number"
            )
        ]
    }

    private func personalWarnings(
        of variants: ContentVariants,
        _ job: Job,
        _ audience: NewCampaign.Audience
    ) async throws -> [Problem] {
        guard variants.isPersonal, let preview = try? ContentPreview(variants) else { return [] }
        switch (job.audience, audience) {
        case (.devices(let devices), _):
            return ContentPreview.warnings(preview.samples(devices.filter { $0.provider == variants.provider.name }))
        case (.list, .list(let number)):
            let longest = try await ledger.read { try $0.variables(ofList: number) }
            return preview.warnings(longest: longest) + job.unknownVariables(known: Set(longest.keys))
        case (.list, _), (.users, _), (.segment, _), (.everyone, _), (.channel, _), (.activity, _): return []
        }
    }

    /// Returns nil when another message took the id between read and write, so that the job is a repeat or a conflict
    /// now; also when the shared time was set meanwhile (`Ledger.timeSteps`).
    private func accept(_ new: NewCampaign, fastPath: Bool, now: Timestamp, steps: Int) async throws -> Verdict? {
        let providers = new.contents.isEmpty ? [new.facts.provider] : new.contents.map(\.provider)
        let (new, isWritten) = try await writingChunks(of: new, now: now)
        guard fastPath, sends, !isWritten,
            providers.allSatisfy({ apps.account(app: new.facts.app, provider: $0) != nil })
        else {
            let acceptance = try await ledger.write(.synced) { [ledger] in
                ledger.timeSteps == steps ? try $0.accept(new, now: now) : nil
            }
            guard case .accepted? = acceptance else { return nil }
            return .accepted
        }
        let (worker, cap) = (worker, apps.cap(of: new.facts.app))
        let accepted = try await ledger.write(.synced, priority: .ahead) { [ledger] in
            ledger.timeSteps == steps ? try $0.acceptClaimed(new, worker: worker, cap: cap, now: now) : nil
        }
        guard let (acceptance, shards) = accepted, case .accepted = acceptance else { return nil }
        return shards.isEmpty ? .accepted : .claimed(shards)
    }

    // MARK: - Known

    /// Answers a job that is refused by now but was accepted while its time had not passed; nil for any other.
    private func accepted(
        _ decoding: JobDecoding,
        _ message: InboundMessage,
        now: Timestamp
    ) async throws -> Verdict? {
        guard let app = decoding.app, let id = decoding.id,
            let job = decode(message, judgesTime: false, now: now).job,
            let known = try await ledger.read({ try $0.knownCampaign(app: app, id: id) }),
            let decision = IntakeDecision.known(
                job: job,
                identity: SHA256.digest(job.canonicalJSON()),
                holder: known.holder
            )
        else { return nil }
        return try await answer(decision, job, message, now: now)
    }

    /// Answers a job whose key belongs to a campaign.
    private func answer(
        _ decision: IntakeDecision,
        _ job: Job,
        _ message: InboundMessage,
        now: Timestamp
    ) async throws -> Verdict {
        guard case .conflict(let problem) = decision else { return try await known(job, message, now: now) }
        let document = ProblemDocument(
            .campaignConflict,
            title: "Another job has this id",
            campaign: job.id,
            errors: [problem]
        )
        return try await refuse(document, app: job.app, message, now: now)
    }

    /// Answers the same job again with the campaign's state; an urgent campaign whose message was lost continues.
    private func known(_ job: Job, _ message: InboundMessage, now: Timestamp) async throws -> Verdict {
        guard let campaign = try await ledger.read({ try $0.knownCampaign(app: job.app, id: job.id) }) else {
            // The campaign has been forgotten since the read.
            return try await handle(message)
        }
        let number = campaign.facts.number
        let event = CampaignEvent.accepted(
            job,
            expiresAt: campaign.facts.expiresAt,
            warnings: [],
            known: CampaignEvent.Known(acceptedAt: campaign.acceptedAt, state: campaign.state),
            at: now
        )
        let correlationID = message.properties.messageID ?? job.id
        // The message is acked next, and its producer waits for the answer.
        try await ledger.write(.synced) { [event] transaction in
            try transaction.addEvent(correlationID: correlationID) { sequence in
                var repeated = event
                repeated.sequence = sequence
                return repeated
            }
        }
        guard message.redelivered, IntakeDecision.takesFastPath(job) else { return .accepted }
        let shards = try await ledger.read { try $0.fastPathShards(campaign: number) }
        return shards.isEmpty ? .accepted : .reclaim(shards)
    }

    // MARK: - Refusing

    private func refuse(
        _ document: ProblemDocument,
        app: String?,
        _ message: InboundMessage,
        now: Timestamp
    ) async throws -> Verdict {
        let name = app ?? message.routingKey
        let id = document.campaign ?? message.properties.messageID ?? ""
        let bytes = JSONWriter.bytes(document.json)
        let correlationID = message.properties.messageID ?? id
        try await ledger.write(.synced) { transaction in
            _ = try transaction.refuse(
                app: name,
                id: id.isEmpty ? nil : id,
                document: bytes,
                correlationID: correlationID,
                now: now
            ) { CampaignEvent.refused(document, app: name, sequence: $0, at: now) }
        }
        return .refused(
            ParkedNotice.Facts(
                queue: message.queue,
                reason: (document.kind == .campaignConflict ? RefusalReason.campaignConflict : .invalidJob).rawValue,
                errors: document.errors,
                app: name,
                campaign: id.isEmpty ? nil : id
            )
        )
    }
}

extension Intake.Origin {
    fileprivate init(_ message: InboundMessage, _ job: Job) {
        correlationID = message.properties.messageID ?? job.id
        // An invalid `traceparent` must be ignored, so it is not passed on (W3C Trace Context, section 3.2.2.5).
        if case .string(let text) = message.properties.header("traceparent"), TraceContext(text) != nil {
            traceParent = text
        }
    }
}

extension WorkerContext {
    /// The intake of the worker.
    var intake: Intake { Intake(ledger: ledger, apps: apps, worker: worker, sends: sends) }
}
