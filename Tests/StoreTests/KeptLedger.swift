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

    // MARK: - Reading

    /// Reads everything that was written, and brings the half-done work to its end.
    static func goesOn(_ ledger: Ledger) async throws {
        try await readRest(ledger)
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
