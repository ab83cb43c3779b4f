import Campaigns
import Delivery
import HTTP2
import Logging
import NIOCore
import Operations
import PushProviders
import Settings
import Transport

/// The runs of one app and endpoint on one event loop, as the source of its connections' requests.
///
/// Urgent runs and those to suspect tokens have their own senders, and so their own connections.
///
/// All connections carry one credential for their whole life: a new provider token or key gets a new sender. So an
/// answer is always about the credential that its request carried. A connection that refused a token, or whose tokens
/// a provider may count, never sees another one.
///
/// Confined to its loop, on which all calls of `RequestSource` arrive.
final class EndpointSender: RequestSource {
    let account: LoadedAccount
    private let authorization: Authorization
    private var ownPool: ProviderPool?
    /// A strong reference: the loop releases its senders at the end, and an unowned one costs two counts per device.
    private let owner: SenderLoop
    private let endpoint: ProviderEndpoint
    private let logger: Logger
    private var queue: [Int] = []
    /// Decides if faults trip the app's breaker or start the cooldown of one push service.
    private var faults: EndpointFaults
    /// The push service, if the device's registration names it: its failures say nothing about other services.
    ///
    /// Nil for the endpoint of a provider that the app names.
    private let service: SenderLoop.ServiceKey?
    /// True once the push service has answered anything, or if it is well known: its runs keep their capacity.
    private(set) var isProven: Bool
    /// True once the provider has accepted this credential here.
    private var isAccepted = false
    /// The number of the search that found this sender last.
    var lastSearch: UInt64 = 0

    /// `isApart`: the sender is for suspect tokens and has one connection.
    init(
        owner: SenderLoop,
        account: LoadedAccount,
        authorization: Authorization,
        endpoint: ProviderEndpoint,
        isApart: Bool,
        logger: Logger
    ) {
        self.owner = owner
        self.endpoint = endpoint
        self.account = account
        self.authorization = authorization
        self.logger = logger
        service =
            account.account.isServedByStrangers
            ? SenderLoop.ServiceKey(app: account.app, provider: account.account.provider.name, endpoint: endpoint) : nil
        faults = EndpointFaults(isOneOfMany: service != nil)
        isProven = service == nil || WellKnownServices.has(endpoint.host)
        ownPool = account.pool(endpoint: endpoint, loop: owner.loop, isApart: isApart, logger: logger, source: self)
    }

    /// The pool of connections.
    var pool: ProviderPool {
        guard let ownPool else { preconditionFailure("a sender is used while it is made") }
        return ownPool
    }

    /// Returns true if requests with this credential may use its connections.
    func carries(_ authorization: Authorization, of account: LoadedAccount) -> Bool {
        self.account === account && self.authorization == authorization
    }

    /// Returns the prepared part that all requests of a shard share.
    func requests(for facts: Shard.Facts) -> PreparedRequests {
        account.requests(for: facts, authorization, now: owner.clock(), logger: logger)
    }

    /// Opens no more streams, waits for pending answers, and closes the connections.
    func retire(_ completion: @escaping () -> Void) {
        queue.removeAll()
        faults.retire(&owner.runs, now: owner.clock())
        owner.act()
        // A loop tick of its own, because the caller is within a read of these connections.
        owner.loop.assumeIsolated().execute { [self] in
            pool.close { [self] in
                ownPool = nil  // the two hold each other
                completion()
            }
        }
    }

    /// Adds a run that has devices to send to.
    func add(_ runIndex: Int) {
        guard !faults.isRetired else { return }
        if !queue.contains(runIndex) { queue.append(runIndex) }
        if let service, let reason = owner.cooldowns.reason(service, now: owner.clock()) { return putBack(reason) }
        if service != nil {
            isProven ? owner.unansweredRuns.left(runIndex) : owner.waits(runIndex)
        }
        // Also for a run that has just left: its devices find the connection ready when they return.
        pool.demandChanged()
    }

