public import Campaigns

/// A campaign as `campaign status` shows it: the contract's JSON (section 3) and a text for people.
public struct CampaignStatusView: Sendable, Equatable {
    /// The id within its app.
    public var id: String
    /// The app.
    public var app: String
    /// The campaign's kind, in the contract's word.
    public var kind = CampaignKind.notification.rawValue
    /// True if pushes are sent for it; apps learn of other campaigns when a session starts.
    public var sendsPushes = true
    /// The job's name for people.
    public var name: String?
    /// The job's tags.
    public var tags: [String] = []
    /// The job's metadata.
    public var metadata: [String: String] = [:]
    /// One of the contract's states, for example `sending`.
    public var state: String
    /// The reason for the state, when there is more to say.
    public var stateReason: String?
    /// The id of the campaign that superseded it.
    public var supersededBy: String?
    /// Devices in the audience.
    public var audience = 0
    /// Devices by outcome.
    public var outcomes = OutcomeCounts()
    /// Devices without an outcome, by where they wait.
    public var pending = PendingDetail()
    /// Requests that were sent.
    public var attempts = 0
    /// Devices of interrupted runs that may have been sent to without an answer.
    public var maybeSent = 0
    /// Devices that were sent to again because no answer came.
    public var unknownResent = 0
    /// Devices by the provider's reason.
    public var reasons: [String: Int] = [:]
    /// Devices per second that get an outcome at present; nil when nothing runs.
    public var rate: Int?
    /// The instant of its end at that rate.
    public var etaAt: Timestamp?
    /// The instant at which the next retry is due.
    public var nextRetryAt: Timestamp?
    /// The instant of its creation, from the producer.
    public var createdAt: Timestamp?
    /// The instant of its acceptance.
    public var acceptedAt: Timestamp?
    /// The instant at which its first shard was published.
    public var startedAt: Timestamp?
    /// The instant at which its last device got an outcome.
    public var completedAt: Timestamp?
    /// The instant after which nothing is sent.
    public var expiresAt: Timestamp?
    /// Its devices by provider, sorted by name; empty until its audience is known.
    public var providers: [Provider] = []
    /// Its parts.
    public var parts: [JSONValue] = []
    /// Devices that wait for a retry, by rung, the shortest first.
    public var retries: [Retries] = []
    /// The repetition; nil for a campaign that does not repeat.
    public var repetition: RepeatView?
    /// The id of the repeated campaign that this one is a run of.
    public var runOf: String?
    /// The violation that the ledger's own check of the law found; nil when there is none.
    public var lawViolation: String?

    /// The devices on a rung of the retry ladder.
    public struct Retries: Sendable, Equatable {
        /// The rung's name, for example `30s`.
        public var rung: String
        /// The number of devices that wait there.
        public var devices: Int

        /// Creates the count of a rung.
        public init(rung: String, devices: Int) {
            self.rung = rung
            self.devices = devices
        }
    }

    /// The devices of one provider.
    public struct Provider: Sendable, Equatable {
        /// The provider's name.
        public var name: String
        /// The number of its devices.
        public var audience: Int
        /// Its devices by outcome.
        public var outcomes: OutcomeCounts
        /// Its devices without an outcome.
        public var pending: PendingDetail
        /// The reasons for which they wait; empty when they do not.
        public var pausedBy: [String]

        /// Creates the counts of a provider.
        public init(
            name: String,
            audience: Int,
            outcomes: OutcomeCounts,
            pending: PendingDetail = PendingDetail(),
            pausedBy: [String] = []
        ) {
            self.name = name
            self.audience = audience
            self.outcomes = outcomes
            self.pending = pending
            self.pausedBy = pausedBy
        }
    }

    /// Devices without an outcome, by where they wait; each number is counted, none is a difference of others.
    public struct PendingDetail: Sendable, Equatable {
        /// Devices that are in no shard yet.
        public var unplanned = 0
        /// Devices whose shard waits in a queue.
        public var queued = 0
        /// Devices whose shard is with a worker.
        public var sending = 0
        /// Devices on a rung of the retry ladder.
        public var retrying = 0
        /// Devices set aside: paused, held, handed over.
        public var held = 0
        /// Devices set aside for a person.
        public var parked = 0

