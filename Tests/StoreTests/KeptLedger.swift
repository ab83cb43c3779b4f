import Campaigns
import Delivery
import Foundation
import GRDB
import Store
import Testing

/// A ledger with data in every part that a later version may migrate; `Kept` holds those of earlier versions.
///
/// `write` is today's version, and its result may be kept (Upgrades.md describes how). `goesOn` holds for every ledger
/// ever written so.
enum KeptLedger {
    /// The path at which a new one is written; nil unless requested.
    static let wanted = ProcessInfo.processInfo.environment["FANFARE_KEEP_LEDGER"]

    static func kept(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Kept/\(name)").path
    }

    // MARK: - Writing

    /// Writes one to a new file, which has no other beside it and needs none to be read.
    static func keep(at path: String) async throws {
        let ledger = try Ledger.open(path: path, create: true)
        try await write(ledger)
        await ledger.close()
        let raw = try DatabaseQueue(path: path)
        try await raw.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
        try raw.close()
        try FileManager.default.removeItem(atPath: path + ".lock")
    }

    static func write(_ ledger: Ledger) async throws {
        try await writeHalfOfACampaign(ledger)
        try await writeRegistry(ledger)
        try await writeAudiences(ledger)
        let held = Sample.campaign(
            facts: Sample.facts(id: "final"),
            identity: "final",
            firstToken: 500,
            release: NewCampaign.Release(isHeld: true, seconds: 600)
        )
        _ = try await ledger.accepted(held)
        _ = try await ledger.write(.synced) { transaction in
            _ = try transaction.pause(PauseScope(provider: .fcm), by: "ana", now: .start + 5)
            let trip = Breaker.Trip(reason: "ServiceUnavailable", since: .start)
            _ = try transaction.tripBreaker(app: "shop", provider: .apns, trip, now: .start)
            try transaction.setAskedEvents(["news": .deviceInvalid])
            try transaction.audit(
                AuditEntry(
                    at: .start + 5,
                    actor: "ana",
                    role: "operator",
                    peer: "127.0.0.1",
                    operation: "pauseCampaign",
                    path: "/v1/campaigns/news/derby:pause",
                    status: 200,
                    request: "7f"
                )
            )
        }
    }

    /// Writes a half-done campaign over two providers.
    ///
    /// Of the first's six devices four are sent to and two are not planned; of the second's eight two are sent to, one
    /// waits for its retry, and five are parked.
    private static func writeHalfOfACampaign(_ ledger: Ledger) async throws {
        let derby = try await ledger.accepted(Sample.mixed())
        for shard in try await ledger.planned(derby, .apns, max: 1) { try await ledger.ran(shard) }
        let google = try await ledger.planned(derby, .fcm)
        try #require(google.map(\.record.count) == [3, 5])
        let (record, token) = try await ledger.running(google[0].record.id.key)
        let progress = Progress.accepted(record.count) { progress in
            progress.retry(1, .seconds30, Progress.Note(reason: "UNAVAILABLE"))
        }
        let settlement = try Settlement.of(progress)
        _ = try await ledger.write(.synced) { try $0.settle(token, settlement, now: .start) }
        let (_, next) = try await ledger.running(google[1].record.id.key)
        try #require(try await ledger.write { try $0.parkShard(next, reason: "LawViolated", now: .start) })
    }

    private static func writeRegistry(_ ledger: Ledger) async throws {
        let registration = Sample.registration("ana-pixel", user: "ana", tags: ["sport"], locale: "es-ES")
        try await ledger.register(registration, token: 900)
        var counted = Sample.campaign([1], facts: Sample.facts(id: "badge"), identity: "badge", firstToken: 900)
        counted.badge = .step(.up)
        for shard in try await ledger.planned(try await ledger.accepted(counted)) { try await ledger.ran(shard) }
    }

