/// The end of a shard's attempt, as reported by `shard.settled`.
public struct SettledShard: Sendable, Equatable {
    /// The campaign's id.
    public var campaign: String
    /// The app.
    public var app: String
    /// The provider that delivers to its devices.
    public var provider: ProviderName
    /// The shard's id; a retry shard has its own.
    public var id: ShardID
    /// The number of the attempt, from 1.
    public var attempt: UInt32
    /// The outcomes of its devices.
    public var counts: OutcomeCounts
    /// The number of devices that are retried in another shard.
    public var retried: Int
    /// The number of devices that wait until it is clear that their tokens belong to the right environment.
    public var held: Int
    /// The number of requests.
    public var requests: Int
    /// The number of outcomes by reason.
    public var reasons: [String: Int]
    /// The number of devices that are tried again, by the reason of their last try.
    public var retryReasons: [String: Int]

    /// Creates a report.
    public init(
        campaign: String,
        app: String,
        provider: ProviderName,
        id: ShardID,
        attempt: UInt32,
        counts: OutcomeCounts,
        retried: Int,
        held: Int,
        requests: Int,
        reasons: [String: Int],
        retryReasons: [String: Int] = [:]
    ) {
        self.campaign = campaign
        self.app = app
        self.provider = provider
        self.id = id
        self.attempt = attempt
        self.counts = counts
        self.retried = retried
        self.held = held
        self.requests = requests
        self.reasons = reasons
        self.retryReasons = retryReasons
    }
}

/// A device with a dead token, as reported by `device.invalid`.
public struct InvalidDevice: Sendable, Equatable {
    /// The token as producers write it.
    public var token: String
    /// The producer's name for the device.
    public var id: String?
    /// The instant since which it is dead, by the provider's clock; nil if the provider did not say.
    public var since: Timestamp?
    /// The provider's word, or ours.
    public var reason: String?

    /// Creates a device.
    public init(token: String, id: String?, since: Timestamp?, reason: String?) {
        self.token = token
        self.id = id
        self.since = since
        self.reason = reason
    }
}

extension CampaignEvent {
    /// Returns the event of a settled shard, with its outcomes and its retries.
    ///
    /// Devices = outcomes + retrying + held.
    public static func settled(_ shard: SettledShard, sequence: Int64, at time: Timestamp) -> CampaignEvent {
        var members = [
            JSONMember("campaign", .string(shard.campaign)), JSONMember("app", .string(shard.app)),
            JSONMember("provider", .string(shard.provider.rawValue)),
            JSONMember("shard", .string(shard.id.description)),
            JSONMember("attempt", .number(JSONNumber(Int(shard.attempt)))),
            JSONMember("devices", .number(JSONNumber(shard.counts.total + shard.retried + shard.held))),
        ]
        for outcome in Outcome.allCases {
            members.append(JSONMember(outcome.name, .number(JSONNumber(shard.counts[outcome]))))
        }
        members += [
            JSONMember("retrying", .number(JSONNumber(shard.retried))),
            JSONMember("held", .number(JSONNumber(shard.held))),
            JSONMember("requests", .number(JSONNumber(shard.requests))),
            JSONMember("reasons", json(shard.reasons)), JSONMember("retry_reasons", json(shard.retryReasons)),
            JSONMember("settled_at", .string(time.rfc3339)),
        ]
        return CampaignEvent(
            .shardSettled,
            app: shard.app,
            campaign: shard.campaign,
            sequence: sequence,
            time: time,
            data: .object(members)
        )
    }

    private static func json(_ reasons: [String: Int]) -> JSONValue {
        .object(reasons.sorted { $0.key < $1.key }.map { JSONMember($0.key, .number(JSONNumber($0.value))) })
    }

    /// Returns the event of a shard's dead tokens.
    ///
    /// A consumer should delete them, unless the device has registered again since.
    public static func invalid(
        _ devices: [InvalidDevice],
        app: String,
        campaign: String,
        provider: ProviderName,
        sequence: Int64,
        at time: Timestamp
    ) -> CampaignEvent {
        let list = devices.map { device in
            JSONValue.object([
                "token": .string(device.token), "id": device.id.map(JSONValue.string),
                "since": device.since.map { .string($0.rfc3339) }, "reason": device.reason.map(JSONValue.string),
            ])
        }
        let data: JSONValue = .object([
            "campaign": .string(campaign), "app": .string(app), "provider": .string(provider.rawValue),
            "devices": .array(list),
        ])
        return CampaignEvent(
            .deviceInvalid,
            app: app,
            campaign: campaign,
            sequence: sequence,
            time: time,
            data: data
        )
    }
}