        /// Creates counts of zero.
        public init() {}

        /// The sum of all counts.
        public var total: Int { unplanned + queued + sending + retrying + held + parked }

        fileprivate var named: [(String, Int)] {
            [
                ("unplanned", unplanned), ("queued", queued), ("sending", sending), ("retrying", retrying),
                ("held", held), ("parked", parked),
            ]
        }
    }

    /// Creates a campaign in a state; the other facts are set afterwards.
    public init(id: String, app: String, state: String) {
        self.id = id
        self.app = app
        self.state = state
    }

    /// True if every device is accounted for: audience = outcomes + pending.
    public var isLawKept: Bool { lawViolation == nil && audience == outcomes.total + pending.total }

    /// True if the state will not change any more.
    public var isFinished: Bool { ["completed", "cancelled", "failed", "refused"].contains(state) }

    /// True if no device will get another outcome: shards that ran at a cancel have their answers, too.
    public var isOver: Bool { isFinished && pending.total == 0 }

    /// The contract's JSON with the members in its order; absent values are `null`.
    public var json: JSONValue {
        var members = [
            JSONMember("id", .string(id)), JSONMember("app", .string(app)), JSONMember("name", text(name)),
            JSONMember("tags", .array(tags.map(JSONValue.string))),
            JSONMember(
                "metadata",
                .object(metadata.sorted { $0.key < $1.key }.map { JSONMember($0.key, .string($0.value)) })
            ),
            JSONMember("state", .string(state)), JSONMember("state_reason", text(stateReason)),
            JSONMember("superseded_by", text(supersededBy)), JSONMember("audience", number(audience)),
        ]
        members += Outcome.allCases.map { JSONMember($0.name, number(outcomes[$0])) }
        members += [
            JSONMember("pending", number(pending.total)),
            JSONMember("pending_detail", .object(pending.named.map { JSONMember($0.0, number($0.1)) })),
            JSONMember("attempts", number(attempts)), JSONMember("maybe_sent", number(maybeSent)),
            JSONMember("unknown_resent", number(unknownResent)),
            JSONMember("reasons", .object(sortedReasons.map { JSONMember($0.key, number($0.value)) })),
            JSONMember("rate", rate.map { number($0) } ?? .null),
            JSONMember("eta_at", instant(etaAt)), JSONMember("next_retry_at", instant(nextRetryAt)),
            JSONMember("created_at", instant(createdAt)), JSONMember("accepted_at", instant(acceptedAt)),
            JSONMember("started_at", instant(startedAt)), JSONMember("completed_at", instant(completedAt)),
            JSONMember("expires_at", instant(expiresAt)), JSONMember("parts", .array(parts)),
            JSONMember("providers", .object(providers.map { JSONMember($0.name, $0.json) })),
            JSONMember("retries", .object(retries.map { JSONMember($0.rung, number($0.devices)) })),
            JSONMember("run_of", text(runOf)), JSONMember("repeat", repetition?.json ?? .null),
            JSONMember("runs", .array(repetition?.runs ?? [])), JSONMember("kind", .string(kind)),
            JSONMember("sends_pushes", .bool(sendsPushes)),
        ]
        return .object(members)
    }

    /// The reasons, the most frequent first.
    var sortedReasons: [(key: String, value: Int)] {
        reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    }

    /// The pending devices by where they wait, without zeros: `queued 5,000, sending 2,000`.
    var pendingText: String {
        pending.named.filter { $0.1 > 0 }.map { "\($0.0) \(NumberText.grouped($0.1))" }.joined(separator: ", ")
    }

    private func text(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }
    private func number(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }
    private func instant(_ value: Timestamp?) -> JSONValue { value.map { .string($0.rfc3339) } ?? .null }
}

extension CampaignStatusView.Provider {
    fileprivate var json: JSONValue {
        func number(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }
        let detail = pending.named.map { JSONMember($0.0, number($0.1)) }
        return .object(
            [JSONMember("audience", number(audience))]
                + Outcome.allCases.map { JSONMember($0.name, number(outcomes[$0])) }
                + [
                    JSONMember("pending", number(pending.total)), JSONMember("pending_detail", .object(detail)),
                    JSONMember("paused_by", .array(pausedBy.map(JSONValue.string))),
                ]
        )
    }
}
