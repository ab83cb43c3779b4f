import Campaigns
import Delivery
import HTTP2
import Logging
import NIOCore
import PushProviders
import Transport

/// The runs of one app and endpoint on one event loop, as the source of its connections' requests.
///
/// All its connections carry one credential, in their whole life: a new provider token or key has a sender of its own.
/// So an answer is about the credential that the request was sent with, and a connection that once refused a token, or
/// that a provider may count tokens by, never sees another one.
///
/// Confined to its loop; all calls of `RequestSource` come there.
final class EndpointSender: RequestSource {
    let account: LoadedAccount
    private let authorization: LoadedAccount.Authorization
    private var ownPool: ProviderPool?
    /// Its runs have gone over to another sender: it only waits for answers, and none of them is about a credential
    /// that is still used.
    private var isRetired = false
    private var hasToldOfMissingKey = false
    /// Held: the loop lets go of its senders when it closes, and an unowned reference costs each device two counts.
    private let owner: SenderLoop
    private let endpoint: ProviderEndpoint
    private let logger: Logger
    private var queue: [Int] = []

    init(
        owner: SenderLoop,
        account: LoadedAccount,
        authorization: LoadedAccount.Authorization,
        endpoint: ProviderEndpoint,
        logger: Logger
    ) {
        self.owner = owner
        self.endpoint = endpoint
        self.account = account
        self.authorization = authorization
        self.logger = logger
        ownPool = account.pool(endpoint: endpoint, loop: owner.loop, logger: logger, source: self)
    }

    /// Its connections.
    var pool: ProviderPool {
        guard let ownPool else { preconditionFailure("a sender is used while it is made") }
        return ownPool
    }

    /// Whether requests with this credential may go out on its connections.
    func carries(_ authorization: LoadedAccount.Authorization, of account: LoadedAccount) -> Bool {
        self.account === account && self.authorization.generation == authorization.generation
    }

    /// Everything of a shard's requests that is alike.
    ///
    /// Without a key there is no message id in them, whatever the campaign was accepted with: a push is worth more than
    /// what the edge learns of it.
    func requests(for facts: Shard.Facts) -> PreparedRequests {
        guard facts.messageIDAt != nil, account.messageKeys == nil else {
            return account.account.requests(for: facts, authorization: authorization.value)
        }
        if !hasToldOfMissingKey {
            hasToldOfMissingKey = true
            logger.warning(
                "the app has no edge.message_key_file here; pushes that should carry a message id go without",
                metadata: ["app": "\(account.app)", "campaign": "\(facts.campaignID)"]
            )
        }
        return account.account.requests(for: facts.withoutMessageID(), authorization: authorization.value)
    }

    /// Opens no stream any more, waits for the answers that are due, and closes its connections.
    func retire(_ completion: @escaping () -> Void) {
        isRetired = true
        queue.removeAll()
        // In a turn of its own, because this is called from within the reads of its connections.
        owner.loop.assumeIsolated().execute { [self] in
            pool.close { [self] in
                ownPool = nil  // the two hold each other
                completion()
            }
        }
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
        guard owner.mayOpen else { return false }
        while let slot = queue.first {
            if let active = owner.active(slot), let position = active.run.next(now: owner.clock()) {
                request.tag = UInt64(UInt32(slot)) << 32 | UInt64(UInt32(position))
                active.template.write(position, &request)
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
        guard let active = owner.active(slot) else { preconditionFailure("an answer for a run that is forgotten") }
        if active.requests.isAccepted(status: Int(answer.status)) {
            active.run.accepted(position)
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
            if active.run.hasWork { active.sender?.add(slot) }
        case .unknown(let unknown):
            active.run.unanswered(position, reason: unknown.text, now: owner.clock())
        }
        owner.answered(slot, active)
    }

    func connectionFailed(_ failure: ConnectionFailure) {
        logger.warning(
            "no connection to the provider",
            metadata: ["app": "\(account.app)", "endpoint": "\(endpoint)", "reason": "\(failure)"]
        )
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
        let first = active.requests.provider.rule(for: meaning.kind)
        if first.connection == .replace { pool.retireConnection(answer.connection) }
        let finding = judge(first.credential, date: answer.date.bindMemory(to: UInt8.self).span)
        let rule = first.after(finding)
        let verdict = Verdict(meaning, rule: rule)
        active.run.ended(position, verdict, now: owner.clock())
        if active.run.stop == .setAside(.credentials) {
            let reason = meaning.reason ?? "Unknown"
            if case .refused(let detail) = finding {
                owner.credentialsRefused(active, reason: "\(reason); \(detail)")
            } else {
                owner.credentialsRefused(active, reason: reason)
            }
        }
        if finding == .replaced { owner.renew(self) }
        if active.run.hasWork { active.sender?.add(slot) }
    }

    /// What an answer means for the credential of these connections.
    private func judge(_ step: AnswerRule.CredentialStep, date: Span<UInt8>) -> CredentialFinding {
        if isRetired { return .replaced }
        guard step != .keep else { return .nothing }
        let now = owner.clock()
        return account.judge(
            step,
            generation: authorization.generation,
            skew: ClockSkew(date: date, now: now),
            now: now
        )
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