    /// Writes two audiences that are half frozen, one as a whole and one that is sent meanwhile, and half of an upload
    /// that a campaign waits for.
    private static func writeAudiences(_ ledger: Ledger) async throws {
        let (whole, lease) = try await audience("whole", ledger)
        let opened = try #require(try await ledger.write { try $0.openFrozen(lease, now: .start) })
        try #require(try await write([3], opened, by: lease, to: ledger).result == .written)
        #expect(try await ledger.status(whole).isPlanning)

        let (flowing, first) = try await audience("flowing", ledger)
        let begun = try await ledger.write(.synced) { transaction -> FrozenAudience? in
            guard let opened = try transaction.openFrozen(first, now: .start) else { return nil }
            return try transaction.beginFlow(
                opened,
                providers: [.apns],
                contents: [],
                sample: AudienceSample(perMillion: 500_000, errorPerMillion: 10_000),
                by: first,
                now: .start
            )
        }
        let range = try await Self.range(of: flowing, ledger, now: .start)
        try #require(try await write([4, 2], try #require(begun), by: range, to: ledger).result == .passed)
        for shard in try await ledger.planned(flowing, max: 1) { try await ledger.ran(shard) }

        let upload = try await ledger.write {
            try $0.beginUpload("up-1", app: "news", name: "fans", start: mark(0).digest, now: .start)
        }
        try #require(try await append([3], to: upload, from: 0, ledger) == .done)
        _ = try await audience("waiting", upload: "up-1", ledger)
    }

    /// Accepts a campaign to the registry, or one that waits for an upload, and leases it.
    private static func audience(
        _ id: String,
        upload: String? = nil,
        _ ledger: Ledger
    ) async throws -> (campaign: UInt32, lease: LeaseToken) {
        var new = Sample.campaign(facts: Sample.facts(id: id), identity: id)
        new.audience = .registry
        new.freezing = NewCampaign.Freezing(excludedList: nil, upload: upload)
        let campaign = try await ledger.accepted(new)
        return (campaign, try await lease(of: campaign, ledger, now: .start))
    }

    private static func lease(of campaign: UInt32, _ ledger: Ledger, now: Timestamp) async throws -> LeaseToken {
        let leased = try await ledger.write { try $0.leaseCampaigns(worker: 1, apps: ["news"], now: now) }
        return try #require(leased.first { $0.facts.number == campaign }).wholeToken
    }

    private static func range(of campaign: UInt32, _ ledger: Ledger, now: Timestamp) async throws -> LeaseToken {
        let leased = try await ledger.write { try $0.leaseRanges(worker: 1, apps: ["news"], now: now) }
        return try #require(leased.first { $0.facts.number == campaign }).token
    }

    /// Writes the next chunks of an audience, up to its cursor; returns the audience behind it.
    private static func write(
        _ sizes: [Int],
        _ audience: FrozenAudience,
        by lease: LeaseToken,
        to ledger: Ledger
    ) async throws -> (result: FreezeResult, audience: FrozenAudience) {
        var (chunks, next) = (Sample.chunks(sizes), audience)
        for index in chunks.indices {
            chunks[index].ordinal += UInt32(audience.nextOrdinal)
            chunks[index].firstIndex += UInt32(audience.nextIndex)
        }
        next.position += 1
        next.chunks += chunks.count
        next.devices += sizes.reduce(0, +)
        let (written, behind) = (chunks, next)
        let result = try await ledger.write {
            try $0.writeFrozen(written, of: behind, isCheckpoint: true, findsDead: false, by: lease, now: .start)
        }
        return (result, behind)
    }

    private static func mark(_ chunks: UInt32) -> UploadMark {
        UploadMark(chunks: chunks, digest: [UInt8](repeating: UInt8(chunks), count: 32))
    }

    private static func append(
        _ sizes: [Int],
        to upload: UploadRecord,
        from: UInt32,
        _ ledger: Ledger
    ) async throws -> UploadStep {
        var chunks = Sample.chunks(sizes)
        for index in chunks.indices { chunks[index].ordinal += from }
        let (written, to) = (chunks, from + UInt32(sizes.count))
        return try await ledger.write {
            try $0.append(written, to: upload, app: "news", from: mark(from), to: mark(to), now: .start)
        }
    }

    // MARK: - Reading

