/// Something that happened to a campaign or an app, for whoever binds a queue to `fanfare.events` (contract, section 2).
public struct CampaignEvent: Sendable, Equatable {
    /// What happened; the raw value is the event's type.
    public enum Kind: String, Sendable, CaseIterable {
        /// The job is in the ledger.
        case accepted = "campaign.accepted"
        /// The job is in `parked`, with its problems.
        case refused = "campaign.refused"
        /// The first shard is out.
        case started = "campaign.started"
        /// Nothing is sent until `resumed`.
        case paused = "campaign.paused"
        /// It goes on.
        case resumed = "campaign.resumed"
        /// Every device has its outcome.
        case completed = "campaign.completed"
        /// An operator stopped it.
        case cancelled = "campaign.cancelled"
        /// A provider is out for an app, or refuses its credentials: nothing is sent until `app.resumed`.
        case suspended = "app.suspended"
        /// The provider takes the app's pushes again.
        case takenUp = "app.resumed"
        /// A shard's devices have ended, or are tried again; only for apps that ask (`AskedEvents`).
        case shardSettled = "shard.settled"
        /// Tokens of a shard are dead; only for apps that ask.
        case deviceInvalid = "device.invalid"
    }

    /// What happened.
    public var kind: Kind
    /// The app.
    public var app: String
    /// The campaign's id; nil when a refused job had none that can be read, and for what happens to an app.
    public var campaign: String?
    /// Tells events of one kind apart that a campaign has more than once (paused, resumed); the same for a repeat.
    public var sequence: Int64
    /// When it happened.
    public var time: Timestamp
    /// The event's data; an object.
    public var data: JSONValue

    /// An event; see the makers for the data that the kinds carry.
    public init(
        _ kind: Kind,
        app: String,
        campaign: String?,
        sequence: Int64 = 0,
        time: Timestamp,
        data: JSONValue
    ) {
        self.kind = kind
        self.app = app
        self.campaign = campaign
        self.sequence = sequence
        self.time = time
        self.data = data
    }

    /// The routing key: `<app>.<type>`.
    public var routingKey: String { app + "." + kind.rawValue }

    /// CloudEvents 1.0, JSON format.
    ///
    /// `source` and `id` together are the same for every repeat of an event, as the
    /// specification asks, so that a consumer can drop doubles.
    public var json: JSONValue {
        .object([
            "specversion": "1.0",
            "id": .string("\(campaign ?? "-")/\(kind.rawValue)/\(sequence)"),
            "source": .string("/fanfare/apps/" + app),
            "type": .string(kind.rawValue),
            "subject": campaign.map(JSONValue.string),
            "time": .string(time.rfc3339),
            "datacontenttype": "application/json",
            "data": data,
        ])
    }

    /// ``json`` as bytes; its content type is ``contentType``.
    public var bytes: [UInt8] { JSONWriter.bytes(json) }

    /// The AMQP content type of an event.
    public static let contentType = "application/cloudevents+json"
}

extension CampaignEvent {
    /// What became of a campaign whose job came again.
    public struct Known: Sendable, Equatable {
        /// When it was accepted.
        public var acceptedAt: Timestamp
        /// Its state, in the contract's words.
        public var state: String

        /// What became of it.
        public init(acceptedAt: Timestamp, state: String) {
            self.acceptedAt = acceptedAt
            self.state = state
        }
    }

    /// The job is in the ledger; `known` says that it was there before, as the same job, and what became of it.
    public static func accepted(
        _ job: Job,
        expiresAt: Timestamp,
        warnings: [Problem],
        known: Known? = nil,
        at time: Timestamp
    ) -> CampaignEvent {
        let data: JSONValue = .object([
            "campaign": .string(job.id),
            "app": .string(job.app),
            "name": job.name.map(JSONValue.string),
            "tags": .array(job.tags.map(JSONValue.string)),
            "metadata": Job.object(job.metadata),
            "created_at": job.createdAt.map { .string($0.rfc3339) },
            "accepted_at": .string((known?.acceptedAt ?? time).rfc3339),
            "expires_at": expiresAt.asEnd.map { .string($0.rfc3339) },
            "repeat": known != nil ? true : nil,
            "state": (known?.state).map(JSONValue.string),
            "warnings": .array(warnings.map(\.json)),
        ])
        return CampaignEvent(.accepted, app: job.app, campaign: job.id, time: time, data: data)
    }

    /// The job is refused; the data is the problem document.
    ///
    /// `sequence` tells refusals of one id apart.
    public static func refused(
        _ document: ProblemDocument,
        app: String,
        sequence: Int64,
        at time: Timestamp
    ) -> CampaignEvent {
        CampaignEvent(
            .refused,
            app: app,
            campaign: document.campaign,
            sequence: sequence,
            time: time,
            data: document.json
        )
    }

    /// The first shard is out.
    public static func started(app: String, campaign: String, audience: Int, at time: Timestamp) -> CampaignEvent {
        let data: JSONValue = .object([
            "campaign": .string(campaign), "app": .string(app), "audience": .number(JSONNumber(audience)),
            "started_at": .string(time.rfc3339),
        ])
        return CampaignEvent(.started, app: app, campaign: campaign, time: time, data: data)
    }

    /// The campaign was paused or goes on; `reasons` are those that hold it now.
    public static func pausing(
        _ kind: Kind,
        app: String,
        campaign: String,
        reasons: [String],
        sequence: Int64,
        at time: Timestamp
    ) -> CampaignEvent {
        precondition(kind == .paused || kind == .resumed, "pausing is paused or resumed")
        let data: JSONValue = .object([
            "campaign": .string(campaign), "app": .string(app), "reasons": .array(reasons.map(JSONValue.string)),
        ])
        return CampaignEvent(kind, app: app, campaign: campaign, sequence: sequence, time: time, data: data)
    }

    /// An app's breaker opened; `reason` is the provider's word, or ours.
    public static func suspended(
        app: String,
        provider: ProviderName,
        reason: String,
        sequence: Int64,
        at time: Timestamp
    ) -> CampaignEvent {
        let data: JSONValue = .object([
            "app": .string(app), "provider": .string(provider.rawValue), "reason": .string(reason),
        ])
        return CampaignEvent(.suspended, app: app, campaign: nil, sequence: sequence, time: time, data: data)
    }

    /// An app's breaker closed.
    public static func takenUp(
        app: String,
        provider: ProviderName,
        sequence: Int64,
        at time: Timestamp
    ) -> CampaignEvent {
        let data: JSONValue = .object(["app": .string(app), "provider": .string(provider.rawValue)])
        return CampaignEvent(.takenUp, app: app, campaign: nil, sequence: sequence, time: time, data: data)
    }

    /// The campaign is over: completed or cancelled, with its counts.
    ///
    /// `pending` is nothing then, or parked devices.
    public static func over(
        _ kind: Kind,
        app: String,
        campaign: String,
        audience: Int,
        counts: OutcomeCounts,
        pending: Int,
        at time: Timestamp
    ) -> CampaignEvent {
        precondition(kind == .completed || kind == .cancelled, "over is completed or cancelled")
        var members = [
            JSONMember("campaign", .string(campaign)), JSONMember("app", .string(app)),
            JSONMember("audience", .number(JSONNumber(audience))),
        ]
        for outcome in Outcome.allCases {
            members.append(JSONMember(outcome.name, .number(JSONNumber(counts[outcome]))))
        }
        members.append(JSONMember("pending", .number(JSONNumber(pending))))
        members.append(JSONMember("completed_at", .string(time.rfc3339)))
        return CampaignEvent(kind, app: app, campaign: campaign, time: time, data: .object(members))
    }
}
