import Campaigns
import Delivery
import Logging
import NIOCore
import PushProviders
import Settings
import Store
import TLS
import Transport

/// The delivery to one webhook: takes it, posts its waiting events, and gives it back.
struct WebhookDelivery {
    private let relay: WebhookRelay
    private let record: WebhookRecord
    private let webhook: Webhook
    private let poster: HTTP1Poster
    private var state: WebhookState
    /// Events that the receiver has taken and the ledger does not have yet: the most that a killed worker repeats.
    private var taken: [Int64] = []
    private var committedAt = ContinuousClock.now
    private var leasedAt = ContinuousClock.now

    /// The most events in one read; a killed worker repeats no more.
    static let pageSize = 20
    /// The time after which a slow receiver's events are committed, so that fewer are repeated.
    private static let commitAfter = Duration.seconds(1)
    /// The time after which the lease of the webhook is renewed; with a try's time-out it is well within the lease.
    private static let renewAfter = Duration.seconds(3)

    init(_ relay: WebhookRelay, _ record: WebhookRecord, _ webhook: Webhook) throws(TLSError) {
        self.relay = relay
        self.record = record
        self.webhook = webhook
        state = record.state
        // There is no ALPN: servers that only support HTTP/1.1 need not name it.
        let tls = webhook.url.isSecure ? try TLSClientContext(trust: webhook.trust, protocols: []) : nil
        poster = HTTP1Poster(
            HTTP1Poster.Destination(
                host: webhook.url.host,
                port: webhook.url.port,
                authority: webhook.url.authority,
                tls: tls,
                scope: WebhookHosts.scope(of: webhook.url)
            ),
            loop: relay.loop
        )
    }

    /// Delivers until nothing waits, an event is not taken, or another worker has the webhook.
    mutating func run() async throws {
        defer { poster.close() }
        guard let known = try await take() else { return }
        state = known
        delivering: while !Task.isCancelled {
            let number = record.number
            let events = try await relay.ledger.read { try $0.webhookEvents(number, limit: Self.pageSize) }
            if events.isEmpty { break }
            for event in events {
                guard !Task.isCancelled, try await holds() else { break delivering }
                let answer = await post(event)
                // The result is unknown: the next worker posts the event again, and it does not count as a failure.
                if Task.isCancelled, case .nothing = answer { break delivering }
                guard try await took(answer, event) else { break delivering }
            }
            try await commit()
        }
        try await leave()
    }

    // MARK: - Posting

    private func post(_ event: WebhookEvent) async -> WebhookState.Answer {
        let id = Webhook.id(of: event.body)
        let now = relay.ledger.now()
        let headers = webhook.headers(id: id, body: event.body, now: now).map { HTTP1Client.Header($0.name, $0.value) }
        do throws(HTTP1Error) {
            let answer = try await poster.post(
                webhook.url.target,
                headers: headers,
                body: event.body,
                timeout: relay.settings.timeout
            )
            let retryAfter = answer.retryAfter.flatMap { RetryAfter.seconds($0.span, now: now) }
            return .status(answer.status, retryAfter: retryAfter)
        } catch {
            return .nothing(error.description)
        }
    }

    /// Notes the result of a try; returns true if the next event may follow.
    private mutating func took(_ answer: WebhookState.Answer, _ event: WebhookEvent) async throws -> Bool {
        let wasFailing = state.failures > 0
        var chance = SystemRandomNumberGenerator()
        let step = state.tried(answer, now: relay.ledger.now(), using: &chance)
        relay.counters.add(result(answer, step), app: record.app)
        var metadata: Logger.Metadata = ["app": "\(record.app)", "webhook": "\(webhook.url)"]
        switch step {
        case .delivered:
            taken.append(event.sequence)
            if wasFailing {
                relay.logger.notice("a webhook takes events again", metadata: metadata)
                // This is committed at once: days of events may follow.
                try await leave()
                return try await take() != nil
            }
            if ContinuousClock.now - committedAt >= Self.commitAfter { try await commit() }
            return true
        case .again(let at):
            metadata["reason"] = "\(state.reason)"
            metadata["again_at"] = "\(at.rfc3339)"
            relay.logger.log(level: wasFailing ? .info : .warning, "a webhook takes no event", metadata: metadata)
        case .disabled:
            metadata["reason"] = "\(state.reason)"
            relay.logger.error("a webhook is given up until somebody fixes it", metadata: metadata)
        }
        return false
    }

    private func result(_ answer: WebhookState.Answer, _ step: WebhookState.Step) -> WebhookCounters.Result {
        if case .delivered = step { return .delivered }
        if case .nothing = answer { return .unanswered }
        return .refused
    }

    // MARK: - The ledger

    /// Commits the events that the receiver took.
    private mutating func commit() async throws {
        committedAt = ContinuousClock.now
        guard !taken.isEmpty else { return }
        let (number, sequences) = (record.number, taken)
        try await relay.ledger.write(.normal, scope: .shards) { try $0.webhookTook(sequences, number: number) }
        taken = []
    }

    /// Gives the webhook back with its state.
    private mutating func leave() async throws {
        try await commit()
        let (number, worker, state) = (record.number, relay.worker, state)
        _ = try await relay.ledger.write(.normal) { try $0.leaveWebhook(number, worker: worker, state: state) }
    }

    /// Returns true if the webhook is still this worker's; renews its lease when due.
    private mutating func holds() async throws -> Bool {
        if ContinuousClock.now - leasedAt < Self.renewAfter { return true }
        try await commit()
        return try await take() != nil
    }

    /// Takes the webhook or renews its lease; returns nil when another worker has it.
    private mutating func take() async throws -> WebhookState? {
        let (number, worker) = (record.number, relay.worker)
        leasedAt = ContinuousClock.now
        let now = relay.ledger.now()
        return try await relay.ledger.write(.normal) { try $0.takeWebhook(number, worker: worker, now: now) }
    }
}
