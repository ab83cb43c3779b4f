package import Campaigns
package import Delivery
package import Store

/// An operator's order to a campaign; the commands and the HTTP API share it.
package enum LifeOrder: String, Sendable, CaseIterable {
    /// Stops opening requests until the campaign is resumed.
    case pause
    /// Resumes the campaign, whatever paused it.
    case resume
    /// Cancels the campaign: devices that were not sent to end `cancelled`.
    case cancel
    /// Starts a held campaign.
    case fire

    /// The instant and the author of an order.
    package struct Circumstances: Sendable {
        /// The instant.
        package let now: Timestamp
        /// The author, for the campaign's history.
        package let actor: String

        /// Creates the circumstances of an order given now.
        package init(in ledger: Ledger, by actor: String) {
            now = ledger.now()
            self.actor = actor
        }
    }

    /// Gives the order in a transaction (use `synced`).
    package func give(
        to campaign: UInt32,
        in transaction: LedgerTransaction,
        _ circumstances: Circumstances
    ) throws(LedgerError) -> LifeResult {
        let (actor, now) = (circumstances.actor, circumstances.now)
        switch self {
        case .pause: return try transaction.pause(campaign: campaign, by: actor, now: now)
        case .cancel: return try transaction.cancel(campaign: campaign, by: actor, now: now)
        case .fire:
            return try transaction.fire(campaign: campaign, by: actor, now: now)
        case .resume:
            var result = LifeResult.unknown
            for reason in AsideReason.endedByResume {
                result = try transaction.resume(campaign: campaign, reason: reason, by: actor, now: now)
            }
            return result
        }
    }
}

extension Ledger {
    /// The time that the caller of a cancel spends on settling; planners settle as well.
    private static let endingTimeout = Duration.seconds(5)

    /// Settles the shards of a cancelled campaign that nobody runs, piece by piece, even without a planner.
    package func endCampaign(_ number: UInt32) async throws(LedgerError) {
        let end = ContinuousClock.now + Self.endingTimeout
        while try await write(.synced, { try $0.endCampaign(number, now: self.now()) }), .now < end {}
    }
}

extension LifeResult {
    /// Returns the reason why nothing was changed; nil when the order was carried out or the campaign does not exist.
    package func refusal(of verb: String) -> ProblemDocument? {
        switch self {
        case .done, .unknown: nil
        case .over(let facts):
            ProblemDocument(
                .wrongState,
                title: "\(facts.name) is \(facts.stage.rawValue): there is nothing left to \(verb)",
                campaign: facts.id
            )
        case .notHeld(let facts):
            ProblemDocument(
                .wrongState,
                title: "\(facts.name) is not held: only a job with \"hold\": true waits for fire",
                campaign: facts.id
            )
        case .wrongEnd(let facts, let problem):
            ProblemDocument(.usage, title: "\(facts.name) cannot end then: \(problem.text)", campaign: facts.id)
        }
    }
}

extension CampaignFacts {
    /// `APP/ID`.
    package var name: String { "\(app)/\(id)" }

    /// The result of an order, as commands with `--json` and the HTTP API show it.
    package var orderJSON: JSONValue {
        .object([
            "id": .string(id), "app": .string(app), "state": .string(stateWord),
            "paused_by": .array(pauseReasons.map(\.rawValue).sorted().map(JSONValue.string)),
            "per_second": pace.map { .number(JSONNumber($0.perSecond)) },
            "expires_at": expiresAt.asEnd.map { .string($0.rfc3339) } ?? .null,
        ])
    }
}

extension ExpiryRule.EndProblem {
    fileprivate var text: String {
        switch self {
        case .past(let end): "\(end.rfc3339) has passed"
        case .beforeBegin(let begin): "it, or a part of it, begins at \(begin.rfc3339)"
        case .beyondStorage(let latest): "its provider keeps no push beyond \(latest.rfc3339)"
        case .notByZone: "a time without an offset is for campaigns that are cut by time zone; end it with Z"
        case .repeated: "it is repeated, and each of its runs has an end of its own: name a run"
        }
    }
}
