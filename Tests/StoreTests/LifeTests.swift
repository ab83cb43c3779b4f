import Campaigns
import Delivery
import Store
import Testing

@Suite(.fewLedgersAtOnce)
struct LifeTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private func settle(_ token: RunToken, _ progress: Progress) async throws {
        let settlement = try Settlement.of(progress)
        _ = try await ledger.write(.synced, scope: .shards) { try $0.settle(token, settlement, now: .start) }
    }

    private func types() async throws -> [String] {
        try await ledger.read { try $0.events(limit: 100) }.map { String($0.routingKey.dropFirst("news.".count)) }
    }

    /// Creates a campaign of eight chunks of two devices with a row in every state.
    ///
    /// The rows are settled with a retry row, unpublished, out, running, aside and parked; two chunks are not planned.
    private func everyState() async throws -> (campaign: UInt32, running: RunToken) {
        let number = try await ledger.accepted(Sample.campaign(Array(repeating: 2, count: 8), duplicates: 1))
        _ = try await ledger.planned(number, max: 6)
        let (_, settled) = try await ledger.running(key(number, 0))
        try await settle(settled, .accepted(2) { $0.retry(1, .minutes10, Progress.Note(reason: "Shutdown")) })
        try await ledger.write(scope: .shards) { try $0.markOut([(key(number, 2), 1)], now: .start) }
        let (_, running) = try await ledger.running(key(number, 3))
        let (_, aside) = try await ledger.running(key(number, 4))
        var half = Progress(count: 2)
        half.accept(0)
        let saved = half
        _ = try await ledger.write(scope: .shards) {
            try $0.setAside(aside, reason: .app, progress: saved, now: .start)
        }
        let (_, parked) = try await ledger.running(key(number, 5))
        _ = try await ledger.write { try $0.parkShard(parked, reason: "LawViolated", now: .start) }
        return (number, running)
    }

    @Test(arguments: TestDatabase.all) func `every pending device is counted where it is`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (number, running) = try await everyState()
        var progress = Progress(count: 2)
        progress.retry(0, .seconds5, Progress.Note(reason: "Shutdown"))
        let saved = progress
        _ = try await ledger.write(scope: .shards) { try $0.saveProgress([(running, saved)]) }
        let status = try await ledger.status(number)
        var expected = PendingDevices()
        expected.unplanned = 4
        expected.queued = 4
        expected.sending = 1
        expected.retrying = 2
        expected.held = 1
        expected.parked = 2
        #expect(status.pending == expected)
        #expect(status.counts.accepted == 2)
        #expect(status.counts.skipped == 1)
        #expect(status.audience == 17)
        #expect(status.attempts == 4)
        #expect(status.law == .holds)
    }

    @Test(arguments: TestDatabase.all) func `a cancel ends everything that nobody runs in one transaction`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (number, running) = try await everyState()
        let result = try await ledger.write(.synced) { try $0.cancel(campaign: number, now: .start + 1) }
        guard case .done(let facts) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(facts.stage == .cancelled)
        let during = try await ledger.status(number)
        #expect(during.pending.total == 2)
        #expect(during.pending.sending == 2)
        #expect(during.law == .holds)

        try await settle(running, .accepted(2) { $0.endCooldown(.cancelled) })
        let after = try await ledger.status(number)
        #expect(after.pending.total == 0)
        #expect(after.counts.accepted == 4)
        #expect(after.counts.cancelled == 12)
        #expect(after.law == .holds)
        #expect(after.completedAt == nil)
        #expect(try await ledger.write { try $0.completeIfDone(campaign: number, now: .start + 2) } == .cancelled)
        #expect(try await ledger.status(number).completedAt == .start + 2)
        let all = try await types()
        #expect(all.filter { $0 == "campaign.cancelled" }.count == 1)
        #expect(!all.contains("campaign.completed"))
    }

    @Test(arguments: TestDatabase.all) func `what lies in queues and rungs of a cancelled campaign finds settled rows`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (number, _) = try await everyState()
        _ = try await ledger.write { try $0.cancel(campaign: number, now: .start + 1) }
        for (ordinal, child, generation) in [(1, 0, 1), (2, 0, 1), (0, 1, 1), (4, 0, 2), (5, 0, 1)]
            as [(UInt32, UInt32, UInt32)]
        {
            let claim = Claim(
                key: key(number, ordinal, child),
                generation: generation,
                redelivered: false,
                worker: 9,
                knowsApp: true
            )
            let result = try await ledger.write(scope: .shards) { try $0.claim(claim, now: .start + 2) }
            #expect(result.decision == .settledAlready)
            #expect(result.unpublished.isEmpty)
        }
    }

    @Test(arguments: TestDatabase.all) func `an order to a campaign that is over or unknown changes nothing`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([1]))
        _ = try await ledger.write { try $0.cancel(campaign: number, now: .start) }
        let facts = try #require(try await ledger.read { try $0.campaign(number) })
        #expect(try await ledger.write { try $0.cancel(campaign: number, now: .start) } == .done(facts))
        #expect(try await ledger.write { try $0.pause(campaign: number, now: .start) } == .over(facts))
        #expect(try await ledger.write { try $0.resume(campaign: number, now: .start) } == .over(facts))
        #expect(try await ledger.write { try $0.cancel(campaign: 99, now: .start) } == .unknown)
    }

    @Test(arguments: TestDatabase.all) func `a campaign runs when the last reason to pause is gone`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        func pause(_ reason: AsideReason) async throws {
            _ = try await ledger.write { try $0.pause(campaign: number, reason: reason, now: .start) }
        }
        func resume(_ reason: AsideReason) async throws {
            _ = try await ledger.write { try $0.resume(campaign: number, reason: reason, now: .start) }
        }
        try await pause(.paused)
        try await pause(.credentials)
        let paused = try await ledger.status(number)
        #expect(paused.state == "paused")
        #expect(paused.stateReason == "credentials, paused")
        try await resume(.credentials)
        #expect(try await ledger.status(number).state == "paused")
        try await resume(.paused)
        #expect(try await ledger.status(number).state == "scheduled")
        #expect(try await types() == ["campaign.accepted", "campaign.paused", "campaign.resumed"])
    }

    @Test(arguments: TestDatabase.all) func `expiry ends the rest once, and not before its instant`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (number, running) = try await everyState()
        let end = Timestamp.start + 3600
        func expire(_ now: Timestamp) async throws -> [UInt32] {
            try await ledger.write(.synced) { try $0.endDue(now: now).expired }
        }
        #expect(try await expire(Timestamp(milliseconds: end.milliseconds - 1)).isEmpty)
        #expect(try await expire(end) == [number])
        #expect(try await expire(end + 1).isEmpty)
        try await settle(running, .accepted(2))
        #expect(try await ledger.write { try $0.completeIfDone(campaign: number, now: end) } == .completed)
        let status = try await ledger.status(number)
        #expect(status.counts.expired == 12)
        #expect(status.counts.accepted == 4)
        #expect(status.pending.total == 0)
        #expect(status.law == .holds)
        #expect(try await types().last == "campaign.completed")
    }

    @Test(arguments: TestDatabase.all) func `a campaign is complete when its last row is settled, not before`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([2, 2]))
        func complete() async throws -> CampaignStage? {
            try await ledger.write { try $0.completeIfDone(campaign: number, now: .start + 9) }
        }
        #expect(try await complete() == nil)
        _ = try await ledger.planned(number)
        for ordinal in 0..<2 as Range<UInt32> {
            #expect(try await complete() == nil)
            let (_, token) = try await ledger.running(key(number, ordinal))
            try await settle(token, .accepted(2))
        }
        #expect(try await complete() == .completed)
        #expect(try await complete() == nil)
        #expect(try await ledger.status(number).completedAt == .start + 9)
        #expect(try await ledger.write { try $0.leaseCampaigns(worker: 5, apps: ["news"], now: .start + 99) }.isEmpty)
    }

    @Test(arguments: TestDatabase.all) func `pollers see that something changed, from another process too`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let other = try scratch.open(create: false)
        let before = try await other.read { try $0.revision() }
        let number = try await ledger.accepted()
        let accepted = try await other.read { try $0.revision() }
        #expect(accepted > before)
        _ = try await ledger.write { try $0.pause(campaign: number, now: .start) }
        #expect(try await other.read { try $0.revision() } > accepted)
        let facts = try await other.read { try $0.campaigns([number, 99]) }
        #expect(facts.map(\.pausedBy) == [[.paused]])
        _ = try await ledger.planned(number)
        let summaries = try await other.read { try $0.campaigns(app: "news", limit: 5) }
        #expect(summaries.map(\.state) == ["paused"])
        #expect(try await other.read { try $0.campaigns(app: "shop", limit: 5) }.isEmpty)
    }
}
