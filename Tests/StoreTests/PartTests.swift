import Campaigns
import Delivery
import Store
import Testing

/// Campaigns that are cut by time zone.
struct PartTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    /// Returns chunks of zones with so many devices each, in the given order.
    private func chunks(_ devices: KeyValuePairs<String?, Int>) -> [ListChunk] {
        var builder = ListBuilder()
        var chunks: [ListChunk] = []
        var number = 0
        for (zone, count) in devices {
            for _ in 0..<count {
                let device = Device(token: "", timeZone: zone)
                if let full = builder.add(device, token: Sample.token(number)) { chunks.append(full) }
                number += 1
            }
        }
        return chunks + builder.finish()
    }

    /// Accepts three zones that begin after 10, 0 and 20 seconds and last 100 each.
    private func accepted() async throws -> UInt32 {
        func part(_ zone: String?, _ begin: Int) -> NewPart {
            NewPart(timeZone: zone, times: PartTimes(releaseAt: .start + begin, expiresAt: .start + begin + 100))
        }
        var new = Sample.campaign(facts: Sample.facts(expiresAt: .start + 120))
        new.audience = .inline(chunks(["a": 600, nil: 501, "b": 3]), version: "v1", duplicates: 0)
        new.parts = [part("a", 10), part(nil, 0), part("b", 20)]
        return try await ledger.accepted(new)
    }

    private func cut(_ campaign: UInt32, at seconds: Int, max: Int = 100) async throws -> [Int] {
        try await ledger.planned(campaign, max: max, now: .start + seconds).map(\.record.count)
    }

    @Test(arguments: TestDatabase.all) func `each part is cut from its instant on, and ends at its own`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await accepted()
        let first = try await ledger.planned(number, max: 1)
        #expect(first.map(\.record.count) == [500] && first.first?.facts.expiresAt == .start + 100)
        #expect(try await cut(number, at: 9) == [1])
        #expect(try await cut(number, at: 9) == [])
        let status = try await ledger.status(number)
        #expect(status.parts.map(\.timeZone) == [nil, "a", "b"])
        #expect(status.parts.map(\.devices) == [501, 600, 3])
        #expect(status.parts.map(\.unplanned) == [0, 600, 3])
        #expect(status.parts.map(\.releaseAt) == [.start, .start + 10, .start + 20])
        #expect(status.pending.unplanned == 603 && status.law == .holds)
        let second = try await ledger.planned(number, now: .start + 19)
        #expect(second.map(\.record.count) == [500, 100] && second.allSatisfy { $0.facts.expiresAt == .start + 110 })
        #expect(try await cut(number, at: 20) == [3])
        #expect(try await ledger.status(number).pending.unplanned == 0)
        // Published again, a shard has the end of its part.
        for shard in first + second {
            let again = try await ledger.read { try $0.shardToPublish(shard.record.id.key) }
            #expect(try again?.body() == shard.body())
        }
    }

    @Test(arguments: TestDatabase.all) func `a planner sees no chunks of parts that are not released`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await accepted()
        func unplanned(_ seconds: Int) async throws -> Int? {
            let now = Timestamp.start + seconds
            return try await ledger.write { try $0.leaseCampaigns(worker: 1, apps: ["news"], now: now) }
                .first { $0.facts.number == number }?.unplannedChunks
        }
        #expect(try await unplanned(0) == 2)
        _ = try await cut(number, at: 0)
        #expect(try await unplanned(9) == 0)
        #expect(try await unplanned(10) == 2)
        #expect(try await unplanned(20) == 3)
    }

    @Test(arguments: TestDatabase.all) func `a cancel between two parts counts every device once`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await accepted()
        _ = try await cut(number, at: 0)
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: number, now: .start + 5) }
        let status = try await ledger.status(number)
        #expect(status.counts.cancelled == 1104 && status.pending.total == 0 && status.law == .holds)
        #expect(try await ledger.status(number).state == "cancelled")
    }
}
