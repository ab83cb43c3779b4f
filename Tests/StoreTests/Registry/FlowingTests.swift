import Campaigns
import Delivery
import Store
import Synchronization
import Testing

/// Audiences that are sent while they are frozen.
@Suite(.fewLedgersAtOnce) struct FlowingTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private func accepted(_ id: String = "derby", excluding list: UInt32? = nil) async throws -> UInt32 {
        var campaign = Sample.campaign(facts: Sample.facts(id: id), identity: id)
        campaign.audience = .registry
        campaign.freezing = NewCampaign.Freezing(excludedList: list)
        return try await ledger.accepted(campaign)
    }

    private func lease(_ campaign: UInt32, worker: Int64 = 1, now: Timestamp = .start) async throws -> LeaseToken {
        let leased = try await ledger.write { try $0.leaseCampaigns(worker: worker, apps: ["news"], now: now) }
        return try #require(leased.first { $0.facts.number == campaign }).wholeToken
    }

    private func begin(
        _ lease: LeaseToken,
        providers: [ProviderName] = [.apns],
        contents: [CampaignContent] = [],
        ranges: Int = 1
    ) async throws -> FrozenAudience? {
        try await ledger.write(.synced) { transaction -> FrozenAudience? in
            let opened = try transaction.openFrozen(lease, now: .start)
            guard let opened else { return nil }
            return try transaction.beginFlow(
                opened,
                providers: providers,
                contents: contents,
                sample: AudienceSample(perMillion: 500_000, errorPerMillion: 10_000),
                ranges: ranges,
                by: lease,
                now: .start
            )
        }
    }

    /// Accepts a campaign and lets its audience flow; returns the lease of its first range.
    private func flowing(
        ranges: Int = 1
    ) async throws -> (campaign: UInt32, lease: LeaseToken, audience: FrozenAudience) {
        let campaign = try await accepted()
        let lease = try await lease(campaign)
        let audience = try #require(try await begin(lease, ranges: ranges))
        let range = try await range(campaign)
        guard ranges > 1 else { return (campaign, range, audience) }
        // The registry of the test is empty.
        try scratch.execute(
            """
            UPDATE audience_ranges SET first = range_number * 10000, position = range_number * 10000,
                last = range_number * 10000 + 1000
            """
        )
        return (campaign, range, try #require(try await open(range)))
    }

    /// Leases ranges for a worker, and returns the lease of the one that it has of a campaign.
    private func range(_ campaign: UInt32, worker: Int64 = 1, now: Timestamp = .start) async throws -> LeaseToken {
        let leased = try await ranges(worker: worker, now: now)
        return try #require(leased.first { $0.facts.number == campaign }).token
    }

    private func ranges(worker: Int64, now: Timestamp = .start) async throws -> [LeasedAudience] {
        try await ledger.write { try $0.leaseRanges(worker: worker, apps: ["news"], now: now) }
    }

    private func open(_ lease: LeaseToken, now: Timestamp = .start) async throws -> FrozenAudience? {
        try await ledger.write { try $0.openFrozen(lease, now: now) }
    }

    /// Writes the next chunks; at a checkpoint the cursor passes them.
    private func write(
        _ chunks: [ListChunk],
        _ audience: inout FrozenAudience,
        isCheckpoint: Bool = true,
        by lease: LeaseToken
    ) async throws -> FreezeResult {
        var chunks = chunks
        for index in chunks.indices {
            chunks[index].ordinal += UInt32(audience.nextOrdinal)
            chunks[index].firstIndex += UInt32(audience.nextIndex)
        }
        if isCheckpoint {
            audience.chunks += chunks.count
            audience.devices += chunks.reduce(0) { $0 + $1.devices.count }
            audience.position += 10
        }
        let (written, state) = (chunks, audience)
        return try await ledger.write {
            try $0.writeFrozen(
                written,
                of: state,
                isCheckpoint: isCheckpoint,
                findsDead: false,
                by: lease,
                now: .start
            )
        }
    }

    private func finish(_ audience: FrozenAudience, by lease: LeaseToken) async throws -> FreezeResult {
        try await ledger.write(.synced) { try $0.finishFrozen(audience, by: lease, now: .start) }
    }

    private func sweep(at now: Timestamp) async throws {
        while try await ledger.write(.normal, { try $0.sweepLists(now: now) }) {}
    }

    private func settle(_ shards: [ShardToPublish]) async throws {
        for shard in shards {
            let (record, token) = try await ledger.running(shard.record.id.key)
            let settlement = try Settlement.of(.accepted(record.count), attempt: record.attempt)
            _ = try await ledger.write(.synced) { try $0.settle(token, settlement, now: .start) }
        }
    }

    @Test(arguments: TestDatabase.all)
    func `what the cursor has passed is cut, and only that; the law holds at every look`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (campaign, lease, opened) = try await flowing()
        var audience = opened
        var status = try await ledger.status(campaign)
        #expect(status.state == "scheduled" && status.isPlanning && status.audience == 0 && status.law == .holds)
        #expect(try await ledger.planned(campaign).isEmpty)
        #expect(try await write(Sample.chunks([4, 2]), &audience, by: lease) == .passed)
        #expect(try await write(Sample.chunks([3]), &audience, isCheckpoint: false, by: lease) == .written)
        status = try await ledger.status(campaign)
        #expect(status.audience == 6 && status.pending.unplanned == 6 && status.law == .holds)
        // A device is the campaign's when the cursor has passed it.
        let traces = try await ledger.traces(campaign: campaign, devicesMax: 100)
        #expect(traces?.count == 6)
        #expect(try await ledger.planned(campaign).map(\.record.count) == [4, 2])
        #expect(try await ledger.planned(campaign).isEmpty)
        status = try await ledger.status(campaign)
        #expect(status.state == "sending" && status.isPlanning && status.pending.queued == 6 && status.law == .holds)
        #expect(status.parts.isEmpty && status.startedAt != nil)
        // What its planner had written behind the cursor is gone when it begins again there.
        let again = try await range(campaign)
        audience = try #require(try await open(again))
        #expect(try await write(Sample.chunks([5]), &audience, by: again) == .passed)
        #expect(try await ledger.status(campaign).audience == 11)
        #expect(try await finish(audience, by: lease) == .frozen(audience: 11))
        status = try await ledger.status(campaign)
        #expect(status.state == "sending" && !status.isPlanning && status.estimate == nil && status.law == .holds)
    }

    @Test(arguments: TestDatabase.all)
    func `who goes on removes what the cursor has not passed, keeps what is cut, and begins at no front`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (campaign, first, opened) = try await flowing()
        var audience = opened
        _ = try await write(Sample.chunks([4, 2]), &audience, by: first)
        let cut = try await ledger.planned(campaign)
        _ = try await write(Sample.chunks([3]), &audience, isCheckpoint: false, by: first)
        let hours = Timestamp.start + 7_200 * 4
        // No sweep removes the list, however long nobody writes to it.
        try await sweep(at: hours)
        let second = try await range(campaign, worker: 2, now: .start + 10)
        var next = try #require(try await open(second))
        #expect(next == audience && next.list == audience.list && next.chunks == 2 && next.position == 10)
        #expect(try await write(Sample.chunks([9]), &audience, by: first) == .fenced)
        let cutter = try await lease(campaign, worker: 2, now: .start + 10)
        #expect(try await begin(cutter) == nil)
        let kept = try await ledger.read { try $0.listChunks(opened.list, after: -1) }
        #expect(kept.map(\.devices.count) == [4, 2])
        #expect(try await write(Sample.chunks([7]), &next, by: second) == .passed)
        #expect(try await finish(audience, by: first) == .fenced)
        #expect(try await finish(next, by: second) == .frozen(audience: 13))
        let rest = try await ledger.write { transaction in
            try transaction.plan(cutter, shardsMax: 10, now: .start)
        }
        guard case .planned(let shards) = rest else {
            Issue.record("not planned: \(rest)")
            return
        }
        #expect((cut + shards).map(\.record.id.key.ordinal) == [0, 1, 2] && shards.first?.record.count == 7)
    }

    @Test(arguments: TestDatabase.all)
    func `it completes with the end of its planning, and not before`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let (campaign, lease, opened) = try await flowing()
        var audience = opened
        _ = try await write(Sample.chunks([4, 2]), &audience, by: lease)
        try await settle(try await ledger.planned(campaign))
        #expect(try await ledger.write(.synced) { try $0.completeIfDone(campaign: campaign, now: .start) } == nil)
        var status = try await ledger.status(campaign)
        #expect(status.counts.accepted == 6 && status.pending.total == 0 && status.completedAt == nil)
        #expect(try await finish(audience, by: lease) == .frozen(audience: 6))
        status = try await ledger.status(campaign)
        #expect(status.state == "completed" && status.completedAt != nil && status.law == .holds)
    }

    @Test(arguments: TestDatabase.all)
    func `of several providers each share grows, and is cut by itself`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let campaign = try await accepted()
        var lease = try await lease(campaign)
        var audience = try #require(
            try await begin(
                lease,
                providers: [.apns, ProviderName(rawValue: "fcm")],
                contents: [Sample.content(.apns), Sample.content(.fcm)]
            )
        )
        lease = try await range(campaign)
        _ = try await write(Sample.chunks([(.apns, 4), (.fcm, 3)]), &audience, by: lease)
        #expect(try await ledger.planned(campaign, .fcm).map(\.record.count) == [3])
        _ = try await write(Sample.chunks([(.fcm, 2), (.apns, 1), (.fcm, 6)]), &audience, by: lease)
        var status = try await ledger.status(campaign)
        #expect(status.of(.apns).audience == 5 && status.of(.fcm).audience == 11 && status.law == .holds)
        #expect(status.of(.apns).pending.unplanned == 5 && status.of(.fcm).pending.unplanned == 8)
        #expect(try await finish(audience, by: lease) == .frozen(audience: 16))
        let sizes = try await ledger.planned(campaign, .fcm).map(\.record.count).sorted()
        #expect(sizes == [2, 6])
        #expect(try await ledger.planned(campaign, .apns).map(\.record.count).sorted() == [1, 4])
        status = try await ledger.status(campaign)
        #expect(status.pending.queued == 16 && status.law == .holds)
    }

    @Test(arguments: TestDatabase.all)
    func `cancelled in the midst it keeps its list, ends its planning, and says how many were never looked at`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (campaign, lease, opened) = try await flowing()
        var audience = opened
        try scratch.execute("UPDATE audience_ranges SET last = 10010")
        _ = try await write(Sample.chunks([4, 2]), &audience, by: lease)
        let shards = try await ledger.planned(campaign, max: 1)
        _ = try await ledger.running(try #require(shards.first).record.id.key)
        _ = try await write(Sample.chunks([3]), &audience, isCheckpoint: false, by: lease)
        let estimate = try await ledger.status(campaign).estimate
        #expect(estimate == AudienceEstimate(devices: 5_006, error: 100))
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: campaign, now: .start) }
        #expect(try await write(Sample.chunks([3]), &audience, by: lease) == .fenced)
        var status = try await ledger.status(campaign)
        #expect(status.state == "cancelled" && !status.isPlanning && status.estimate == nil)
        #expect(status.audience == 6 && status.unexamined == 5_000 && status.law == .holds)
        #expect(status.counts.cancelled == 2 && status.pending.sending == 4)
        try await sweep(at: .start + 7_200)
        #expect(try await ledger.read { try $0.list(number: opened.list) } != nil)
        let key = try #require(shards.first).record.id.key
        let settlement = try Settlement.of(.accepted(4), attempt: 1)
        let token = RunToken(key: key, epoch: 1, worker: 7)
        _ = try await ledger.write(.synced) { try $0.settle(token, settlement, now: .start) }
        _ = try await ledger.write(.synced) { try $0.completeIfDone(campaign: campaign, now: .start) }
        status = try await ledger.status(campaign)
        #expect(status.counts.accepted == 4 && status.completedAt != nil && status.law == .holds)
    }

    @Test(arguments: TestDatabase.all)
    func `expired in the midst, also where an earlier version has marked it, it ends`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        for isMarked in [false, true] {
            let campaign = try await accepted("late-\(isMarked)")
            var audience = try #require(try await begin(try await lease(campaign)))
            _ = try await write(Sample.chunks([4, 2]), &audience, by: try await range(campaign))
            if isMarked {
                try scratch.execute(
                    """
                    UPDATE campaigns SET rest_outcome = \(Outcome.expired.rawValue), rest_devices = 6, cursor = chunks
                    WHERE number = \(campaign)
                    """
                )
            }
            _ = try await ledger.write(.synced) { try $0.endDue(now: .start + 7200) }
            let status = try await ledger.status(campaign)
            #expect(status.state == "completed" && status.counts.expired == 6 && status.law == .holds)
            #expect(!status.isPlanning && status.unexamined == 0)
        }
    }

    @Test(arguments: TestDatabase.all)
    func `all its ranges are judged as of one instant, whenever who takes them up`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (campaign, _, opened) = try await flowing(ranges: 2)
        #expect(opened.asOf == .start)
        let second = try await range(campaign, worker: 2, now: .start + 1)
        #expect(try await open(second, now: .start + 1)?.asOf == .start)
        // An earlier version has begun it: the first one to take up a range sets the instant for all.
        try scratch.execute("UPDATE audience_flows SET as_of = NULL")
        #expect(try await open(second, now: .start + 2)?.asOf == .start + 2)
        let third = try await range(campaign, worker: 3, now: .start + 20)
        #expect(third.range != second.range)
        #expect(try await open(third, now: .start + 20)?.asOf == .start + 2)
    }

    @Test(arguments: TestDatabase.all)
    func `a lease of a worker that cannot go on with it is taken over at once`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let (campaign, lease, opened) = try await flowing()
        var audience = opened
        _ = try await write(Sample.chunks([4]), &audience, by: lease)
        let before = try await self.lease(campaign)
        // A worker of an earlier version takes the lease as it does any other, and knows of no holder.
        try scratch.execute("UPDATE campaigns SET lease_owner = 9, lease_epoch = lease_epoch + 1")
        let taken = try await self.lease(campaign)
        #expect(taken.epoch == before.epoch + 2 && taken.worker == 1)
        #expect(try await write(Sample.chunks([2]), &audience, by: lease) == .passed)
        // One that knows has it to itself.
        let other = try await ledger.write { try $0.leaseCampaigns(worker: 2, apps: ["news"], now: .start) }
        #expect(other.isEmpty)
        // To the earlier version the campaign is one that is still planned.
        #expect(try scratch.execute("SELECT stage FROM campaigns") == ["planning"])
        #expect(try scratch.execute("SELECT count(*) FROM frozen_audiences") == ["0"])
    }

    @Test(arguments: TestDatabase.all)
    func `a list that it leaves out stays, and without it nothing more is frozen`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let list = try await ledger.write { transaction -> UInt32 in
            let list = try transaction.beginList(app: "news", name: "unsubscribed", now: .start)
            try transaction.appendChunks(Sample.chunks([2]), to: list, now: .start)
            return try transaction.finishList(list, version: "v", duplicates: 0, now: .start).number
        }
        let campaign = try await accepted(excluding: list)
        let lease = try await lease(campaign)
        _ = try #require(try await begin(lease))
        let range = try await range(campaign)
        #expect(try await ledger.write { try $0.removeList(list) } == .used(by: "news/derby"))
        try scratch.execute("UPDATE lists SET state = 2 WHERE number = \(list)")
        await #expect(throws: LedgerError.self) {
            try await ledger.write { try $0.openFrozen(range, now: .start) }
        }
    }

    @Test(arguments: TestDatabase.all) func `of which nobody is found, it fails and says so`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (campaign, lease, audience) = try await flowing()
        #expect(try await finish(audience, by: lease) == .empty)
        let status = try await ledger.status(campaign)
        #expect(status.state == "failed" && status.law == .holds && !status.isPlanning)
        #expect(status.stateReason?.contains("the audience is empty") == true)
    }

    // MARK: Ranges

    @Test(arguments: TestDatabase.all)
    func `several planners freeze ranges of one audience, one planner cuts, and the last range ends the planning`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (campaign, one, opened) = try await flowing(ranges: 3)
        var first = opened
        // Worker 2 has no lease of the campaign; each has one range.
        #expect(try await ranges(worker: 1).map(\.token.range) == [0])
        let two = try await range(campaign, worker: 2)
        #expect(two.range == 1 && two.worker == 2)
        var second = try #require(try await open(two))
        #expect(try await write(Sample.chunks([3]), &second, by: two) == .passed)
        #expect(try await write(Sample.chunks([4, 2]), &first, by: one) == .passed)
        let cut = try await ledger.planned(campaign)
        #expect(cut.map(\.record.count) == [3, 4, 2])
        #expect(try await finish(first, by: one) == .rangeOver)
        // Whoever is done takes another.
        let three = try await range(campaign)
        #expect(three.range == 2)
        var third = try #require(try await open(three))
        #expect(try await finish(second, by: two) == .rangeOver)
        #expect(try await ranges(worker: 2).isEmpty)
        try await settle(cut)
        #expect(try await ledger.write(.synced) { try $0.completeIfDone(campaign: campaign, now: .start) } == nil)
        var status = try await ledger.status(campaign)
        #expect(status.isPlanning && status.audience == 9 && status.law == .holds)
        #expect(status.estimate?.devices == 9 + 500)
        #expect(try await write(Sample.chunks([5]), &third, by: three) == .passed)
        #expect(try await finish(third, by: three) == .frozen(audience: 14))
        let shards = try await ledger.planned(campaign)
        #expect(shards.map(\.record.count) == [5])
        status = try await ledger.status(campaign)
        #expect(!status.isPlanning && status.audience == 14 && status.law == .holds)
        // No two devices have one index, and no two chunks one ordinal.
        let indexes = Mutex<[UInt32]>([])
        try await ledger.devices(campaign: campaign) { device in indexes.withLock { $0.append(device.index) } }
        #expect(indexes.withLock { $0.count == 14 && Set($0).count == 14 })
        #expect(try await ledger.traces(campaign: campaign, devicesMax: 100)?.count == 14)
    }

    @Test(arguments: TestDatabase.all)
    func `the range of a dead planner is gone on with behind its cursor, and the others are not touched`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (campaign, one, opened) = try await flowing(ranges: 2)
        var (first, two) = (opened, try await range(campaign, worker: 2))
        var second = try #require(try await open(two))
        _ = try await write(Sample.chunks([4]), &first, by: one)
        _ = try await write(Sample.chunks([2]), &second, by: two)
        // Both have written chunks that no cursor has passed.
        _ = try await write(Sample.chunks([6]), &first, isCheckpoint: false, by: one)
        _ = try await write(Sample.chunks([7]), &second, isCheckpoint: false, by: two)
        let now = Timestamp.start + 10
        #expect(try await ledger.read { try $0.leaseOutlook(of: 2, apps: ["news"], now: now) }.isAnyFree)
        // The living planner has a range of its own: it renews that, and takes the other when its own is over.
        two = try await range(campaign, worker: 2, now: now)
        #expect(two.range == 1)
        let three = try await range(campaign, worker: 3, now: now)
        #expect(three.range == 0 && three.epoch == one.epoch + 1)
        #expect(try await open(three) == first)
        #expect(try await write(Sample.chunks([9]), &first, by: one) == .fenced)
        let kept = try await ledger.read { try $0.listChunks(opened.list, after: -1) }
        #expect(kept.map(\.devices.count) == [4, 2, 7])
        // What is given back is free at once.
        try await ledger.write { try $0.releaseLeases(worker: 3) }
        #expect(try await range(campaign, worker: 4, now: now).range == 0)
    }

    @Test(arguments: TestDatabase.all)
    func `chunks of ranges are written beside other writers, and the cursor moves alone`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (_, lease, opened) = try await flowing(ranges: 2)
        var chunk = try #require(Sample.chunks([3]).first)
        (chunk.optedOut, chunk.suspects) = ([1], [2])
        let chunks = [chunk]
        let result = try await ledger.write(.normal, scope: .shards) {
            try $0.writeFrozen(chunks, of: opened, isCheckpoint: false, findsDead: false, by: lease, now: .start)
        }
        #expect(result == .written)
    }

    @Test(arguments: TestDatabase.all)
    func `a cancelled audience ends in all its ranges, and estimates what none of them has looked at`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (campaign, one, opened) = try await flowing(ranges: 2)
        var first = opened
        let two = try await range(campaign, worker: 2)
        var second = try #require(try await open(two))
        _ = try await write(Sample.chunks([4]), &first, by: one)
        _ = try await write(Sample.chunks([2]), &second, by: two)
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: campaign, now: .start) }
        #expect(try await write(Sample.chunks([3]), &second, by: two) == .fenced)
        #expect(try await finish(first, by: one) == .fenced)
        #expect(try await ranges(worker: 2).isEmpty)
        let status = try await ledger.status(campaign)
        #expect(status.audience == 6 && status.unexamined == 990 && !status.isPlanning && status.law == .holds)
        #expect(try scratch.execute("SELECT CAST(count(*) AS TEXT) FROM audience_ranges") == ["0"])
    }
}
