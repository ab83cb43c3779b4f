import Campaigns
import Store
import Testing

@Suite(.fewLedgersAtOnce)
struct ParkedTests {
    private let scratch = ScratchLedger()

    @Test(arguments: TestDatabase.all) func `the same message again is counted, another one is entered`(
        _ database: TestDatabase
    ) async throws {
        let ledger = try scratch.open(on: database)
        func park(_ body: [UInt8], at now: Timestamp) async throws -> Int64 {
            let message = ParkedMessage(
                queue: "fanfare.v1.work.apns.bulk",
                reason: "MalformedShard",
                app: "news",
                devices: 4,
                body: body,
                headers: "{\"type\":\"shard\"}",
                at: now
            )
            return try await ledger.write(.synced) { try $0.park(message) }
        }
        let first = try await park([1, 2], at: .start)
        let second = try await park([1, 3], at: .start + 1)
        #expect(first != second)
        #expect(try await park([1, 2], at: .start + 2) == first)

        let list = try await ledger.read { try $0.parked(limit: 10) }
        #expect(list.map(\.id) == [first, second])
        #expect(list.map(\.count) == [2, 1])
        #expect(list.map(\.firstAt) == [.start, .start + 1])
        #expect(list.map(\.lastAt) == [.start + 2, .start + 1])
        #expect(list.allSatisfy { $0.body.isEmpty })
        #expect(try await ledger.read { try $0.parked(id: second) }?.body == [1, 3])
        #expect(try await ledger.read { try $0.parked(limit: 10, ParkedFilter(app: "shop")) }.isEmpty)
        #expect(try await ledger.read { try $0.parked(limit: 10, ParkedFilter(reason: "MalformedShard")) }.count == 2)
        #expect(
            try await ledger.read { try $0.parkedIDs(ParkedFilter(app: "news"), after: first, limit: 5) } == [second]
        )
        // A message that came again since it was read is not removed with it.
        #expect(try await park([1, 2], at: .start + 3) == first)
        #expect(try await !ledger.write { try $0.removeParked(list[0]) })
        let again = try #require(try await ledger.read { try $0.parked(id: first) })
        #expect(try await ledger.write { try $0.removeParked(again) })
        #expect(try await !ledger.write { try $0.removeParked(again) })
        #expect(try await ledger.read { try $0.parkedCount() } == 1)
    }
}
