import Campaigns
import Delivery
import Store
import Testing

/// Tokens that were suspect once: sent to at most once more, by a later campaign, last and apart.
@Suite(.fewLedgersAtOnce)
struct SuspectTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }
    private let wrong: Set<Int> = [1, 3, 8]

    private func listed(_ name: String, _ sizes: [Int]) async throws -> UInt32 {
        try await ledger.write(.synced) { transaction in
            let list = try transaction.beginList(app: "news", name: name, now: .start)
            try transaction.appendChunks(Sample.chunks(sizes), to: list, now: .start)
            return try transaction.finishList(list, version: "v1", duplicates: 0, now: .start).number
        }
    }

    private func accepted(_ id: String, list: UInt32) async throws -> UInt32 {
        var campaign = Sample.campaign(facts: Sample.facts(id: id), identity: id)
        campaign.audience = .list(list)
        return try await ledger.accepted(campaign)
    }

    /// Runs one shard, in which the tokens of `wrong` are suspect.
    ///
    /// Returns the numbers of the devices that were sent to.
    private func run(_ record: ShardRecord, firstOf chunk: [Int], wrong: Set<Int>) async throws -> [Int] {
        let (row, token) = try await ledger.running(record.id.key, generation: record.generation)
        var progress = row.progress
        var sent: [Int] = []
        for index in 0..<row.count where progress.codes[index] == 0 {
            let position = row.positions.isEmpty ? index : Int(row.positions[index])
            let device = chunk[Int(row.chunk)] + position
            sent.append(device)
            if wrong.contains(device) {
                progress.hold(index, Progress.Note(reason: "BadDeviceToken"))
            } else {
                progress.accept(index)
            }
        }
        let settlement = try Settlement.of(progress, attempt: row.attempt)
        _ = try await ledger.write(.synced, scope: .shards) { try $0.settle(token, settlement, now: .start) }
        return sent
    }

    /// Sends a whole campaign; returns the devices in the order in which they were sent to.
    private func send(_ campaign: UInt32, wrong: Set<Int>? = nil) async throws -> (first: [Int], last: [Int]) {
        let wrong = wrong ?? self.wrong
        var first: [Int] = []
        for shard in try await ledger.planned(campaign) {
            first += try await run(shard.record, firstOf: [0, 6], wrong: wrong)
        }
        var last: [Int] = []
        let apart = try await ledger.write(.synced) {
            try $0.releaseAside(campaign: campaign, knowsApp: true, limit: 99, now: .start)
        }
        for shard in apart {
            #expect(shard.record.id.key.part == ShardKey.suspectPart)
            last += try await run(shard.record, firstOf: [0, 6], wrong: wrong)
        }
        #expect(
            try await ledger.write(.synced) { try $0.completeIfDone(campaign: campaign, now: .start) } == .completed
        )
        let status = try await ledger.status(campaign)
        #expect(status.law == .holds)
        #expect(status.counts.accepted + status.counts.invalid == 10)
        #expect(status.counts.accepted == (first + last).count - wrong.intersection(first + last).count)
        return (first, last)
    }

    @Test(arguments: TestDatabase.all) func `a suspect token is sent to once more, last, and is dead then`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let list = try await listed("fans", [6, 4])
        let all = Array(0..<10)
        let one = try await send(accepted("one", list: list))
        #expect(one.first == all && one.last.isEmpty)
        let two = try await send(accepted("two", list: list))
        #expect(two.first == all.filter { !wrong.contains($0) })
        #expect(two.last == wrong.sorted())
        let three = try await send(accepted("three", list: list))
        #expect(three.first == all.filter { !wrong.contains($0) })
        #expect(three.last.isEmpty)
    }

    @Test(arguments: TestDatabase.all) func `it is known in another list as well`(_ database: TestDatabase) async throws
    {
        try scratch.open(on: database)
        _ = try await send(accepted("one", list: listed("fans", [6, 4])))
        #expect(try await ledger.write { try $0.learnDeadTokens() } == false)
        let other = try await listed("members", [6, 4])
        #expect(try await send(accepted("two", list: other)).last == wrong.sorted())
        #expect(try await ledger.write { try $0.learnDeadTokens() } == false)
        let third = try await send(accepted("three", list: listed("guests", [6, 4])))
        #expect(third.first.count == 7 && third.last.isEmpty)
    }

    @Test(arguments: TestDatabase.all) func `one that is accepted then is a token like any other, in every list`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let list = try await listed("fans", [6, 4])
        _ = try await send(accepted("one", list: list))
        #expect(try await ledger.write { try $0.learnDeadTokens() } == false)
        #expect(try await send(accepted("two", list: list), wrong: [3]).last == wrong.sorted())
        let three = try await send(accepted("three", list: list), wrong: [3])
        #expect(three.first == Array(0..<10).filter { $0 != 3 } && three.last.isEmpty)
        #expect(try await ledger.write { try $0.learnDeadTokens() } == false)
        let other = try await send(accepted("four", list: listed("members", [6, 4])), wrong: [3])
        #expect(other.first == Array(0..<10).filter { $0 != 3 } && other.last.isEmpty)
    }

    @Test(arguments: TestDatabase.all) func `in a campaign that the guard has paused nobody becomes suspect`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let list = try await listed("fans", [20])
        let number = try await accepted("one", list: list)
        let shard = try #require(try await ledger.planned(number).first)
        let (row, token) = try await ledger.running(shard.record.id.key)
        var progress = row.progress
        for position in 0..<row.count { progress.hold(position, Progress.Note(reason: "BadDeviceToken")) }
        let settlement = try Settlement.of(progress)
        _ = try await ledger.write(.synced, scope: .shards) { try $0.settle(token, settlement, now: .start) }
        _ = try await ledger.write(.synced) { try $0.completeIfDone(campaign: number, now: .start) }
        #expect(try await ledger.status(number).stateReason == "wrong_environment")
        let next = try await accepted("two", list: list)
        #expect(try await ledger.planned(next).map(\.record.count) == [20])
    }

    @Test(arguments: TestDatabase.all) func `suspects that wait do not use up what may be out under the guard`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let sizes = Array(repeating: 400, count: 6) + [10]
        let list = try await listed("fans", sizes)
        let one = try await accepted("one", list: list)
        // A few living devices first, so that the guard believes that the others are wrong.
        while let shard = try await ledger.planned(one, max: 1).first {
            let (row, token) = try await ledger.running(shard.record.id.key)
            var progress = row.progress
            for position in 0..<row.count {
                if row.chunk == 0 || row.chunk == 6 {
                    progress.accept(position)
                } else {
                    progress.hold(position, Progress.Note(reason: "BadDeviceToken"))
                }
            }
            let settlement = try Settlement.of(progress)
            _ = try await ledger.write(.synced, scope: .shards) { try $0.settle(token, settlement, now: .start) }
        }
        #expect(try await ledger.status(one).counts.invalid == 2000)
        let two = try await accepted("two", list: list)
        let planned = try await ledger.planned(two) + ledger.planned(two)
        #expect(planned.map(\.record.count) == [400, 10])
    }

    @Test(arguments: TestDatabase.all) func `what waits to be last waits until all others are cut`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let list = try await listed("fans", [6, 4])
        _ = try await send(accepted("one", list: list))
        let number = try await accepted("two", list: list)
        func released() async throws -> Int {
            try await ledger.write(.synced) {
                try $0.releaseAside(campaign: number, knowsApp: true, limit: 99, now: .start).count
            }
        }
        #expect(try await ledger.planned(number, max: 1).map(\.record.count) == [4])
        #expect(try await released() == 0)
        #expect(try await ledger.planned(number, max: 1).map(\.record.count) == [3])
        #expect(try await released() == 2)
        #expect(try await ledger.status(number).law == .holds)
    }
}
