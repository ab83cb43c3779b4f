/// An event of a campaign or an app, published to every queue bound to `fanfare.events` (contract, section 2).
public struct CampaignEvent: Sendable, Equatable {
    /// The kind of an event; the raw value is the event's type.
    public enum Kind: String, Sendable, CaseIterable {
        /// The job is recorded in the ledger.
        case accepted = "campaign.accepted"
        /// The job is parked, with its problems.
        case refused = "campaign.refused"
        /// The first shard is published.
        case started = "campaign.started"
        /// Sending stops until `resumed`.
        case paused = "campaign.paused"
        /// Sending continues.
        case resumed = "campaign.resumed"
        /// Every device has its outcome.
        case completed = "campaign.completed"
        /// An operator cancelled the campaign.
        case cancelled = "campaign.cancelled"
        /// A provider is down for an app, or refuses its credentials: nothing is sent until `app.resumed`.
        case suspended = "app.suspended"
        /// The provider accepts the app's pushes again.
        case takenUp = "app.resumed"
        /// A shard's devices have outcomes or are retried; only for apps that ask (`AskedEvents`).
        case shardSettled = "shard.settled"
        /// Tokens of a shard are dead; only for apps that ask.
        case deviceInvalid = "device.invalid"
    }

    /// The kind.
    public var kind: Kind
    /// The app.
    public var app: String
    /// The campaign's id; nil for an event of an app, and for a refused job without a readable id.
    public var campaign: String?
    /// The number that distinguishes repeatable events of one kind (paused, resumed); stays the same when one is
    /// republished.
    public var sequence: Int64
    /// The instant at which it happened.
    public var time: Timestamp
    /// The event's data; an object.
    public var data: JSONValue

    /// Creates an event; the static functions below make the data of each kind.
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

    /// The event in the JSON format of CloudEvents 1.0.
    ///
    /// All copies of an event have the same `source` and `id`, as the specification demands, so that a consumer can
    /// drop duplicates.
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
    /// The state of a campaign whose job came again.
    public struct Known: Sendable, Equatable {
        /// The instant of its acceptance.
        public var acceptedAt: Timestamp
        /// Its state, in the contract's words.
        public var state: String

        /// Creates the state.
        public init(acceptedAt: Timestamp, state: String) {
            self.acceptedAt = acceptedAt
            self.state = state
        }
    }

    /// Returns the event of a job recorded in the ledger; `known` is set if the same job was there before.
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

    /// Returns the event of a refused job; the data is the problem document.
    ///
    /// `sequence` distinguishes refusals of one id.
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

    /// Returns the event of the first published shard.
    public static func started(app: String, campaign: String, audience: Int, at time: Timestamp) -> CampaignEvent {
        let data: JSONValue = .object([
            "campaign": .string(campaign), "app": .string(app), "audience": .number(JSONNumber(audience)),
            "started_at": .string(time.rfc3339),
        ])
        return CampaignEvent(.started, app: app, campaign: campaign, time: time, data: data)
    }

    /// Returns the event of a pause or a resumption; `reasons` are the current reasons for a pause.
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

    /// Returns the event of an app's opened breaker; `reason` is the provider's word, or ours.
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

    /// Returns the event of an app's closed breaker.
    public static func takenUp(
        app: String,
        provider: ProviderName,
        sequence: Int64,
        at time: Timestamp
    ) -> CampaignEvent {
        let data: JSONValue = .object(["app": .string(app), "provider": .string(provider.rawValue)])
        return CampaignEvent(.takenUp, app: app, campaign: nil, sequence: sequence, time: time, data: data)
    }

    /// Returns the event of a completed or cancelled campaign, with its counts.
    ///
    /// `pending` is then 0, or the number of parked devices.
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
