import Campaigns
import Delivery
import Store
import Testing

/// Quiet hours interrupt a part and nothing else.
@Suite(.fewLedgersAtOnce) struct QuietHoursTests {
    private let scratch: ScratchLedger
    private var ledger: Ledger { scratch.ledger }

    init() { scratch = ScratchLedger() }

    private init(_ scratch: ScratchLedger) { self.scratch = scratch }

    /// Accepts two zones that begin at once; `a` has quiet hours from second 20 to before second 50, and from second 80
    /// on.
    private func accepted(pace: Pace? = nil) async throws -> UInt32 {
        var builder = ListBuilder()
        var chunks: [ListChunk] = []
        for number in 0..<1700 {
            let device = Device(token: "", timeZone: number < 700 ? "a" : "b")
            if let full = builder.add(device, token: Sample.token(number)) { chunks.append(full) }
        }
        func part(_ zone: String, _ quiet: [Range<Timestamp>]) -> NewPart {
            let times = PartTimes(releaseAt: .start, expiresAt: .start + 100, quiet: quiet)
            return NewPart(timeZone: zone, times: times)
        }
        let quiet = [.start + 20 ..< .start + 50, .start + 80 ..< .start + 100]
        var new = Sample.campaign(facts: Sample.facts(expiresAt: .start + 200))
        new.audience = .inline(chunks + builder.finish(), version: "v1", duplicates: 0)
        new.parts = [part("a", quiet), part("b", [])]
        new.pace = pace
        return try await ledger.accepted(new)
    }

    private func claim(_ shard: ShardRecord, at seconds: Int) async throws -> ClaimResult {
        let claim = Claim(
            key: shard.id.key,
            generation: shard.generation,
            redelivered: false,
            worker: 7,
            knowsApp: true
        )
        return try await ledger.write(.synced) { try $0.claim(claim, now: .start + seconds) }
    }

    private func released(_ campaign: UInt32, at seconds: Int) async throws -> [ShardToPublish] {
        try await ledger.write(.synced) {
            try $0.releaseAside(campaign: campaign, knowsApp: true, limit: 100, now: .start + seconds)
        }
    }

