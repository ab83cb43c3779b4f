import Campaigns
import Delivery
import Store
import Testing

@Suite(.fewLedgersAtOnce)
struct PlanningTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private func lease(_ worker: Int64, now: Timestamp, apps: Set<String> = ["news"]) async throws -> [LeasedCampaign] {
        try await ledger.write { try $0.leaseCampaigns(worker: worker, apps: apps, now: now) }
    }

    @Test(arguments: TestDatabase.all)
    func `a campaign has one planner for three seconds, and a fenced one writes nothing`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        let mine = try #require(try await lease(1, now: .start).first)
        #expect(mine.unplannedChunks == 3)
        #expect(mine.lane.description == "apns.bulk")
        #expect(try await lease(2, now: .start + 2).isEmpty)
        #expect(try await lease(1, now: .start + 2) == [mine])
        // Renewed at second 2, so it is free at second 5.
        #expect(try await lease(2, now: .start + 4).isEmpty)
        let theirs = try #require(try await lease(2, now: .start + 5).first)
        #expect(theirs.leaseEpoch == mine.leaseEpoch + 1)
        let late = try await ledger.write { try $0.plan(mine.token, shardsMax: 9, now: .start + 5) }
        #expect(late == .fenced)
        #expect(try await ledger.status(number).pending.unplanned == 10)
    }

    @Test(arguments: TestDatabase.all)
    func `a released lease is free at once, and an app that is not known is left to others`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        _ = try await ledger.accepted()
        #expect(try await lease(1, now: .start, apps: ["shop"]).isEmpty)
        #expect(try await lease(1, now: .start).count == 1)
        try await ledger.write { try $0.releaseLeases(worker: 1) }
        #expect(try await lease(2, now: .start).count == 1)
    }

    private func outlook(_ worker: Int64, now: Timestamp, apps: Set<String> = ["news"]) async throws -> LeaseOutlook {
        try await ledger.read { try $0.leaseOutlook(of: worker, apps: apps, now: now) }
    }

    @Test(arguments: TestDatabase.all)
    func `a planner sees what nobody plans, and until when another one's lease lasts`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        #expect(try await outlook(2, now: .start) == LeaseOutlook(isAnyFree: false, nextEnd: nil, isSweeper: false))
        _ = try await ledger.accepted(Sample.campaign(facts: Sample.facts(id: "first")))
        #expect(try await outlook(2, now: .start).isAnyFree)
        #expect(try await !outlook(2, now: .start, apps: ["shop"]).isAnyFree)
        #expect(try await lease(1, now: .start).count == 1)
        // Its own leases are renewed, not looked for.
        #expect(try await outlook(1, now: .start).nextEnd == nil)
        for now in [Timestamp.start, .start + 2] {
            let seen = try await outlook(2, now: now)
            #expect(!seen.isAnyFree && seen.nextEnd == .start + 3)
        }
        let lapsed = try await outlook(2, now: .start + 3)
        #expect(lapsed.isAnyFree && lapsed.nextEnd == nil)
        // Its app was gone meanwhile, so that it did not renew it.
        #expect(try await outlook(1, now: .start + 3).isAnyFree)
        try await ledger.write { try $0.releaseLeases(worker: 1) }
        #expect(try await outlook(2, now: .start).isAnyFree)
    }

    @Test(arguments: TestDatabase.all)
    func `a due end of a campaign that nobody can plan is seen by every planner, and the oldest one sweeps`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        _ = try await ledger.accepted()
        #expect(try await !outlook(2, now: .start + 3599, apps: ["shop"]).isAnyFree)
        #expect(try await outlook(2, now: .start + 3600, apps: ["shop"]).isAnyFree)
        func register() async throws -> Int64 {
            try await ledger.write {
                try $0.registerWorker(name: "w", roles: ["planner"], accounts: .apns(["news"]), now: .start)
            }
        }
        let (first, second) = (try await register(), try await register())
        #expect(try await outlook(first, now: .start).isSweeper)
        #expect(try await outlook(second, now: .start).isSweeper == false)
    }

    @Test(arguments: TestDatabase.all) func `urgent campaigns come first`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let bulk = try await ledger.accepted()
        let urgent = try await ledger.accepted(Sample.campaign(facts: Sample.facts(id: "goal", urgency: .urgent)))
        #expect(try await lease(1, now: .start).map(\.facts.number) == [urgent, bulk])
    }

    @Test(arguments: TestDatabase.all)
    func `C4: rows and cursor go on where they stopped, and the first one starts the campaign`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        let first = try await ledger.planned(number, max: 2, now: .start + 1)
        #expect(first.map(\.record.id.description) == ["\(number).0.0", "\(number).0.1"])
        #expect(first.map(\.firstIndex) == [0, 4])
        let second = try await ledger.planned(number, max: 2, now: .start + 2)
        #expect(second.map(\.record.id.description) == ["\(number).0.2"])
        #expect(try await ledger.planned(number, now: .start + 3).isEmpty)
        let status = try await ledger.status(number)
        #expect(status.stage == .sending)
        #expect(status.startedAt == .start + 1)
        #expect(status.pending.queued == 10)
        let events = try await ledger.read { try $0.events(limit: 10) }
        #expect(events.map(\.routingKey) == ["news.campaign.accepted", "news.campaign.started"])
    }

    @Test(arguments: TestDatabase.all) func `nothing is planned while the campaign is paused or over`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.write { try $0.pause(campaign: number, now: .start) }
        #expect(try await ledger.planned(number).isEmpty)
        _ = try await ledger.write { try $0.resume(campaign: number, now: .start) }
        #expect(try await ledger.planned(number, now: .start + 3600).isEmpty)
        #expect(try await ledger.planned(number).count == 3)
    }

    @Test(arguments: TestDatabase.all)
    func `a shard is a function of the ledger: the same bytes from the planner, the sweeper and the decoder`(
        _ database: TestDatabase
    )
        async throws
    {
        try scratch.open(on: database)
        var new = Sample.campaign()
        new.carriesVariables = true
        let chunks = Sample.chunks([3, 2], environment: .sandbox, variables: ["first": "Ana"])
        new.audience = .inline(chunks, version: "v1", duplicates: 0)
        let number = try await ledger.accepted(new)
        let planned = try await ledger.planned(number)
        let swept = try await ledger.read { try $0.unpublished(olderThan: .start + 1, now: .start, limit: 10) }
        #expect(swept == planned)
        for shard in planned {
            let read = try await ledger.read { try $0.shardToPublish(shard.record.id.key) }
            #expect(try read?.body() == shard.body())
            let decoded = try Shard(encoded: try shard.body())
            #expect(try decoded == shard.shard())
            #expect(decoded.facts.environment == .sandbox)
            #expect(decoded.devices.variables.map(\.name) == ["first"])
            #expect(try decoded.encoded() == shard.body())
        }
    }

    @Test(arguments: TestDatabase.all) func `without a use for variables a shard carries none`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        var new = Sample.campaign()
        new.audience = .inline(Sample.chunks([3], variables: ["first": "Ana"]), version: "v1", duplicates: 0)
        let number = try await ledger.accepted(new)
        let shard = try #require(try await ledger.planned(number).first).shard()
        #expect(shard.devices.variables.isEmpty)
        #expect(shard.devices.count == 3)
    }

    @Test(arguments: TestDatabase.all) func `a retry shard has the same bytes from its parent and from the ledger`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([5]))
        let parent = try #require(try await ledger.planned(number).first).shard()
        let (_, first) = try await ledger.running(key(number, 0))
        func settle(_ token: RunToken, _ progress: Progress) async throws -> ShardRecord {
            let settlement = try Settlement.of(progress)
            let result = try await ledger.write(.synced, scope: .shards) {
                try $0.settle(token, settlement, now: .start)
            }
            guard case .settled(let children) = result else { throw LedgerError.failed("\(result)") }
            return try #require(children.first)
        }
        let child = try await settle(
            first,
            .accepted(5) { progress in
                for position in [1, 3, 4] { progress.retry(position, .seconds5, Progress.Note(reason: "Shutdown")) }
            }
        )
        let fromLedger = try #require(try await ledger.read { try $0.shardToPublish(child.id.key) })
        let fromParent = child.shard(from: parent)
        #expect(try fromLedger.shard() == fromParent)
        #expect(try fromLedger.body() == fromParent.encoded())
        #expect(fromParent.deviceIndex(at: 2) == 4)

        let (_, second) = try await ledger.running(child.id.key)
        let grandchild = try await settle(
            second,
            .accepted(3) { $0.retry(2, .seconds30, Progress.Note(reason: "Shutdown")) }
        )
        let last = try #require(try await ledger.read { try $0.shardToPublish(grandchild.id.key) })
        #expect(try last.body() == grandchild.shard(from: fromParent).encoded())
        #expect(try last.shard().deviceIndex(at: 0) == 4)
    }

    @Test(arguments: TestDatabase.all)
    func `the window counts first attempts that are out and unclaimed, and retries apart`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        let shards = try await ledger.planned(number)
        let lane = Lane(provider: .apns, urgency: .bulk)
        #expect(try await ledger.read { try $0.windowUse(of: lane) } == 3)
        try await ledger.write(scope: .shards) { try $0.markOut(shards.map { ($0.record.id.key, 1) }, now: .start) }
        #expect(try await ledger.read { try $0.windowUse(of: lane) } == 3)
        let (_, token) = try await ledger.running(key(number, 0))
        #expect(try await ledger.read { try $0.windowUse(of: lane) } == 2)
        let progress = Progress.accepted(4) { $0.retry(2, .seconds30, Progress.Note()) }
        let settlement = try Settlement.of(progress)
        _ = try await ledger.write(scope: .shards) { try $0.settle(token, settlement, now: .start) }
        let uses = try await ledger.read { try $0.windowUse() }
        #expect(uses.map(\.firstAttempts) == [2])
        #expect(uses.map(\.isPaced) == [false])
        #expect(uses.map(\.retries) == [1])
        #expect(try await ledger.read { try $0.windowUse(of: Lane(provider: .apns, urgency: .urgent)) } == 0)
    }

    @Test(arguments: TestDatabase.all) func `a confirm for an older generation changes nothing`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        let (_, token) = try await ledger.running(key(number, 0))
        let progress = Progress(count: 4)
        _ = try await ledger.write(scope: .shards) {
            try $0.setAside(token, reason: .handOver, progress: progress, now: .start)
        }
        try await ledger.write(scope: .shards) { try $0.markOut([(key(number, 0), 1)], now: .start) }
        #expect(try await ledger.row(key(number, 0))?.state == .unpublished)
        try await ledger.write(scope: .shards) { try $0.markOut([(key(number, 0), 2)], now: .start) }
        #expect(try await ledger.row(key(number, 0))?.state == .out)
    }

    @Test(arguments: TestDatabase.all) func `confirms mark the rows that they are for and none between them`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        let shards = try await ledger.planned(number)
        try #require(shards.count == 3)
        func states() async throws -> [ShardState?] {
            var states: [ShardState?] = []
            for ordinal in 0..<UInt32(3) { states.append(try await ledger.row(key(number, ordinal))?.state) }
            return states
        }
        try await ledger.write(scope: .shards) {
            try $0.markOut([(key(number, 2), 1), (key(number, 0), 1)], now: .start)
        }
        #expect(try await states() == [.out, .unpublished, .out])
        // One of an older generation, and one that is out already, on either side.
        try await ledger.write(scope: .shards) {
            try $0.markOut([(key(number, 2), 2), (key(number, 0), 1), (key(number, 1), 1)], now: .start)
        }
        #expect(try await states() == [.out, .out, .out])
    }

    @Test(arguments: TestDatabase.all) func `what was left unpublished is found by its age`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        let shards = try await ledger.planned(number)
        try await ledger.write(scope: .shards) { try $0.markOut([(shards[1].record.id.key, 1)], now: .start) }
        func left(_ olderThan: Timestamp, _ campaign: UInt32? = nil) async throws -> [UInt32] {
            let shards = try await ledger.read { reader in
                try reader.unpublished(olderThan: olderThan, campaign: campaign, now: olderThan, limit: 10)
            }
            return shards.map(\.record.id.key.ordinal)
        }
        #expect(try await left(.start).isEmpty)
        #expect(try await left(.start + 10) == [0, 2])
        #expect(try await left(.start + 10, number) == [0, 2])
        #expect(try await left(.start + 10, number + 1).isEmpty)
    }

    @Test(arguments: TestDatabase.all)
    func `a retry shard that was not published waits in the ledger until it is due, and not on its rung again`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([4]))
        _ = try await ledger.planned(number)
        let (_, token) = try await ledger.running(key(number, 0))
        let progress = Progress.accepted(4) { progress in
            progress.retry(1, .seconds30, Progress.Note(reason: "ServiceUnavailable"))
        }
        let settlement = try Settlement.of(progress)
        _ = try await ledger.write { try $0.settle(token, settlement, now: .start) }
        func left(_ now: Timestamp) async throws -> Int {
            try await ledger.read { try $0.unpublished(olderThan: now + -10, now: now, limit: 10) }.count
        }
        #expect(try await left(.start + 29) == 0)
        #expect(try await left(.start + 30) == 1)
    }

    @Test(arguments: TestDatabase.all)
    func `a message that the broker lost is made anew once, and the old one is superseded`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        let shards = try await ledger.planned(number)
        try await ledger.write(scope: .shards) { try $0.markOut(shards.map { ($0.record.id.key, 1) }, now: .start) }
        func lost(_ now: Timestamp) async throws -> [ShardRecord] {
            try await ledger.read { try $0.lostShards(campaign: number, now: now, limit: 10) }
        }
        #expect(try await lost(.start + 900).isEmpty)
        let rows = try await lost(.start + 901)
        #expect(rows.count == 3)
        let raised = try await ledger.write { try $0.raiseGeneration(rows, now: .start + 901) }
        #expect(raised.map(\.record.generation) == [2, 2, 2])
        // Another planner that read the same rows is too late.
        #expect(try await ledger.write { try $0.raiseGeneration(rows, now: .start + 901) }.isEmpty)
        let old = Claim(key: key(number, 0), generation: 1, redelivered: false, worker: 7, knowsApp: true)
        #expect(try await ledger.write(scope: .shards) { try $0.claim(old, now: .start + 901) }.decision == .drop)
    }

    @Test(arguments: TestDatabase.all, [-3600, 3600])
    func `no message is lost before its campaign is old enough, whatever a clock has written into the row`(
        _ database: TestDatabase,
        step: Int
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([4]))
        let keys = try await ledger.planned(number).map { ($0.record.id.key, $0.record.generation) }
        try await ledger.write(scope: .shards) { try $0.markOut(keys, now: .start + step) }
        func lost(_ now: Timestamp) async throws -> Int {
            try await ledger.read { try $0.lostShards(campaign: number, now: now, limit: 10) }.count
        }
        #expect(try await lost(.start + 900) == 0)
        #expect(try await lost(.start + 901) == 1)
    }

    @Test(arguments: TestDatabase.all)
    func `a running shard is a candidate even while its worker lives, which may have lost the lease`(
        _ database: TestDatabase
    )
        async throws
    {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([4]))
        _ = try await ledger.planned(number)
        let worker = try await ledger.write {
            try $0.registerWorker(name: "w", roles: [], accounts: .apns(["news"]), now: .start)
        }
        _ = try await ledger.running(key(number, 0), worker: worker)
        func lost(_ now: Timestamp) async throws -> Int {
            try await ledger.read { try $0.lostShards(campaign: number, now: now, limit: 10) }.count
        }
        try await ledger.write { try $0.reportWorker(worker, accounts: .apns(["news"]), now: .start + 900) }
        #expect(try await lost(.start + 900) == 0)
        #expect(try await lost(.start + 901) == 1)
    }

    @Test(arguments: TestDatabase.all)
    func `a lane has moved past what was published before a shard that is claimed at its first delivery`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let lane = Lane(provider: .apns, urgency: .bulk)
        func past() async throws -> Timestamp? { try await ledger.read { try $0.lastClaimedPublish(of: lane) } }
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        #expect(try await past() == nil)
        let (_, token) = try await ledger.running(key(number, 1))
        #expect(try await past() == .start)
        let other = Lane(provider: .apns, urgency: .urgent)
        #expect(try await ledger.read { try $0.lastClaimedPublish(of: other) } == nil)
        // A row that came back or was published anew says nothing about the others.
        try await ledger.write(scope: .shards) { try $0.giveUp(token) }
        let again = Claim(key: token.key, generation: 1, redelivered: true, worker: 8, knowsApp: true)
        #expect(try await ledger.write(scope: .shards) { try $0.claim(again, now: .start + 1) }.decision == .run)
        #expect(try await past() == nil)
    }

    @Test(arguments: TestDatabase.all) func `a shard on a rung is not lost before it is due`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([4], facts: Sample.facts(expiresAt: .start + 90_000)))
        _ = try await ledger.planned(number)
        let (_, token) = try await ledger.running(key(number, 0))
        let settlement = try Settlement.of(.accepted(4) { $0.retry(0, .hours2, Progress.Note()) })
        _ = try await ledger.write(scope: .shards) { try $0.settle(token, settlement, now: .start) }
        try await ledger.write(scope: .shards) { try $0.markOut([(key(number, 0, 1), 1)], now: .start) }
        func lost(_ now: Timestamp) async throws -> Int {
            try await ledger.read { try $0.lostShards(campaign: number, now: now, limit: 10) }.count
        }
        #expect(try await lost(.start + 7200 + 900) == 0)
        #expect(try await lost(.start + 7200 + 901) == 1)
    }
}
