import Campaigns
import Delivery
import HTTP2
import Logging
import NIOCore
import PushProviders
import Transport

/// The runs of one app and endpoint on one event loop, as the source of its connections' requests.
///
/// Confined to its loop; all calls of `RequestSource` come there.
final class EndpointSender: RequestSource {
    let account: LoadedAccount
    private var ownPool: ProviderPool?
    private unowned let owner: SenderLoop
    private let endpoint: ProviderEndpoint
    private let logger: Logger
    private var queue: [Int] = []
    /// What the app's breaker is told.
    var faults = FaultRun()

    /// `isApart`: it has one connection, for suspect tokens.
    init(
        owner: SenderLoop,
        account: LoadedAccount,
        endpoint: ProviderEndpoint,
        isApart: Bool,
        logger: Logger
    ) {
        self.owner = owner
        self.endpoint = endpoint
        self.account = account
        self.logger = logger
        ownPool = account.pool(endpoint: endpoint, loop: owner.loop, isApart: isApart, logger: logger, source: self)
    }

    /// Its connections.
    var pool: ProviderPool {
        guard let ownPool else { preconditionFailure("a sender is used while it is made") }
        return ownPool
    }

    /// A run has devices to send to.
    func add(_ slot: Int) {
        if !queue.contains(slot) { queue.append(slot) }
        pool.demandChanged()
    }

    /// A run is forgotten: its place may be another endpoint's next, whose requests must not go out on these
    /// connections.
    func drop(_ slot: Int) {
        queue.removeAll { $0 == slot }
    }

    // MARK: - RequestSource

    func nextRequest(_ request: inout RequestWriter) -> Bool {
        let owner = self.owner  // one look at whether it still lives, not one for each use
        guard owner.mayOpen else { return false }
        while let slot = queue.first {
            if let active = owner.active(slot), let position = active.run.next(now: owner.clock()) {
                request.tag = UInt64(UInt32(slot)) << 32 | UInt64(UInt32(position))
                active.write(position, &request)
                owner.opened()
                return true
            }
            queue.removeFirst()
            owner.count(slot)
            owner.reportIfOver(slot)
        }
        return false
    }

    func answered(tag: UInt64, answer: borrowing ProviderAnswer) {
        let (slot, position) = Self.place(tag)
        let owner = self.owner
        guard let active = owner.active(slot) else { preconditionFailure("an answer for a run that is forgotten") }
        if active.requests.isAccepted(status: Int(answer.status)) {
            active.run.accepted(position)
            if faults.isRaised { healthy(slot, active) }
        } else {
            refused(answer, slot, active, position)
        }
        owner.answered(slot, active)
    }

    func unanswered(tag: UInt64, reason: Unanswered) {
        let (slot, position) = Self.place(tag)
        guard let active = owner.active(slot) else { preconditionFailure("the end of a stream of no run") }
        switch reason {
        case .refused:
            active.run.ended(position, .resend, now: owner.clock())
            if active.run.hasWork { add(slot) }
        case .unknown(let unknown):
            let isProving = active.run.isProving
            active.run.unanswered(position, reason: unknown.text, now: owner.clock())
            // Streams that a connection took with it say no more than the next connection will.
            if unknown == .deadline || isProving {
                let attempt = active.run.shard.attempt
                tripIfDue(
                    faults.answer(attempt: attempt, decides: isProving, now: owner.clock()),
                    reason: unknown.text
                )
            }
        }
        owner.answered(slot, active)
    }

    func connectionFailed(_ failure: ConnectionFailure) {
        logger.warning(
            "no connection to the provider",
            metadata: ["app": "\(account.app)", "endpoint": "\(endpoint)", "reason": "\(failure)"]
        )
        let isProving = queue.contains { owner.active($0)?.run.isProving ?? false }
        tripIfDue(faults.connection(decides: isProving, now: owner.clock()), reason: "NoConnection")
    }

    func turnEnded() {
        owner.turnEnded()
    }

    // MARK: - Answers that are not the usual one

    private func refused(_ answer: borrowing ProviderAnswer, _ slot: Int, _ active: ActiveRun, _ position: Int) {
        let body = answer.body
        let retryAfter = answer.retryAfter
        let meaning = active.requests.classify(
            status: Int(answer.status),
            body: body.bindMemory(to: UInt8.self).span,
            retryAfter: retryAfter.bindMemory(to: UInt8.self).span,
            now: owner.clock()
        )
        let rule = active.requests.provider.rule(for: meaning.kind)
        if rule.connection == .replace { pool.retireConnection(answer.connection) }
        account.apply(rule.credential, generation: active.tokenGeneration, now: owner.clock(), logger: logger)
        if rule.credential == .renew, let next = account.requests(for: active.run.shard.facts, now: owner.clock()) {
            active.replace(next.requests, tokenGeneration: next.generation)
        }
        let isOut = rule.breaker == .fault && isFault(meaning, active)
        active.run.ended(position, isOut ? .setAside(.breaker) : Verdict(meaning, rule: rule), now: owner.clock())
        if rule.breaker == .healthy, faults.isRaised { healthy(slot, active) }
        if meaning.kind == .laneThrottled,
            case .trip(let since) = faults.answer(attempt: 1, decides: true, now: owner.clock())
        {
            trip(meaning, since: since)
        }
        if active.run.stop == .setAside(.credentials) {
            owner.credentialsRefused(active, reason: meaning.reason ?? "Unknown")
        }
        if rule.isContentFault, active.run.contentRefused() {
            owner.contentRefused(active, reason: meaning.reason ?? "Unknown")
        }
        if active.run.hasWork { add(slot) }
    }

    // MARK: - The breaker

    /// The provider works; a probe goes on with all its devices.
    private func healthy(_ slot: Int, _ active: ActiveRun) {
        faults.healthy(decides: active.run.isProving)
        guard active.run.isProving else { return }
        active.run.proved()
        if active.run.hasWork { add(slot) }
    }

    /// Counts a fault; true when it is the provider that is out, not the device.
    private func isFault(_ answer: Answer, _ active: ActiveRun) -> Bool {
        let isProving = active.run.isProving
        let step = faults.answer(attempt: active.run.shard.attempt, decides: isProving, now: owner.clock())
        if case .trip(let since) = step { trip(answer, since: since) }
        // The one device of a failed probe pays with an attempt: one that always fails does not keep the app shut.
        return step != .count && !isProving
    }

    private func trip(_ answer: Answer, since: Timestamp) {
        let rest =
            answer.retryAfter.map { Duration.seconds($0) }
            ?? (answer.kind == .laneThrottled ? AnswerRule.laneRest : nil)
        owner.tripped(self, Breaker.Trip(reason: answer.reason ?? "Unknown", since: since, rest: rest))
    }

    private func tripIfDue(_ step: FaultRun.Step, reason: String) {
        guard case .trip(let since) = step else { return }
        owner.tripped(self, Breaker.Trip(reason: reason, since: since))
    }

    private static func place(_ tag: UInt64) -> (slot: Int, position: Int) {
        (Int(tag >> 32), Int(tag & 0xFFFF_FFFF))
    }
}

extension Unanswered.UnknownReason {
    /// What the ledger keeps as the reason of a device without an answer.
    fileprivate var text: String {
        switch self {
        case .deadline: "NoAnswer"
        case .reset(let code): "Reset\(code)"
        case .connectionLost: "ConnectionLost"
        }
    }
}