    @Test(arguments: TestDatabase.all) func `nothing is cut for a zone in its quiet hours, and the others go on`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await accepted()
        #expect(try await ledger.planned(number, max: 1).map(\.record.count) == [500])
        let leased = try await ledger.write { try $0.leaseCampaigns(worker: 1, apps: ["news"], now: .start + 20) }
        #expect(leased.first?.unplannedChunks == 2 && leased.first?.facts.hasQuietHours == true)
        #expect(try await ledger.planned(number, now: .start + 20).map(\.record.count) == [500, 500])
        #expect(try await ledger.planned(number, now: .start + 49).isEmpty)
        let status = try await ledger.status(number, now: .start + 49)
        #expect(status.parts.map(\.unplanned) == [200, 0] && status.pending.unplanned == 200 && status.law == .holds)
        #expect(status.parts.map(\.quietUntil) == [.start + 50, nil])
        #expect(try await ledger.planned(number, now: .start + 50).map(\.record.count) == [200])
        #expect(try await ledger.status(number, now: .start + 50).parts.map(\.quietUntil) == [nil, nil])
        let rows = try await ledger.read { try $0.openShards(campaign: number) }
        #expect(Set(rows.map(\.chunk)).count == 4 && rows.reduce(0) { $0 + $1.count } == 1700)
    }

    @Test(arguments: TestDatabase.all) func `what is out is set aside at its claim, and comes again afterwards`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await accepted()
        let shards = try await ledger.planned(number)
        let (early, late, other) = (shards[0].record, shards[1].record, shards[3].record)
        #expect(try await claim(early, at: 19).decision == .run)
        #expect(try await claim(other, at: 25).decision == .run)
        #expect(try await ledger.read { try $0.runsInQuiet(number, at: .start + 19) }.isEmpty)
        #expect(try await ledger.read { try $0.runsInQuiet(number, at: .start + 20) } == [early.id.key])
        let aside = try await claim(late, at: 20)
        #expect(aside.decision == .setAside(.quiet) && aside.record?.aside == .quiet)
        let status = try await ledger.status(number, now: .start + 20)
        #expect(status.pending.held == 200 && status.state == "sending" && status.law == .holds)
        #expect(try await released(number, at: 49).isEmpty)
        let again = try await released(number, at: 50)
        #expect(again.map(\.record.id) == [late.id] && again.first?.record.generation == 2)
        #expect(try await claim(try #require(again.first).record, at: 79).decision == .run)
        #expect(try await claim(late, at: 79).decision == .drop)
    }

    @Test(arguments: TestDatabase.all) func `a run of a zone whose quiet hours begin is set aside with what it has`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await accepted()
        let shard = try #require(try await ledger.planned(number).first).record
        let (record, token) = try await ledger.running(shard.id.key, now: .start + 19)
        var progress = record.progress
        for index in 0..<120 { progress.accept(index) }
        let saved = progress
        let result = try await ledger.write(.synced) {
            try $0.setAside(token, reason: .quiet, progress: saved, now: .start + 21)
        }
        guard case .aside = result else { throw LedgerError.failed("not set aside: \(result)") }
        let status = try await ledger.status(number, now: .start + 21)
        #expect(status.counts.accepted == 120 && status.pending.held == 380 && status.law == .holds)
        let again = try #require(try await released(number, at: 50).first)
        #expect(again.record.progress.counts.accepted == 120)
    }

    @Test(arguments: TestDatabase.all)
    func `under a rate no turn reaches into quiet hours, and the other zone gets all`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await accepted(pace: Pace(perSecond: 20))
        var now = Timestamp.start
        var (inQuiet, devices) = (0, ["a": 0, "b": 0])
        while now < .start + 56 {
            let at = now
            let step = try await ledger.write { transaction in
                let leased = try transaction.leaseCampaigns(worker: 1, apps: ["news"], now: at)
                return try transaction.givePacedTurns(try #require(leased.first).token, appPace: nil, now: at)
            }
            for shard in step.shards {
                let isA = [0, 3].contains(shard.record.chunk)
                devices[isA ? "a" : "b", default: 0] += shard.record.count
                let slot = try #require(shard.record.slot)
                let (begins, ends) = (Timestamp.start + 20, Timestamp.start + 50)
                let end = slot.begins + slot.length
                if isA, end > begins.milliseconds * 1000, slot.begins < ends.milliseconds * 1000 { inQuiet += 1 }
            }
            now = now.advanced(by: .milliseconds(100))
        }
        #expect(inQuiet == 0)
        // 20 a second all the time: `a` has them before and after, `b` in between.
        #expect(devices["a", default: 0] >= 19 * 20 && devices["b", default: 0] >= 28 * 20)
        #expect(try await ledger.status(number, now: now).law == .holds)
    }

    @Test(arguments: TestDatabase.all) func `a cancel and an end in quiet hours count every device once`(
        _ database: TestDatabase
    ) async throws {
        for isCancelled in [true, false] {
            let scratch = ScratchLedger()
            try scratch.open(on: database)
            let ledger = scratch.ledger
            let tests = QuietHoursTests(scratch)
            let number = try await tests.accepted()
            let shards = try await ledger.planned(number, max: 2)
            for shard in shards { _ = try await tests.claim(shard.record, at: 20) }
            if isCancelled {
                _ = try await ledger.write(.synced) { try $0.cancel(campaign: number, now: .start + 30) }
            } else {
                _ = try await ledger.write(.synced) { try $0.endDue(now: .start + 100) }
            }
            let status = try await ledger.status(number, now: .start + 100)
            #expect(status.pending.total == 0 && status.law == .holds && status.completedAt != nil)
            #expect((isCancelled ? status.counts.cancelled : status.counts.expired) == 1700)
            #expect(status.parts.map(\.unplanned) == [0, 0])
        }
    }

    @Test(arguments: TestDatabase.all) func `a probe is none of a zone in its quiet hours`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await accepted()
        let shards = try await ledger.planned(number, max: 2)
        _ = try await claim(shards[0].record, at: 20)
        _ = try await ledger.write(.synced) {
            try $0.tripBreaker(of: key(number, 0), Breaker.Trip(reason: "Out", since: .start + 20), now: .start + 20)
        }
        let probe = try await ledger.write(.synced) { transaction in
            let leased = try transaction.leaseCampaigns(worker: 1, apps: ["news"], now: .start + 40)
            return try transaction.beginProbe(
                try #require(leased.first).token,
                now: .start + 40
            )
        }
        #expect(probe.map(\.record.chunk) == [1])
    }

    // MARK: Windows that are computed on demand

    /// Accepts one zone whose windows are known for two days, for a campaign that lasts until the calendar's end.
    private func lasting() async throws -> UInt32 {
        let known = Timestamp.start + 2 * 86_400
        let times = PartTimes(
            releaseAt: .start,
            expiresAt: Timestamp(milliseconds: 253_402_300_799_000),
            quiet: [.start + 50_000 ..< .start + 60_000, .start + 136_400 ..< .start + 146_400],
            rule: QuietRule(hours: QuietHours(from: 60, to: 120), timeZone: "Europe/Madrid", knownUntil: known)
        )
        var new = Sample.campaign([500, 200], facts: Sample.facts(expiresAt: times.expiresAt))
        new.parts = [NewPart(timeZone: nil, times: times)]
        return try await ledger.accepted(new)
    }

    @Test(arguments: TestDatabase.all) func `beyond what is known it is quiet, until somebody has computed it`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await lasting()
        #expect(try await ledger.read { try $0.quietToExtend(now: .start - 3 * 86_400) }.isEmpty)
        let shard = try #require(try await ledger.planned(number, max: 1).first).record
        let late = 2 * 86_400 + 7
        #expect(try await ledger.planned(number, max: 1, now: .start + late).isEmpty)
        #expect(try await claim(shard, at: late).decision == .setAside(.quiet))
        #expect(try await released(number, at: late).isEmpty)

        let due = try await ledger.read { try $0.quietToExtend(now: .start + late) }
        let part = try #require(due.first)
        #expect(due.count == 1 && part.campaign == number && part.rule.timeZone == "Europe/Madrid")
        #expect(part.rule.hours == QuietHours(from: 60, to: 120))
        let (now, until) = (Timestamp.start + late, Timestamp.start + late + 8 * 86_400)
        let window = now + 1000..<now + 2000
        for _ in 0..<2 {
            // Two planners: the second finds it done.
            try await ledger.write { try $0.extendQuiet([(part, [window], until)], now: now) }
        }
        #expect(try await ledger.read { try $0.quietToExtend(now: now) }.isEmpty)
        #expect(try await released(number, at: late).map(\.record.id) == [shard.id])
        #expect(try await ledger.planned(number, now: now).map(\.record.count) == [200])
        #expect(try await ledger.planned(number, now: now + 1500).isEmpty)
        #expect(try await ledger.status(number, now: now + 1500).parts.map(\.quietUntil) == [now + 2000])
        #expect(try await ledger.status(number, now: now + 1500).law == .holds)
    }

    @Test(arguments: TestDatabase.all) func `a campaign that is over asks for no more of them, and its rows go`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await lasting()
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: number, now: .start) }
        #expect(try await ledger.read { try $0.quietToExtend(now: .start + 86_400) }.isEmpty)
        let retention = Retention(
            campaigns: .seconds(1),
            outcomes: .seconds(1),
            lists: .seconds(1),
            parked: .seconds(1),
            tracking: .seconds(1)
        )
        var pieces = 0
        // One row per piece: two windows, then the campaign, then the order of its chunks.
        while try await ledger.write(
            .normal,
            {
                try $0.purge(campaign: number, retention, now: .start + 10, rowsMax: 1)
            }
        ) { pieces += 1 }
        #expect(pieces == 2)
        #expect(try await ledger.read { try $0.campaign(number) } == nil)
        #expect(try await ledger.read { try $0.forgottenCampaign(after: 0) } == number)
        pieces = 0
        while try await ledger.write(.normal, { try $0.purgeShards(ofForgotten: number, rowsMax: 1) }) { pieces += 1 }
        #expect(pieces == 2)
        #expect(try await ledger.read { try $0.forgottenCampaign(after: 0) } == nil)
    }
}

extension Timestamp {
    fileprivate static func - (left: Timestamp, seconds: Int) -> Timestamp { left + -seconds }
}
