import Campaigns
import Delivery
import Seeds
import Store
import Testing

@Suite(.fewLedgersAtOnce)
struct WebhookTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }
    private let hook = WebhookEntry(url: "https://hooks.example.com/a", kinds: .ofLife, digest: [1])
    private let three = 3 * 86_400

    private func set(_ hooks: [WebhookEntry], app: String = "news", now: Timestamp = .start) async throws -> Bool {
        try await ledger.write(.synced) { try $0.setWebhooks([app: hooks], now: now) }
    }

    private func happen(_ kind: CampaignEvent.Kind, app: String = "news", at now: Timestamp = .start) async throws {
        try await ledger.write(scope: .shards) { transaction in
            try transaction.addEvent(correlationID: "job") {
                CampaignEvent(kind, app: app, campaign: "derby", sequence: $0, time: now, data: .null)
            }
        }
    }

    private func waiting(_ number: Int64) async throws -> [WebhookEvent] {
        try await ledger.read { try $0.webhookEvents(number, limit: 100) }
    }

    private func webhooks() async throws -> [WebhookRecord] { try await ledger.read { try $0.webhooks() } }

    private func take(_ number: Int64, by worker: Int64, at now: Timestamp = .start) async throws -> WebhookState? {
        try await ledger.write { try $0.takeWebhook(number, worker: worker, now: now) }
    }

    @Test(arguments: TestDatabase.all)
    func `an event waits for the webhooks of its app that want its kind, with the bytes that are published`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let dead = WebhookEntry(url: "https://hooks.example.com/b", kinds: EventKinds(.deviceInvalid), digest: [1])
        #expect(try await set([hook, dead]))
        #expect(try await set([hook], app: "shop"))
        for kind in [CampaignEvent.Kind.accepted, .shardSettled, .deviceInvalid, .completed] { try await happen(kind) }
        let records = try await webhooks()
        #expect(records.map(\.app) == ["news", "news", "shop"] && records.map(\.waiting) == [2, 1, 0])
        #expect(records[0].waitingSince == .start && records[2].waitingSince == nil)
        let events = try await ledger.read { try $0.events(limit: 10) }
        #expect(try await waiting(records[0].number).map(\.body) == [events[0].body, events[3].body])
        #expect(try await waiting(records[1].number).map(\.body) == [events[2].body])
        // Publishing the events does not take them from the webhooks.
        try await ledger.write(scope: .shards) { try $0.eventsPublished(events.map(\.sequence)) }
        #expect(try await webhooks().map(\.waiting) == [2, 1, 0])
    }

    @Test(arguments: TestDatabase.all)
    func `one worker at a time has a webhook, until it gives it back or its lease is over`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        _ = try await set([hook])
        try await happen(.completed)
        let number = try #require(try await ledger.read { try $0.dueWebhooks(now: .start) }.first?.number)
        #expect(try await take(number, by: 1) != nil)
        #expect(try await take(number, by: 1) != nil)
        #expect(try await take(number, by: 2) == nil)
        #expect(try await ledger.read { try $0.dueWebhooks(now: .start + 14) }.isEmpty)
        #expect(try await ledger.read { try $0.dueWebhooks(now: .start + 15) }.map(\.number) == [number])
        #expect(try await take(number, by: 2, at: .start + 15) != nil)
        // The late one changes nothing any more.
        let late = WebhookState(failures: 9, failingSince: .start, dueAt: .start + 99, reason: "x", disabledAt: nil)
        #expect(try await !ledger.write { try $0.leaveWebhook(number, worker: 1, state: late) })
        #expect(try await webhooks().first?.state.failures == 0)
        #expect(try await ledger.write { try $0.leaveWebhook(number, worker: 2, state: late) })
        #expect(try await webhooks().first?.state == late)
        #expect(try await take(number, by: 1, at: .start + 98) == nil)
        #expect(try await take(number, by: 1, at: .start + 99) == late)
    }

    @Test(arguments: TestDatabase.all)
    func `what a clock that was ahead wrote of a webhook keeps it from nobody`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        _ = try await set([hook])
        try await happen(.completed)
        let number = try #require(try await webhooks().first?.number)
        let ahead = Timestamp.start + 20 * 86_400
        #expect(try await take(number, by: 1, at: ahead) != nil)
        #expect(try await ledger.read { try $0.dueWebhooks(now: .start) }.map(\.number) == [number])
        let paused = WebhookState(failures: 1, failingSince: ahead, dueAt: ahead + 60, reason: "x", disabledAt: nil)
        #expect(try await ledger.write { try $0.leaveWebhook(number, worker: 1, state: paused) })
        #expect(try await ledger.read { try $0.dueWebhooks(now: .start) }.map(\.number) == [number])
        #expect(try await take(number, by: 2) != nil)
    }

    @Test(arguments: TestDatabase.all)
    func `what a webhook took is gone from it and waits for the others`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let other = WebhookEntry(url: "https://hooks.example.com/b", kinds: .ofLife, digest: [1])
        _ = try await set([hook, other])
        for kind in [CampaignEvent.Kind.accepted, .started, .completed] { try await happen(kind) }
        let (first, second) = (try await webhooks()[0].number, try await webhooks()[1].number)
        let taken = try await waiting(first).prefix(2).map(\.sequence)
        try await ledger.write(scope: .shards) { try $0.webhookTook(taken, number: first) }
        #expect(try await waiting(first).count == 1)
        #expect(try await waiting(second).count == 3)
    }

    @Test(arguments: TestDatabase.all)
    func `the configuration decides: the same changes nothing, another begins anew, what is gone is forgotten`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        _ = try await set([hook])
        try await happen(.completed)
        #expect(try await !set([hook], now: .start + 10))
        let number = try #require(try await webhooks().first?.number)
        _ = try await take(number, by: 1)
        var state = WebhookState(dueAt: .start)
        var chance = SeededRandom(seed: 1)
        _ = state.tried(.status(410, retryAfter: nil), now: .start, using: &chance)
        let gone = state
        _ = try await ledger.write { try $0.leaveWebhook(number, worker: 1, state: gone) }
        #expect(try await webhooks().first?.state.disabledAt == .start)
        #expect(try await ledger.read { try $0.dueWebhooks(now: .start + 60) }.isEmpty)
        #expect(try await !set([hook], now: .start + 60))
        #expect(try await webhooks().first?.state.disabledAt == .start)

        let fixed = WebhookEntry(url: hook.url, kinds: hook.kinds, digest: [2])
        #expect(try await set([fixed], now: .start + 60))
        let record = try #require(try await webhooks().first)
        #expect(record.number == number && record.waiting == 1 && record.state == WebhookState(dueAt: .start + 60))

        #expect(try await set([]))
        #expect(try await webhooks().isEmpty)
        #expect(try await waiting(number).isEmpty)
    }

    @Test(arguments: TestDatabase.all)
    func `one that was given up keeps three days of events, and somebody who resumes it has them posted`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        _ = try await set([hook])
        let number = try #require(try await webhooks().first?.number)
        _ = try await take(number, by: 1)
        let gone = WebhookState(failures: 1, failingSince: .start, dueAt: .start, reason: "x", disabledAt: .start)
        _ = try await ledger.write { try $0.leaveWebhook(number, worker: 1, state: gone) }
        try await happen(.started, at: .start + 10)
        try await happen(.completed, at: .start + (three - 1))
        try await happen(.completed, at: .start + three)
        #expect(try await waiting(number).count == 2)
        try await ledger.write { try $0.dropOldEvents(now: .start + (10 + three + 1)) }
        #expect(try await waiting(number).count == 1)
        let resumed = try await ledger.write(.synced) { try $0.resumeWebhook(number, now: .start + 20) }
        #expect(resumed?.state == WebhookState(dueAt: .start + 20) && resumed?.waiting == 1)
        #expect(try await ledger.read { try $0.dueWebhooks(now: .start + 20) }.map(\.number) == [number])
        #expect(try await ledger.write(.synced) { try $0.resumeWebhook(number + 1, now: .start) } == nil)
    }

    @Test(arguments: TestDatabase.all)
    func `an event that is committed after a later one waits all the same`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        _ = try await set([hook])
        let number = try #require(try await webhooks().first?.number)
        try await happen(.started)
        let first = try await waiting(number).map(\.sequence)
        try await happen(.completed)
        let both = try await waiting(number).map(\.sequence)
        // The later one is taken first, as if the earlier had not been committed yet.
        try await ledger.write(scope: .shards) { try $0.webhookTook(Array(both.suffix(1)), number: number) }
        #expect(try await waiting(number).map(\.sequence) == first)
    }
}