    /// Reads everything that was written, and brings the half-done work to its end.
    static func goesOn(_ ledger: Ledger) async throws {
        try await readRest(ledger)
        try await readAudiences(ledger)
        let derby = try #require(try await ledger.read { try $0.campaignNumber(app: "news", id: "derby") })
        let before = try await ledger.status(derby)
        #expect(before.law == .holds && before.audience == 14 && before.counts.accepted == 6)
        #expect(before.pending.unplanned == 2 && before.pending.retrying == 1 && before.pending.parked == 5)
        #expect(before.of(.apns).counts.accepted == 4 && before.of(.fcm).counts.accepted == 2)

        #expect(try await ledger.read { try $0.pauses() }.map(\.scope) == [PauseScope(provider: .fcm)])
        _ = try await ledger.write(.synced) { try $0.resume(PauseScope(), now: .start + 6) }
        let parked = try #require(try await ledger.read { try $0.parked(limit: 1) }.first)
        let replayed = try await ledger.write(.synced) { try $0.carryOut(.replay, parked.id, now: .start + 6) }
        #expect(replayed == .publishedAnew)
        #expect(try await ledger.planned(derby, .apns, now: .start + 6).map(\.record.count) == [2])
        _ = try await ledger.write {
            try $0.releaseAside(campaign: derby, share: .fcm, knowsApp: true, limit: 10, now: .start + 6)
        }
        for row in try await ledger.read({ try $0.openShards(campaign: derby) }) {
            let (record, token) = try await ledger.running(row.id.key, generation: row.generation)
            let settlement = try Settlement.of(.accepted(record.count), attempt: record.attempt)
            _ = try await ledger.write(.synced) { try $0.settle(token, settlement, now: .start + 60) }
        }
        _ = try await ledger.write(.synced) { try $0.completeIfDone(campaign: derby, now: .start + 60) }
        let after = try await ledger.status(derby)
        #expect(after.stage == .completed && after.law == .holds)
        #expect(after.of(.apns).counts.accepted == 6 && after.of(.fcm).counts.accepted == 8)
    }

    /// Brings the audiences to their ends; earlier versions wrote none.
    private static func readAudiences(_ ledger: Ledger) async throws {
        func number(_ id: String) async throws -> UInt32? {
            try await ledger.read { try $0.campaignNumber(app: "news", id: id) }
        }
        guard let whole = try await number("whole") else { return }
        let later = Timestamp.start + 6
        let lease = try await Self.lease(of: whole, ledger, now: later)
        var audience = try #require(try await ledger.write { try $0.openFrozen(lease, now: later) })
        #expect(audience.position == 1 && audience.devices == 3 && audience.asOf == .start)
        audience = try await write([2], audience, by: lease, to: ledger).audience
        #expect(try await finish(audience, by: lease, ledger) == .frozen(audience: 5))
        #expect(try await ledger.planned(whole, now: later).map(\.record.count) == [3, 2])

        let flowing = try #require(try await number("flowing"))
        let range = try await Self.range(of: flowing, ledger, now: later)
        audience = try #require(try await ledger.write { try $0.openFrozen(range, now: later) })
        #expect(audience.position == 1 && audience.devices == 6 && audience.asOf == .start)
        let status = try await ledger.status(flowing)
        #expect(status.isPlanning && status.counts.accepted == 4 && status.pending.unplanned == 2)
        audience = try await write([5], audience, by: range, to: ledger).audience
        #expect(try await finish(audience, by: range, ledger) == .frozen(audience: 11))
        #expect(try await ledger.planned(flowing, now: later).map(\.record.count) == [2, 5])
        #expect(try await ledger.status(flowing).law == .holds)

        let waiting = try #require(try await number("waiting"))
        #expect(try await ledger.read { try $0.awaitedUpload(of: waiting) } != nil)
        let upload = try #require(try await ledger.read { try $0.upload("up-1", app: "news") })
        #expect(try await append([2], to: upload, from: 1, ledger) == .done)
        _ = try await ledger.write(.synced) {
            try $0.finishUpload(upload, app: "news", at: mark(2), version: "v1", duplicates: 0, now: later)
        }
        let last = try await Self.lease(of: waiting, ledger, now: later)
        audience = try #require(try await ledger.write { try $0.openFrozen(last, now: later) })
        let source = try #require(audience.source)
        #expect(try await ledger.read { try $0.list(number: source) }?.devices == 5)
    }

    private static func finish(
        _ audience: FrozenAudience,
        by lease: LeaseToken,
        _ ledger: Ledger
    ) async throws -> FreezeResult {
        try await ledger.write(.synced) { try $0.finishFrozen(audience, by: lease, now: .start + 6) }
    }

    private static func readRest(_ ledger: Ledger) async throws {
        let device = try #require(try await ledger.device("ana-pixel"))
        #expect(device.user == "ana" && device.badge == 1 && device.token == Sample.token(900))
        let final = try #require(try await ledger.read { try $0.campaignNumber(app: "news", id: "final") })
        #expect(try await ledger.status(final).state == "held")
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: final, now: .start + 6) }
        #expect(try await ledger.status(final).counts.cancelled == 10)
        let breaker = try await ledger.read { try $0.breaker(app: "shop", provider: .apns) }
        #expect(breaker?.reason == "ServiceUnavailable")
        #expect(try await ledger.read { try $0.audit(limit: 9) }.map(\.operation) == ["pauseCampaign"])
    }
}
