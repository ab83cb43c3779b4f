import Campaigns
import Delivery
import Store
import Testing

/// Faults of one provider of a campaign do not hold back the others.
@Suite(.fewLedgersAtOnce)
struct ProviderTroubleTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private func released(
        _ campaign: UInt32,
        _ provider: ProviderName,
        now: Timestamp = .start
    ) async throws
        -> [ShardToPublish]
    {
        try await ledger.write(.synced) {
            try $0.releaseAside(campaign: campaign, share: provider, knowsApp: true, limit: 9, now: now)
        }
    }

    private func live(_ providers: Set<ProviderName>) async throws {
        _ = try await ledger.write {
            try $0.registerWorker(name: "w", roles: [], accounts: AppAccounts(["news": providers]), now: .start)
        }
    }

    @Test(arguments: TestDatabase.all) func `an operator's pause of a provider stops its shards only`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await live([.apns, .fcm])
        let number = try await ledger.accepted(Sample.mixed())
        let fcm = try await ledger.planned(number, .fcm, max: 1)
        let running = try #require(try await ledger.planned(number, .fcm, max: 1).first)
        #expect(try await ledger.claimed(running).decision == .run)
        _ = try await ledger.write(.synced) { try $0.pause(PauseScope(provider: .fcm), now: .start) }
        #expect(try await ledger.claimed(try #require(fcm.first)).decision == .setAside(.suspended))
        let apns = try await ledger.planned(number, .apns)
        #expect(apns.count == 2)
        #expect(try await ledger.claimed(apns[0]).decision == .run)
        // Running shards learn of it by the poll.
        let facts = try #require(try await ledger.read { try $0.campaign(number) })
        #expect(facts.asideReason == nil)
        let runs = try await ledger.read { try $0.runsByShare(facts) }
        #expect(runs[running.record.id.key]?.asideReason == .suspended)
        #expect(runs.count == 2 && runs[apns[0].record.id.key]?.asideReason == nil)
        let status = try await ledger.status(number)
        #expect(status.state == "sending" && status.stateReason == "fcm waits: suspended")
        #expect(status.of(.fcm).pausedBy == [.suspended] && status.of(.apns).pausedBy.isEmpty)
        #expect(try await released(number, .fcm).isEmpty)
        _ = try await ledger.write(.synced) { try $0.resume(PauseScope(provider: .fcm), now: .start) }
        #expect(try await released(number, .fcm).map(\.record.id.key) == [fcm[0].record.id.key])
        // Together they are the whole campaign.
        _ = try await ledger.write(.synced) { try $0.pause(PauseScope(app: "news"), now: .start) }
        #expect(try await ledger.status(number).state == "paused")
        #expect(try await ledger.status(number).law == .holds)
    }

    @Test(arguments: TestDatabase.all) func `a breaker is one provider's, and so is its probe`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await live([.apns, .fcm])
        let number = try await ledger.accepted(Sample.mixed())
        let fcm = try await ledger.planned(number, .fcm, max: 1)
        let trip = Breaker.Trip(reason: "UNAVAILABLE", since: .start)
        #expect(try await ledger.write(.synced) { try $0.tripBreaker(of: fcm[0].record.id.key, trip, now: .start) })
        #expect(try await ledger.read { try $0.openBreakers() }.map(\.provider) == [.fcm])
        #expect(try await ledger.claimed(fcm[0]).decision == .setAside(.breaker))
        #expect(try await ledger.planned(number, .fcm).isEmpty)
        let apns = try await ledger.planned(number, .apns)
        #expect(apns.count == 2)
        try await ledger.ran(apns[0])
        let later = Timestamp.start + 2
        #expect(try await ledger.read { try !$0.isProbeDue(campaign: number, share: .apns, now: later) })
        #expect(try await ledger.read { try $0.isProbeDue(campaign: number, share: .fcm, now: later) })
        let lease = try #require(try await ledger.lease(number, .fcm, now: later))
        let probe = try await ledger.write(.synced) {
            try $0.beginProbe(lease.token, now: later)
        }
        #expect(probe.map(\.facts.provider) == [.fcm])
        #expect(try await ledger.claimed(probe[0], now: later).decision == .run)
        #expect(try await ledger.read { try $0.openBreakers() }.first?.breaker.probe?.owner == 7)
        #expect(try await ledger.status(number).state == "sending")
        // Both pauses: then nothing of it moves.
        try await ledger.write(.synced) { transaction in
            _ = try transaction.tripBreaker(app: "news", provider: .apns, trip, now: .start)
        }
        #expect(try await ledger.status(number).state == "paused")
        #expect(try await ledger.status(number).stateReason == "breaker")
        try await ledger.write(.synced) { try $0.endProbe(probe[0].record.id.key, .healthy, now: later) }
        #expect(try await ledger.read { try $0.openBreakers() }.map(\.provider) == [.apns])
        #expect(try await ledger.planned(number, .fcm, now: later).count == 1)
    }

    @Test(arguments: TestDatabase.all) func `credentials that one provider refuses pause its devices until resume`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.mixed())
        let fcm = try await ledger.planned(number, .fcm, max: 1)
        let key = fcm[0].record.id.key
        for _ in 0..<2 {
            _ = try await ledger.write(.synced) {
                try $0.pause(of: key, reason: .credentials, detail: "UNAUTHENTICATED", now: .start)
            }
        }
        #expect(try await ledger.claimed(fcm[0]).decision == .setAside(.credentials))
        #expect(try await ledger.planned(number, .fcm).isEmpty)
        #expect(try await ledger.planned(number, .apns).count == 2)
        #expect(try await ledger.status(number).of(.fcm).pausedBy == [.credentials])
        // The campaign as a whole is not paused, and no event says so.
        let events = try await ledger.read { try $0.events(limit: 100) }.map(\.routingKey)
        #expect(!events.contains("news.campaign.paused"))
        _ = try await ledger.write(.synced) { try $0.resume(campaign: number, reason: .credentials, now: .start) }
        #expect(try await ledger.status(number).of(.fcm).pausedBy.isEmpty)
        #expect(try await released(number, .fcm).count == 1)
    }

    @Test(arguments: TestDatabase.all) func `an operator's pause of the campaign is for all its providers`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.mixed())
        _ = try await ledger.write(.synced) { try $0.pause(campaign: number, now: .start) }
        for provider in [ProviderName.apns, .fcm] { #expect(try await ledger.planned(number, provider).isEmpty) }
        #expect(try await ledger.status(number).state == "paused")
        _ = try await ledger.write(.synced) { try $0.resume(campaign: number, now: .start) }
        for provider in [ProviderName.apns, .fcm] { #expect(try await ledger.planned(number, provider).count == 2) }
        let events = try await ledger.read { try $0.events(limit: 100) }.map(\.routingKey)
        #expect(events.contains("news.campaign.paused") && events.contains("news.campaign.resumed"))
    }

    @Test(arguments: TestDatabase.all) func `good answers of one provider do not hide the wrong world of another`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.mixed([(.fcm, 400), (.apns, 250), (.apns, 40), (.fcm, 50)]))
        let (fcm, apns) = (try await ledger.planned(number, .fcm), try await ledger.planned(number, .apns))
        try await ledger.ran(fcm[0])
        #expect(try await ledger.status(number).of(.apns).pausedBy.isEmpty)
        try await ledger.ran(apns[0], wrong: 250)
        let status = try await ledger.status(number)
        #expect(status.of(.apns).pausedBy == [.wrongEnvironment] && status.of(.apns).pending.held == 250)
        #expect(status.of(.fcm).pausedBy.isEmpty && status.state == "sending")
        #expect(try await ledger.claimed(apns[1]).decision == .setAside(.wrongEnvironment))
        // The other provider's guard has let it go.
        try await ledger.ran(fcm[1], wrong: 50)
        #expect(try await ledger.status(number).of(.fcm).counts.invalid == 50)
        _ = try await ledger.write(.synced) { try $0.resume(campaign: number, reason: .wrongEnvironment, now: .start) }
        let again = try await released(number, .apns)
        #expect(again.reduce(0) { $0 + $1.record.count } == 290)
        #expect(try await ledger.status(number).law == .holds)
    }

    @Test(arguments: TestDatabase.all) func `a provider that is done is judged while another still waits`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.mixed([(.fcm, 4), (.apns, 20)]))
        let fcm = try await ledger.planned(number, .fcm)
        try await ledger.ran(fcm[0], wrong: 2)
        #expect(try await ledger.status(number).of(.fcm).pending.held == 2)
        #expect(try await ledger.read { try $0.mayBeDone(campaign: number) })
        #expect(try await ledger.write(.synced) { try $0.completeIfDone(campaign: number, now: .start) } == nil)
        let status = try await ledger.status(number)
        #expect(status.of(.fcm).counts.invalid == 2 && status.of(.apns).pending.unplanned == 20)
        #expect(status.law == .holds)
    }

    @Test(arguments: TestDatabase.all) func `devices that nobody has credentials for are said to wait`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await live([.apns])
        let number = try await ledger.accepted(Sample.mixed())
        #expect(try await ledger.status(number).stateReason == "no worker has credentials for news (fcm)")
        try await live([.fcm])
        #expect(try await ledger.status(number).stateReason == nil)
    }

    @Test(arguments: TestDatabase.all) func `fired, the providers go that may; the other goes when it may`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.mixed(release: NewCampaign.Release(isHeld: true)))
        var prepared: [ProviderName: ShardKey] = [:]
        for provider in [ProviderName.apns, .fcm] {
            let lease = try #require(try await ledger.lease(number, provider))
            let result = try await ledger.write {
                try $0.prepare(
                    lease.token,
                    shardsMax: 1,
                    now: .start
                )
            }
            guard case .planned(let shards) = result else { throw LedgerError.failed("\(result)") }
            #expect(shards.map(\.facts.provider) == [provider])
            prepared[provider] = shards.first?.record.id.key
        }
        let (apns, fcm) = (try #require(prepared[.apns]), try #require(prepared[.fcm]))
        #expect(try await ledger.read { try $0.heldRoutes() }.map(\.provider.rawValue).sorted() == ["apns", "fcm"])
        _ = try await ledger.write(.synced) { try $0.pause(PauseScope(provider: .fcm), now: .start) }
        _ = try await ledger.write(.synced) { try $0.fire(campaign: number, now: .start) }
        #expect(try await ledger.row(apns)?.state == .unpublished)
        #expect(try await ledger.row(fcm)?.state == .aside)
        _ = try await ledger.write(.synced) { try $0.resume(PauseScope(provider: .fcm), now: .start) }
        #expect(try await released(number, .fcm).map(\.record.id.key) == [fcm])
        #expect(try await ledger.status(number).law == .holds)
    }

    @Test(arguments: TestDatabase.all) func `under a rate all providers share its turns, and one in trouble has none`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let groups = Array(repeating: (ProviderName.apns, 100), count: 10)
        var new = Sample.mixed(groups + groups.map { (.fcm, $0.1) })
        new.pace = Pace(perSecond: 400)
        let number = try await ledger.accepted(new)
        func turns(_ now: Timestamp) async throws -> [ShardToPublish] {
            let lease = try #require(try await ledger.lease(number, .apns, now: now))
            return try await ledger.write { try $0.givePacedTurns(lease.token, appPace: nil, now: now) }.shards
        }
        var devices: [String: Int] = [:]
        for second in 0..<3 {
            for shard in try await turns(.start + second) {
                devices[shard.facts.provider.rawValue, default: 0] += shard.record.count
            }
        }
        // Half of the campaign by now, and neither provider is far ahead.
        #expect(devices.values.reduce(0, +) <= 1400 && devices.values.allSatisfy { $0 > 300 } && devices.count == 2)
        _ = try await ledger.write(.synced) { try $0.pause(PauseScope(provider: .apns), now: .start) }
        var later: Set<String> = []
        for second in 3..<6 {
            for shard in try await turns(.start + second) { later.insert(shard.facts.provider.rawValue) }
        }
        #expect(later == ["fcm"])
        #expect(try await ledger.status(number).law == .holds)
    }

    @Test(arguments: TestDatabase.all) func `the short way claims what may go and leaves the rest to a planner`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        _ = try await ledger.write(.synced) { try $0.pause(PauseScope(provider: .fcm), now: .start) }
        let new = Sample.mixed(facts: Sample.facts(urgency: .urgent))
        let (acceptance, shards) = try await ledger.write(.synced) {
            try $0.acceptClaimed(new, worker: 7, now: .start)
        }
        guard case .accepted(let number, 14) = acceptance else { throw LedgerError.failed("\(acceptance)") }
        #expect(shards.map(\.facts.provider) == [.apns, .apns])
        #expect(try await ledger.read { try $0.fastPathShards(campaign: number) }.count == 2)
        _ = try await ledger.write(.synced) { try $0.resume(PauseScope(provider: .fcm), now: .start) }
        #expect(try await ledger.planned(number, .fcm).count == 2)
        #expect(try await ledger.status(number).law == .holds)
    }
}