    /// Removes a run: its number may next belong to another endpoint, whose requests must not use these connections.
    func drop(_ runIndex: Int) {
        queue.removeAll { $0 == runIndex }
    }

    // MARK: - RequestSource

    /// Reads the clock again: a process that stood still among its answers must not open streams by an old lease.
    func openingBegan() { owner.freshenClock() }

    func nextRequest(_ request: inout RequestWriter) -> Bool {
        let now = owner.clock()
        guard owner.runs.mayOpen else { return false }
        while let runIndex = queue.first {
            if let active = owner.active(runIndex), let position = owner.runs.next(runIndex, now: now) {
                guard active.template.write(position, &request) else {
                    if let end = active.template.leftOut { owner.runs.leftOut(runIndex, position, end) }
                    continue
                }
                var tag = RequestTag(runIndex: runIndex, position: position)
                if faults.isSampling { tag.mark = faults.mark(attempt: owner.runs.attempt(runIndex)) }
                request.tag = tag.bits
                if !isProven { owner.unansweredRuns.asks(runIndex) }
                return true
            }
            queue.removeFirst()
            if owner.runs.ranOut(runIndex) { owner.act() }
        }
        return false
    }

    func answered(tag bits: UInt64, answer: borrowing ProviderAnswer) {
        let tag = RequestTag(bits: bits)
        guard let active = owner.active(tag.runIndex) else {
            preconditionFailure("an answer for a run that is forgotten")
        }
        if !isProven { proved() }
        if active.requests.isAccepted(status: Int(answer.status)) {
            var hasActions = owner.runs.accepted(tag.runIndex, tag.position)
            if !isAccepted { noteAccepted() }
            if faults.isRaised {
                noteAccepted()
                if faults.accepted(tag.runIndex, mark: tag.mark, &owner.runs, now: owner.clock()) { endCooldown() }
                hasActions = true
            }
            if hasActions { owner.act() }
        } else {
            refused(answer, tag, active)
            owner.act()
        }
    }

    func unanswered(tag bits: UInt64, reason: Unanswered) {
        let (tag, now) = (RequestTag(bits: bits), owner.clock())
        switch reason {
        case .refused: faults.unprocessed(tag.device, mark: tag.mark, &owner.runs, now: now)
        case .unknown(let unknown):
            let since = faults.unanswered(
                tag.device,
                mark: tag.mark,
                reason: unknown.text,
                isDeadline: unknown == .deadline,
                &owner.runs,
                now: now
            )
            tripIfDue(since, reason: unknown.text)
        }
        owner.act()
    }

    func connectionFailed(_ failure: ConnectionFailure) {
        logger.warning(
            "no connection to the provider",
            metadata: ["app": "\(account.app)", "endpoint": "\(endpoint)", "reason": "\(failure)"]
        )
        // The failure says nothing about the provider: the registration named a host that is not allowed.
        if case .outOfScope = failure {
            return leave { $0.leaveOut($1, .outOfScope, now: $2) }
        }
        let since = faults.connectionFailed(
            waiting: queue,
            isInUse: owner.hasRuns(of: self),
            &owner.runs,
            now: owner.clock()
        )
        tripIfDue(since, reason: "NoConnection")
        owner.act()
    }

    /// Makes a run give up its capacity: its devices are retried, and charged only if the service is known to be out.
    func leave(_ runIndex: Int) {
        drop(runIndex)
        owner.runs.putBack(runIndex, reason: "NoConnection", charged: faults.isDoubted, now: owner.clock())
        owner.act()
    }

    /// Notes that the push service answers: its runs no longer count as unproven.
    private func proved() {
        isProven = true
        owner.keepRuns(of: self)
    }

    /// Notes that the provider accepts the credential: with the first good answer here, and after faults.
    private func noteAccepted() {
        isAccepted = true
        account.accepted(at: owner.clock())
    }

    func tickEnded() {
        askIfDrained()
        owner.tickEnded()
    }

    // MARK: - Refusals

