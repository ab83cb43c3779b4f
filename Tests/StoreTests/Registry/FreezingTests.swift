import Campaigns
import Delivery
import Store
import Testing

/// Audiences that become a list before anything is planned.
@Suite(.fewLedgersAtOnce) struct FreezingTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private func accepted(
        _ id: String = "derby",
        atMost: Int? = nil,
        audience: NewCampaign.Audience = .registry
    ) async throws -> UInt32 {
        var campaign = Sample.campaign(facts: Sample.facts(id: id), identity: id)
        campaign.audience = audience
        campaign.freezing = NewCampaign.Freezing(excludedList: nil)
        campaign.atMost = atMost
        return try await ledger.accepted(campaign)
    }

    private func lease(_ campaign: UInt32, worker: Int64 = 1, now: Timestamp = .start) async throws -> UInt32 {
        let leased = try await ledger.write { try $0.leaseCampaigns(worker: worker, apps: ["news"], now: now) }
        return try #require(leased.first { $0.facts.number == campaign }).leaseEpoch
    }

    private func open(_ campaign: UInt32, epoch: UInt32, worker: Int64 = 1) async throws -> FrozenAudience? {
        try await ledger.write {
            try $0.openFrozen(LeaseToken(campaign: campaign, epoch: epoch, worker: worker), now: .start)
        }
    }

    private func write(
        _ chunks: [ListChunk],
        of audience: FrozenAudience,
        isCheckpoint: Bool = true,
        epoch: UInt32,
        worker: Int64 = 1
    ) async throws -> FreezeResult {
        try await ledger.write {
            try $0.writeFrozen(
                chunks,
                of: audience,
                isCheckpoint: isCheckpoint,
                findsDead: false,
                by: LeaseToken(campaign: audience.campaign, epoch: epoch, worker: worker),
                now: .start
            )
        }
    }

    private func finish(
        _ audience: FrozenAudience,
        parts: [NewPart] = [],
        epoch: UInt32,
        worker: Int64 = 1
    ) async throws -> FreezeResult {
        try await ledger.write(.synced) {
            let lease = LeaseToken(campaign: audience.campaign, epoch: epoch, worker: worker)
            return try $0.finishFrozen(audience, parts: parts, by: lease, now: .start)
        }
    }

    @Test(arguments: TestDatabase.all) func `cut by time zone, it has its parts when it is known who is meant`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let campaign = try await accepted()
        let epoch = try await lease(campaign)
        let audience = try #require(try await open(campaign, epoch: epoch))
        #expect(audience.createdAt == .start)
        var builder = ListBuilder()
        for (number, zone) in ["a", nil, "a", "b", nil, "a"].enumerated() {
            _ = builder.add(Device(token: "", timeZone: zone), token: Sample.token(number))
        }
        #expect(try await write(builder.finish(), of: audience, epoch: epoch) == .written)
        let zones = try await ledger.read { try $0.timeZones(list: audience.list) }
        #expect(Set(zones) == [nil, "a", "b"])
        func part(_ zone: String?, _ begin: Int, _ quiet: [Range<Timestamp>] = []) -> NewPart {
            let times = PartTimes(releaseAt: .start + begin, expiresAt: .start + begin + 60, quiet: quiet)
            return NewPart(timeZone: zone, times: times)
        }
        let parts = [part("a", 20, [.start + 25 ..< .start + 30]), part(nil, 10), part("b", 30)]
        #expect(try await finish(audience, parts: parts, epoch: epoch) == .frozen(audience: 6))
        #expect(try await finish(audience, parts: parts, epoch: epoch) == .fenced)
        var status = try await ledger.status(campaign)
        #expect(status.parts.map(\.timeZone) == [nil, "a", "b"] && status.parts.map(\.devices) == [2, 3, 1])
        #expect(status.expiresAt == .start + 90 && status.law == .holds)
        #expect(try await ledger.planned(campaign, now: .start + 9).isEmpty)
        #expect(try await ledger.planned(campaign, now: .start + 10).map(\.record.count) == [2])
        #expect(try await ledger.planned(campaign, now: .start + 26).isEmpty)
        #expect(try await ledger.planned(campaign, now: .start + 30).map(\.record.count) == [3, 1])
        status = try await ledger.status(campaign)
        #expect(status.pending.queued == 6 && status.pending.unplanned == 0 && status.law == .holds)
    }

    @Test(arguments: TestDatabase.all) func `nobody is meant until it is known who, and the law holds all the time`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let campaign = try await accepted()
        var status = try await ledger.status(campaign)
        #expect(status.state == "planning" && status.audience == 0 && status.law == .holds)
        #expect(try await ledger.read { try $0.isDone(campaign: campaign) } == false)
        #expect(try await ledger.planned(campaign).isEmpty)
        let epoch = try await lease(campaign)
        var audience = try #require(try await open(campaign, epoch: epoch))
        #expect(try await write(Sample.chunks([4, 2]), of: audience, epoch: epoch) == .written)
        #expect(try await ledger.status(campaign).law == .holds)
        audience.withoutToken = 3
        #expect(try await finish(audience, epoch: epoch) == .frozen(audience: 9))
        status = try await ledger.status(campaign)
        #expect(status.state == "scheduled" && status.audience == 9 && status.law == .holds)
        #expect(status.pending.unplanned == 6 && status.counts.skipped == 3 && status.reasons["NoToken"] == 3)
        let shards = try await ledger.planned(campaign)
        #expect(shards.map(\.record.count) == [4, 2])
        #expect(try await ledger.status(campaign).state == "sending")
    }

    @Test(arguments: TestDatabase.all)
    func `whoever has the lease next goes on behind the checkpoint, and no other writes`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let campaign = try await accepted()
        let first = try await lease(campaign)
        var audience = try #require(try await open(campaign, epoch: first))
        let chunks = Sample.chunks([4, 3, 2])
        (audience.position, audience.chunks, audience.devices) = (4, 1, 4)
        #expect(try await write([chunks[0]], of: audience, epoch: first) == .written)
        #expect(try await write([chunks[1]], of: audience, isCheckpoint: false, epoch: first) == .written)
        let second = try await lease(campaign, worker: 2, now: .start + 10)
        #expect(try await open(campaign, epoch: first) == nil)
        let next = try #require(try await open(campaign, epoch: second, worker: 2))
        #expect(next.list == audience.list && next.position == 4 && next.chunks == 1 && next.devices == 4)
        #expect(try await write([chunks[2]], of: audience, isCheckpoint: false, epoch: first) == .fenced)
        #expect(try await finish(audience, epoch: first) == .fenced)
        #expect(try await write([chunks[1], chunks[2]], of: next, epoch: second, worker: 2) == .written)
        #expect(try await finish(next, epoch: second, worker: 2) == .frozen(audience: 9))
        #expect(try await finish(next, epoch: second, worker: 2) == .fenced)
        #expect(try await ledger.status(campaign).pending.unplanned == 9)
    }

    /// Accepts a campaign, and writes three chunks of its audience up to a checkpoint.
    private func halfWritten() async throws -> (campaign: UInt32, audience: FrozenAudience, epoch: UInt32) {
        let campaign = try await accepted()
        let epoch = try await lease(campaign)
        var audience = try #require(try await open(campaign, epoch: epoch))
        (audience.position, audience.chunks, audience.devices) = (9, 3, 9)
        #expect(try await write(Sample.chunks([4, 3, 2]), of: audience, epoch: epoch) == .written)
        return (campaign, audience, epoch)
    }

    @Test(arguments: TestDatabase.all)
    func `a list of which the sweep has removed a piece is written on by nobody, and its audience begins anew`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (campaign, audience, epoch) = try await halfWritten()
        #expect(try await ledger.write { try $0.sweepLists(now: .start + 3601, chunksMax: 1) })
        // Its planner has it open and its lease still.
        let more = Sample.chunks([5, 1, 1, 1])[3...]
        #expect(try await write(Array(more), of: audience, isCheckpoint: false, epoch: epoch) == .fenced)
        #expect(try await finish(audience, epoch: epoch) == .fenced)
        let next = try #require(try await open(campaign, epoch: epoch))
        #expect(next.list != audience.list && next.position == 0 && next.chunks == 0 && next.devices == 0)
        #expect(try await write(Sample.chunks([4, 3, 2]), of: next, epoch: epoch) == .written)
        while try await ledger.write(.normal, { try $0.sweepLists(now: .start + 3600) }) {}
        #expect(try await finish(next, epoch: epoch) == .frozen(audience: 9))
    }

    @Test(arguments: TestDatabase.all)
    func `a list that an earlier version has removed in part, and left as begun, is not written on either`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (campaign, audience, epoch) = try await halfWritten()
        try scratch.execute("DELETE FROM chunks WHERE list = \(audience.list) AND ordinal = 1")
        let next = try #require(try await open(campaign, epoch: epoch))
        #expect(next.list != audience.list && next.position == 0 && next.chunks == 0)
        // What is left of it goes with the next sweep.
        while try await ledger.write(.normal, { try $0.sweepLists(now: .start + 1) }) {}
        let left = try scratch.execute("SELECT count(*) FROM chunks WHERE list = \(audience.list)")
        #expect(left == ["0"])
    }

    @Test(arguments: TestDatabase.all)
    func `an audience that is gone on with after most of an hour is kept from the sweep at once`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (campaign, audience, epoch) = try await halfWritten()
        let token = LeaseToken(campaign: campaign, epoch: epoch, worker: 1)
        let next = try await ledger.write { try $0.openFrozen(token, now: .start + 3600) }
        #expect(next?.list == audience.list && next?.chunks == 3 && next?.asOf == .start)
        #expect(try await !ledger.write { try $0.sweepLists(now: .start + 3601) })
        #expect(try await finish(audience, epoch: epoch) == .frozen(audience: 9))
    }

    @Test(arguments: TestDatabase.all) func `an empty audience fails the campaign, which says so`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let campaign = try await accepted()
        let epoch = try await lease(campaign)
        let audience = try #require(try await open(campaign, epoch: epoch))
        #expect(try await finish(audience, epoch: epoch) == .empty)
        let status = try await ledger.status(campaign)
        #expect(status.state == "failed" && status.audience == 0 && status.law == .holds)
        #expect(status.stateReason?.contains("the audience is empty") == true)
        #expect(status.completedAt != nil)
    }

    @Test(arguments: TestDatabase.all) func `more than at_most pauses a campaign before its first push`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let frozen = try await accepted(atMost: 5)
        let epoch = try await lease(frozen)
        let audience = try #require(try await open(frozen, epoch: epoch))
        _ = try await write(Sample.chunks([4, 2]), of: audience, epoch: epoch)
        _ = try await finish(audience, epoch: epoch)
        var inline = Sample.campaign([4, 2], facts: Sample.facts(id: "inline"), identity: "inline", firstToken: 99)
        inline.atMost = 5
        let listed = try await ledger.accepted(inline)
        for campaign in [frozen, listed] {
            let status = try await ledger.status(campaign)
            #expect(status.state == "paused" && status.stateReason == "at_most" && status.audience == 6)
            #expect(try await ledger.planned(campaign).isEmpty)
            _ = try await ledger.write(.synced) {
                try $0.resume(campaign: campaign, reason: .atMost, now: .start)
            }
            #expect(try await ledger.planned(campaign).count == 2)
        }
        inline.facts = Sample.facts(id: "fits")
        (inline.identity, inline.atMost) = (Array("fits".utf8), 6)
        #expect(try await ledger.planned(try await ledger.accepted(inline)).count == 2)
    }

    @Test(arguments: TestDatabase.all) func `one that is cancelled or expires before it is known has meant nobody`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (cancelled, late) = (try await accepted("one"), try await accepted("two"))
        let epoch = try await lease(cancelled)
        let audience = try #require(try await open(cancelled, epoch: epoch))
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: cancelled, now: .start) }
        #expect(try await write(Sample.chunks([4]), of: audience, epoch: epoch) == .fenced)
        _ = try await ledger.write(.synced) { try $0.endDue(now: .start + 7200) }
        for (campaign, state) in [(cancelled, "cancelled"), (late, "completed")] {
            let status = try await ledger.status(campaign)
            #expect(status.state == state && status.audience == 0 && status.law == .holds)
            #expect(status.completedAt != nil)
        }
    }

    @Test(arguments: TestDatabase.all) func `those who do not want to see alerts end skipped without a request`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let campaign = try await accepted()
        let epoch = try await lease(campaign)
        let audience = try #require(try await open(campaign, epoch: epoch))
        var chunks = Sample.chunks([4, 2])
        (chunks[0].optedOut, chunks[0].suspects) = ([1, 3], [2, 3])
        chunks[1].optedOut = [0, 1]
        _ = try await write(chunks, of: audience, epoch: epoch)
        _ = try await finish(audience, epoch: epoch)
        let shards = try await ledger.planned(campaign)
        #expect(shards.count == 1)
        let status = try await ledger.status(campaign)
        #expect(status.counts.skipped == 4 && status.pending.queued == 1 && status.pending.held == 1)
        #expect(status.law == .holds && status.attempts == 0)
        let (record, token) = try await ledger.running(try #require(shards.first).record.id.key)
        var progress = record.progress
        for index in 0..<record.count where progress.codes[index] == 0 { progress.accept(index) }
        let settled = progress
        _ = try await ledger.write(.synced) { try $0.settle(token, .of(settled), now: .start) }
        let after = try await ledger.status(campaign)
        #expect(after.counts.skipped == 4 && after.reasons["OptedOut"] == 4 && after.counts.accepted == 1)
        #expect(after.law == .holds)
    }

    @Test(arguments: TestDatabase.all) func `inline devices that were cut from are given up, an uploaded list stays`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let campaign = try await accepted(
            audience: .inline(Sample.chunks([4]), version: "v", duplicates: 2)
        )
        #expect(try await ledger.status(campaign).audience == 0)
        let epoch = try await lease(campaign)
        let audience = try #require(try await open(campaign, epoch: epoch))
        let source = try #require(audience.source)
        let read = try await ledger.read { try $0.listChunks(source, after: -1) }
        #expect(read.map(\.devices.count) == [4] && read.first?.deviceIDs.texts.first == "device-0")
        _ = try await write(Sample.chunks([3]), of: audience, epoch: epoch)
        #expect(try await finish(audience, epoch: epoch) == .frozen(audience: 5))
        let status = try await ledger.status(campaign)
        #expect(status.counts.skipped == 2 && status.reasons["Duplicate"] == 2 && status.law == .holds)
        #expect(try await ledger.read { try $0.list(number: source) } == nil)
    }
}
