package import Campaigns
package import Delivery

/// A campaign as `campaign status` shows it: the contract's JSON (section 3) and a text for people.
package struct CampaignStatusView: Sendable, Equatable {
    /// The id within its app.
    package var id: String
    /// The app.
    package var app: String
    /// The campaign's kind, in the contract's word.
    package var kind = CampaignKind.notification.rawValue
    /// True if pushes are sent for it; apps learn of other campaigns when a session starts.
    package var sendsPushes = true
    /// The job's name for people.
    package var name: String?
    /// The job's tags.
    package var tags: [String] = []
    /// The job's metadata.
    package var metadata: [String: String] = [:]
    /// One of the contract's states, for example `sending`.
    package var state: String
    /// The reason for the state, when there is more to say.
    package var stateReason: String?
    /// The stable codes of the reason; empty when there is nothing to say.
    package var stateCodes: [String] = []
    /// The facts of the reason; nil for a refused job.
    private var stateFacts: StateFacts?
    /// The id of the campaign that superseded it.
    package var supersededBy: String?
    /// Devices in the audience; those so far, while it is being frozen.
    package var audience = 0
    /// True while the audience is being frozen.
    package var isPlanning = false
    /// The estimate of the whole audience, while it is frozen and sent at once.
    package var estimate: AudienceEstimate?
    /// About how many devices of the audience were never looked at, because the campaign ended before.
    package var unexamined: Int?
    /// Devices by outcome.
    package var outcomes = OutcomeCounts()
    /// Devices without an outcome, by where they wait.
    package var pending = PendingDevices()
    /// Requests that were sent.
    package var attempts = 0
    /// Devices of interrupted runs that may have been sent to without an answer.
    package var maybeSent = 0
    /// Devices that were sent to again because no answer came.
    package var unknownResent = 0
    /// Devices by the provider's reason.
    package var reasons: [String: Int] = [:]
    /// Devices that wait for a retry, by the reason of their last try.
    package var retryReasons: [String: Int] = [:]
    /// Devices per second that get an outcome at present; nil when nothing runs.
    package var rate: Int?
    /// The instant of its end at that rate.
    package var etaAt: Timestamp?
    /// The instant at which the next retry is due.
    package var nextRetryAt: Timestamp?
    /// The instant of its creation, from the producer.
    package var createdAt: Timestamp?
    /// The instant of its acceptance.
    package var acceptedAt: Timestamp?
    /// The instant at which its first shard was published.
    package var startedAt: Timestamp?
    /// The instant at which its last device got an outcome.
    package var completedAt: Timestamp?
    /// The instant after which nothing is sent.
    package var expiresAt: Timestamp?
    /// Its devices by provider, sorted by name; empty until its audience is known.
    package var providers: [Provider] = []
    /// Its parts.
    package var parts: [JSONValue] = []
    /// Devices that wait for a retry, by rung, the shortest first.
    package var retries: [Retries] = []
    /// The repetition; nil for a campaign that does not repeat.
    package var repetition: RepeatView?
    /// The id of the repeated campaign that this one is a run of.
    package var runOf: String?
    /// The violation that the ledger's own check of the law found; nil when there is none.
    package var lawViolation: String?

    /// The devices on a rung of the retry ladder.
    package struct Retries: Sendable, Equatable {
        /// The rung's name, for example `30s`.
        package var rung: String
        /// The number of devices that wait there.
        package var devices: Int

        /// Creates the count of a rung.
        package init(rung: String, devices: Int) {
            self.rung = rung
            self.devices = devices
        }
    }

    /// The devices of one provider.
    package struct Provider: Sendable, Equatable {
        /// The provider's name.
        package var name: String
        /// The number of its devices.
        package var audience: Int
        /// Its devices by outcome.
        package var outcomes: OutcomeCounts
        /// Its devices without an outcome.
        package var pending: PendingDevices
        /// The reasons for which they wait; empty when they do not.
        package var pausedBy: [String]

        /// Creates the counts of a provider.
        package init(
            name: String,
            audience: Int,
            outcomes: OutcomeCounts,
            pending: PendingDevices = PendingDevices(),
            pausedBy: [String] = []
        ) {
            self.name = name
            self.audience = audience
            self.outcomes = outcomes
            self.pending = pending
            self.pausedBy = pausedBy
        }
    }

    /// Creates a campaign in a state; the other facts are set afterwards.
    package init(id: String, app: String, state: String) {
        self.id = id
        self.app = app
        self.state = state
    }

    /// True if every device is accounted for: audience = outcomes + pending.
    package var isLawKept: Bool { lawViolation == nil && audience == outcomes.total + pending.total }

    /// True if the state will not change any more.
    package var isFinished: Bool { ["completed", "cancelled", "failed", "refused"].contains(state) }

    /// True if no device will get another outcome: shards that ran at a cancel have their answers, too.
    package var isOver: Bool { isFinished && pending.total == 0 }

    /// The contract's JSON with the members in its order; absent values are `null`.
    package var json: JSONValue {
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
            JSONMember("reasons", .object(Self.sorted(reasons).map { JSONMember($0.key, number($0.value)) })),
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
            JSONMember("state_codes", .array(stateCodes.map(JSONValue.string))),
            JSONMember(
                "retry_reasons",
                .object(Self.sorted(retryReasons).map { JSONMember($0.key, number($0.value)) })
            ),
            JSONMember("planning", .bool(isPlanning)), JSONMember("audience_estimate", estimate?.json ?? .null),
            JSONMember("unexamined", unexamined.map { number($0) } ?? .null),
        ]
        return .object(members)
    }

    /// Returns devices by reason, the most frequent first.
    static func sorted(_ reasons: [String: Int]) -> [(key: String, value: Int)] {
        reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    }

    /// Sets the facts of the state, and its reason with them.
    mutating func note(_ facts: StateFacts) {
        let reasons = StateReason.all(of: facts)
        (stateFacts, stateReason, stateCodes) = (facts, StateReason.text(reasons), StateReason.codes(reasons))
    }

    /// Adds what the ledger cannot tell: the measured rate, and the fleet's state where somebody has asked the broker.
    package mutating func note(rate: Int? = nil, fleet: StateFacts.FleetState? = nil) {
        guard var facts = stateFacts else { return }
        if let rate { facts.rate = rate }
        if let fleet { facts.fleet = fleet }
        note(facts)
    }

    /// The pending devices by where they wait, without zeros: `queued 5,000, sending 2,000`.
    var pendingText: String {
        pending.named.filter { $0.1 > 0 }.map { "\($0.0) \(NumberText.grouped($0.1))" }.joined(separator: ", ")
    }

    private func text(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }
    private func number(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }
    private func instant(_ value: Timestamp?) -> JSONValue { value.map { .string($0.rfc3339) } ?? .null }
}

extension AudienceEstimate {
    /// The estimate as a status and `audience check` have it.
    var json: JSONValue { ["devices": .number(JSONNumber(devices)), "error": .number(JSONNumber(error))] }

    /// The estimate for people: `about 4,980,000 ± 21,000`.
    var text: String { "about \(NumberText.grouped(devices)) ± \(NumberText.grouped(error))" }
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