    private func refused(_ answer: borrowing ProviderAnswer, _ tag: RequestTag, _ active: ActiveRun) {
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
        let refusal = faults.refused(
            tag.device,
            mark: tag.mark,
            Verdict(meaning, rule: rule),
            rule: rule,
            &owner.runs,
            now: owner.clock()
        )
        if let since = refusal.trip { trip(Breaker.Trip(meaning, since: since)) }
        if refusal.endsCooldown { endCooldown() }
        let reason = meaning.reason ?? "Unknown"
        if refusal.isCredentialRefused {
            let detail = if case .refused(let detail) = finding { "; \(detail)" } else { "" }
            account.refused(reason + detail, at: owner.clock())
            owner.reports.credentialsRefused(active.shard.id.key, reason: reason + detail)
        }
        if refusal.isContentRefused { owner.reports.contentRefused(active.shard.id.key, reason: reason) }
        if finding == .replaced { owner.renew(self) }
    }

    /// Returns the meaning of an answer for the credential of these connections.
    private func judge(_ step: AnswerRule.CredentialStep, date: Span<UInt8>) -> CredentialFinding {
        if faults.isRetired { return .replaced }
        guard step != .keep else { return .nothing }
        let now = owner.clock()
        return account.judge(
            step,
            generation: authorization.generation,
            at: endpoint,
            skew: ClockSkew(date: date, now: now),
            now: now
        )
    }

    // MARK: - The breaker

    /// Ends the cooldown of this push service, which answers again.
    private func endCooldown() {
        if let service { owner.cooldowns.end(service) }
    }

    /// Lets some of the devices that were put off ask again when no pending answer can decide about the faults.
    func askIfDrained() {
        guard faults.hasPutOff, queue.isEmpty, pool.inFlight == 0 else { return }
        faults.drained(&owner.runs, now: owner.clock())
        owner.act()
    }

    /// True while devices wait for the decision about their faults.
    var hasPutOff: Bool { faults.hasPutOff }

    /// Releases the devices of a stopped run that were put off; they stay pending.
    func giveBack(_ runIndex: Int) {
        faults.runStopped(runIndex, &owner.runs, now: owner.clock())
    }

    /// Notes that a probe's run is over.
    func probeEnded() { faults.probeEnded() }

    private func tripIfDue(_ since: Timestamp?, reason: String) {
        guard let since else { return }
        trip(Breaker.Trip(reason: reason, since: since))
    }

    /// Reports that the provider is out for the whole app, or starts the cooldown of this push service.
    private func trip(_ trip: Breaker.Trip) {
        guard let service else { return owner.tripped(self, trip) }
        logger.warning(
            "a push service is out; its devices are asked again later",
            metadata: ["app": "\(account.app)", "endpoint": "\(endpoint)", "reason": "\(trip.reason)"]
        )
        owner.cooldowns.begin(service, trip, now: owner.clock())
        putBack(trip.reason)
    }

    /// Puts the waiting devices on their rungs without a request.
    private func putBack(_ reason: String) {
        leave { $0.putBack($1, reason: reason, charged: true, now: $2) }
    }

    /// Removes all waiting runs and applies `each` to them.
    private func leave(_ each: (inout LoopRuns, _ runIndex: Int, _ now: Timestamp) -> Void) {
        let (leaving, now) = (queue, owner.clock())
        queue.removeAll(keepingCapacity: true)
        for runIndex in leaving { each(&owner.runs, runIndex, now) }
        owner.act()
    }

    /// Begins a run on these connections.
    func begin(isProbe: Bool) {
        let isDoubted = if let service { owner.cooldowns.isDoubted(service) } else { false }
        faults.runBegan(isProbe: isProbe, isDoubted: isDoubted, &owner.runs, now: owner.clock())
        owner.act()
    }

    /// True if it has nothing to do and waits for no answer.
    var isIdle: Bool { queue.isEmpty && !faults.hasPutOff && pool.inFlight == 0 }

    /// True if a registration names the push service: of these, unused ones are closed when there are too many.
    var isOneOfMany: Bool { service != nil }
}
