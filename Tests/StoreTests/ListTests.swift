import Campaigns
import Delivery
import Store
import Testing

@Suite(.fewLedgersAtOnce)
struct ListTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private func upload(
        _ chunks: [ListChunk],
        version: String,
        name: String = "fans",
        now: Timestamp = .start
    ) async throws -> ListRecord {
        try await ledger.write(.synced) { transaction in
            let list = try transaction.beginList(app: "news", name: name, now: now)
            try transaction.appendChunks(chunks, to: list, now: now)
            return try transaction.finishList(list, version: version, duplicates: 3, now: now)
        }
    }

    @Test(arguments: TestDatabase.all) func `a list is seen when it is finished, with its metrics`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let list = try await ledger.write { try $0.beginList(app: "news", name: "fans", now: .start) }
        try await ledger.write { try $0.appendChunks(Sample.chunks([3, 2]), to: list, now: .start) }
        #expect(try await ledger.read { try $0.lists(app: "news") }.isEmpty)
        let record = try await ledger.write {
            try $0.finishList(list, version: "v1", duplicates: 3, now: .start)
        }
        #expect(record.devices == 5)
        #expect(record.duplicates == 3)
        #expect(record.chunks == 2)
        #expect(try await ledger.read { try $0.lists(app: "news") } == [record])
        #expect(try await ledger.read { try $0.lists(app: "shop") }.isEmpty)
        #expect(try await ledger.read { try $0.list(app: "news", name: "fans", version: "v1") } == record)
    }

    @Test(arguments: TestDatabase.all)
    func `chunks that are written together are read as they were, each by itself`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        var builder = ListBuilder()
        // Two statements of 32 chunks, one of four and three of one.
        for number in 0..<71 {
            let device = Device(
                token: "",
                id: number % 3 == 0 ? nil : "device-\(number)",
                timeZone: "zone \(number)",
                variables: number % 2 == 0 ? [:] : ["name": "\(number)"]
            )
            _ = builder.add(device, token: Sample.token(number))
        }
        let chunks = builder.finish()
        let list = try await upload(chunks, version: "v1").number
        var read: [StoredChunk] = []
        while true {
            let last = Int64(read.count) - 1
            let page = try await ledger.read { try $0.listChunks(list, after: last) }
            guard !page.isEmpty else { break }
            read += page
        }
        #expect(read.map(\.ordinal) == chunks.map(\.ordinal))
        #expect(read.map(\.group) == chunks.map(\.group))
        #expect(read.map(\.devices) == chunks.map(\.devices))
        #expect(read.map { $0.deviceIDs.texts.first ?? nil } == chunks.map { $0.deviceIDs.texts.first ?? nil })
    }

    @Test(arguments: TestDatabase.all) func `without a version the one that was uploaded last is taken`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let first = try await upload(Sample.chunks([3]), version: "v1")
        let second = try await upload(Sample.chunks([4]), version: "v2", now: .start + 1)
        #expect(try await ledger.read { try $0.list(app: "news", name: "fans", version: nil) } == second)
        #expect(try await ledger.read { try $0.list(app: "news", name: "fans", version: "v1") } == first)
        #expect(try await ledger.read { try $0.list(app: "news", name: "fans", version: "v3") } == nil)
    }

    @Test(arguments: TestDatabase.all)
    func `the same version again is the old list, and the copy is removed bit by bit`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let first = try await upload(Sample.chunks([3]), version: "v1")
        _ = try await upload(Sample.chunks([4]), version: "v2", now: .start + 1)
        let again = try await upload(Sample.chunks([3, 3, 3]), version: "v1", now: .start + 2)
        #expect(again == first)
        #expect(try await ledger.read { try $0.list(app: "news", name: "fans", version: nil) } == first)
        func sweep() async throws -> Bool {
            try await ledger.write { try $0.sweepLists(now: .start + 3, chunksMax: 2) }
        }
        #expect(try await sweep())
        #expect(try await sweep())
        #expect(try await !sweep())
        let lists = try await ledger.read { try $0.lists(app: nil) }
        #expect(lists.map(\.version) == ["v1", "v2"])
    }

    @Test(arguments: TestDatabase.all) func `an upload that nobody goes on with is removed after an hour, not before`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let list = try await ledger.write { try $0.beginList(app: "news", name: "fans", now: .start) }
        try await ledger.write { try $0.appendChunks(Sample.chunks([3]), to: list, now: .start) }
        #expect(try await !ledger.write { try $0.sweepLists(now: .start + 3600) })
        #expect(try await ledger.write { try $0.sweepLists(now: .start + 3601) })
        await #expect(throws: LedgerError.self) {
            try await ledger.write { try $0.finishList(list, version: "v1", duplicates: 0, now: .start) }
        }
    }

    @Test(arguments: TestDatabase.all)
    func `a token that a provider called dead is known in lists to come, for its app only`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([4]))
        _ = try await ledger.planned(number)
        let (_, token) = try await ledger.running(key(number, 0))
        let dead = Progress.accepted(4) { progress in
            progress.end(2, .invalid, Progress.Note(reason: "Unregistered", deadSince: .start))
        }
        let settlement = try Settlement.of(dead)
        _ = try await ledger.write(.synced, scope: .shards) { try $0.settle(token, settlement, now: .start) }

        let next = try await ledger.accepted(Sample.campaign([4], facts: Sample.facts(id: "second")))
        let shard = try #require(try await ledger.planned(next).first)
        #expect(shard.record.progress.counts.invalid == 1)
        #expect(shard.record.progress.state(at: 2) == .outcome(.invalid))
        #expect(shard.record.progress.attempts == 0)

        let facts = Sample.facts(app: "shop", id: "second")
        let other = try await ledger.accepted(Sample.campaign([4], facts: facts))
        let untouched = try #require(try await ledger.planned(other).first)
        #expect(untouched.record.progress.counts.total == 0)
    }

    @Test(arguments: TestDatabase.all) func `a chunk of dead tokens is settled without being sent`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([2]))
        _ = try await ledger.planned(number)
        let (_, token) = try await ledger.running(key(number, 0))
        let dead = Progress.accepted(2) { progress in
            for position in 0..<2 {
                progress.end(position, .invalid, Progress.Note(reason: "Unregistered", deadSince: .start))
            }
        }
        let settlement = try Settlement.of(dead)
        _ = try await ledger.write(.synced, scope: .shards) { try $0.settle(token, settlement, now: .start) }
        let next = try await ledger.accepted(Sample.campaign([2], facts: Sample.facts(id: "second")))
        #expect(try await ledger.planned(next).isEmpty)
        let status = try await ledger.status(next)
        #expect(status.counts.invalid == 2)
        #expect(status.attempts == 0)
        #expect(status.reasons == ["Unregistered": 2])
        #expect(status.law == .holds)
        let stage = try await ledger.write { try $0.completeIfDone(campaign: next, now: .start) }
        #expect(stage == .completed)
    }
}
