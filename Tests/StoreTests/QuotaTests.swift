import Campaigns
import Delivery
import PushProviders
import Store
import Testing

/// The quota of a provider: one line of turns for all who send for its holder.
@Suite(.fewLedgersAtOnce)
struct QuotaTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }
    private let apps: Set<String> = ["news", "goals"]

    private func quota(_ perMinute: Int, _ holder: String = "project") -> ProviderQuota {
        ProviderQuota(provider: .fcm, holder: holder, perMinute: perMinute)
    }

    private func turns(
        _ campaign: UInt32,
        _ quota: ProviderQuota?,
        app: Pace? = nil,
        worker: Int64 = 1,
        now: Timestamp = .start
    ) async throws -> PacedStep {
        try await ledger.write { [apps] transaction in
            let leased = try transaction.leaseCampaigns(
                worker: worker,
                apps: apps,
                isPaced: { _, _, _ in true },
                now: now
            )
            guard let lease = leased.first(where: { $0.facts.number == campaign }) else {
                return PacedStep(isFenced: true)
            }
            return try transaction.givePacedTurns(
                lease.token,
                appPace: app,
                quotas: quota.map { [.fcm: $0] } ?? [:],
                now: now
            )
        }
    }

    /// Returns true if the slots follow one another without overlap.
    private func follow(_ slots: [Slot]) -> Bool {
        let sorted = slots.sorted { $0.begins < $1.begins }
        return zip(sorted, sorted.dropFirst()).allSatisfy { $0.begins + $0.length <= $1.begins }
    }

    @Test(arguments: TestDatabase.all)
    func `apps of one project share its quota, those of another have their own`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let one = try await ledger.accepted(Sample.campaign([40, 40, 40]))
        let two = try await ledger.accepted(
            Sample.campaign([40, 40], facts: Sample.facts(app: "goals", id: "goal"), firstToken: 500)
        )
        var slots: [Slot] = []
        for half in 0..<8 {
            let now = Timestamp.start.advanced(by: .milliseconds(500 * half))
            for campaign in [one, two] {
                slots += try await turns(campaign, quota(6000), now: now).shards.compactMap(\.record.slot)
            }
        }
        #expect(follow(slots) && slots.count > 1)
        // Four seconds and the second ahead, at a tenth of 98 a second, in shards of 24.
        #expect(slots.count <= 3)
        let other = try await turns(two, quota(6000, "other"), now: .start + 4).shards.first?.record.slot
        #expect(other?.begins == (Timestamp.start + 4).milliseconds * 1000 + 80_000)
    }

    @Test(arguments: TestDatabase.all)
    func `of a campaign of several providers only the one with a quota waits`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.mixed([(.fcm, 400), (.apns, 400), (.fcm, 400), (.apns, 400)]))
        let first = try await turns(number, quota(6000)).shards
        #expect(!first.isEmpty && first.allSatisfy { $0.facts.provider == .fcm && $0.record.slot != nil })
        // Apple's shards are cut as without a limit, and the same pass gives Google's only their turns.
        let apns = try await ledger.planned(number, .apns)
        #expect(apns.map(\.record.count) == [400, 400] && apns.allSatisfy { $0.record.slot == nil })
        let later = try await turns(number, quota(6000), now: .start + 5).shards
        #expect(!later.isEmpty && later.allSatisfy { $0.facts.provider == .fcm })
        // Without the quota there is nothing to assign, whatever waits.
        #expect(try await turns(number, nil, now: .start + 6) == PacedStep())
        #expect(try await ledger.status(number, now: .start + 6).law == .holds)
    }

    @Test(arguments: TestDatabase.all)
    func `a campaign's own rate holds on top, and the quota keeps back none of the others`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let groups = Array(repeating: [(ProviderName.fcm, 100), (ProviderName.apns, 400)], count: 10).flatMap { $0 }
        var new = Sample.mixed(groups)
        new.pace = Pace(perSecond: 400)
        let number = try await ledger.accepted(new)
        var (begun, devices): ([Int64], [ProviderName: Int]) = ([], [:])
        for tenth in 0..<50 {
            let now = Timestamp.start.advanced(by: .milliseconds(100 * tenth))
            for shard in try await turns(number, quota(3000), now: now).shards {
                devices[shard.facts.provider, default: 0] += shard.record.count
                let slot = try #require(shard.record.slot)
                begun += (0..<shard.record.count).map { slot.instant(of: $0, among: shard.record.count) }
            }
        }
        // 400 a second for five seconds and the second ahead; of Google's at most the number that 49 a second allow.
        let (apns, fcm) = (devices[.apns] ?? 0, devices[.fcm] ?? 0)
        #expect((1900...2400).contains(apns + fcm), "\(apns) and \(fcm)")
        #expect((24...120).contains(fcm), "\(fcm)")
        let seconds = Dictionary(grouping: begun) { $0 / 1_000_000 }
        #expect(seconds.values.allSatisfy { $0.count <= 420 }, "\(seconds.values.map(\.count))")
        #expect(try await ledger.status(number, now: .start + 5).law == .holds)
    }

    @Test(arguments: TestDatabase.all)
    func `a quota that is large enough leaves the turns of a rate as they were`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let groups = Array(repeating: [(ProviderName.fcm, 100), (ProviderName.apns, 300)], count: 10).flatMap { $0 }
        var new = Sample.mixed(groups)
        new.pace = Pace(perSecond: 400)
        let number = try await ledger.accepted(new)
        var devices: [ProviderName: Int] = [:]
        for tenth in 0..<50 {
            let now = Timestamp.start.advanced(by: .milliseconds(100 * tenth))
            for shard in try await turns(number, quota(600_000), now: now).shards {
                devices[shard.facts.provider, default: 0] += shard.record.count
            }
        }
        // A quarter of the devices, and of the turns.
        let (apns, fcm) = (devices[.apns] ?? 0, devices[.fcm] ?? 0)
        #expect((1900...2400).contains(apns + fcm))
        #expect((450...650).contains(fcm), "\(fcm) of \(apns + fcm)")
    }

    @Test(arguments: TestDatabase.all)
    func `a retry takes a turn of the quota again, and what is urgent is counted before others get theirs`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([24]))
        let first = try #require(try await turns(number, quota(6000)).shards.first)
        let run = try await ledger.running(first.record.id.key).token
        var progress = Progress.accepted(first.record.count)
        progress.retry(3, .seconds30, Progress.Note(reason: "UNAVAILABLE"))
        let settlement = try Settlement.of(progress)
        _ = try await ledger.write(.synced) { try $0.settle(run, settlement, now: .start + 3) }
        var child = first.record.id.key
        child.child = 1
        #expect(try await ledger.row(child)?.aside == .rate)
        #expect(try await turns(number, quota(6000), now: .start + 32).shards.isEmpty)
        // Two seconds' worth of urgent requests were sent meanwhile.
        let google = quota(6000)
        try await ledger.write { try $0.charge(google, requests: 196, now: .start + 33) }
        #expect(try await turns(number, google, now: .start + 33).shards.isEmpty)
        let again = try await turns(number, google, now: .start + 35).shards
        #expect(again.map(\.record.id.key) == [child])
        #expect(again.first?.record.slot != nil)
        #expect(try await ledger.status(number, now: .start + 35).law == .holds)
    }

    @Test(arguments: TestDatabase.all)
    func `three minutes with two workers, one of which dies: no minute over the quota, nearly all of it used`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign(Array(repeating: 500, count: 4)))
        var (begun, keys): ([Int64], Set<ShardKey>) = ([], [])
        for fifth in 0..<900 {
            // The first is dead from second 90 on; its lease ends, and the other one takes it.
            let worker: Int64 = fifth < 450 ? 1 : 2
            let now = Timestamp.start.advanced(by: .milliseconds(200 * fifth))
            for shard in try await turns(number, quota(600), worker: worker, now: now).shards {
                let slot = try #require(shard.record.slot)
                #expect(keys.insert(shard.record.id.key).inserted)
                begun += (0..<shard.record.count).map { slot.instant(of: $0, among: shard.record.count) }
            }
        }
        begun.sort()
        var (start, most) = (0, 0)
        for (index, instant) in begun.enumerated() {
            while instant - begun[start] >= 60_000_000 { start += 1 }
            most = max(most, index - start + 1)
        }
        #expect(most <= 600)
        let ramp = Timestamp.start.milliseconds * 1000 + 62_000_000
        let whole = begun.count { (ramp..<ramp + 110_000_000).contains($0) }
        #expect(whole >= 10 * 110 * 90 / 100, "\(whole) of \(10 * 110)")
        #expect(try await ledger.status(number, now: .start + 180).law == .holds)
    }
}
