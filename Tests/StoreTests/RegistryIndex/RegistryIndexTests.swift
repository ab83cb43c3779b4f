import Campaigns
import Delivery
import Seeds
import Testing

@testable import Store

/// The registry's index: what it names, and how it is kept.
@Suite(.fewLedgersAtOnce) struct RegistryIndexTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    /// A registration with traits that a number determines.
    private static func registration(_ number: Int, tags: [String]) -> DeviceRegistration {
        DeviceRegistration(
            device: Device(token: "", id: "d\(number)", locale: number % 2 == 0 ? "es-ES" : "en"),
            tags: .set(tags),
            attributes: ["level": .number(JSONNumber(number % 10))],
            registeredAt: .start
        )
    }

    private func register(_ numbers: some Sequence<Int>, tags: (Int) -> [String] = { _ in ["sport"] }) async throws {
        let numbers = Array(numbers)
        for start in stride(from: 0, to: numbers.count, by: 1000) {
            let batch = numbers[start..<min(start + 1000, numbers.count)]
            let (registrations, tokens) = (
                batch.map { Self.registration($0, tags: tags($0)) }, batch.map { Sample.token($0) }
            )
            try await ledger.write {
                _ = try $0.register(registrations, tokens: tokens, app: "news", now: .start)
            }
        }
    }

    /// Applies pieces until there is nothing to do; returns their number.
    @discardableResult
    private func indexed() async throws -> Int {
        var pieces = 0
        while try await maintain() { pieces += 1 }
        return pieces
    }

    /// Applies one piece of 50 rows.
    private func maintain() async throws -> Bool {
        try await ledger.write { transaction in
            var piece = Piece { .seconds(1) }
            return try transaction.maintainIndex(&piece)
        }
    }

    /// Makes the ledger one that has just been migrated: devices, and no index.
    private func forgetIndex() throws {
        try scratch.execute(
            """
            DELETE FROM device_index; DELETE FROM device_index_marks; UPDATE device_index_state SET built_to = 0
            """
        )
    }

    private func plan(_ text: String, expected: Int = 10) async throws -> IndexPlan {
        let part = try #require(try Segment(text).indexed)
        let last = try #require(try await ledger.read { try $0.registryEnd(app: "news") }).end
        let standing = IndexPlan.Standing(version: IndexTerm.version, builtTo: .max, changed: 0)
        let choice = IndexPlan.choice(
            part,
            last: last | 0x00FF_FFFF,
            standing,
            count: { _ in expected }
        )
        guard case .index(let plan) = choice else { throw LedgerError.failed("no plan: \(choice)") }
        return plan
    }

    /// Returns the installations that the index names, page by page, and the numbers of rows that were read.
    private func named(
        _ text: String,
        limit: Int = 4096
    ) async throws -> (installations: [String], index: Int, devices: Int)? {
        let plan = try await plan(text)
        return try await ledger.read { reader in
            guard let walk = try reader.registryEnd(app: "news") else { return ([], 0, 0) }
            var (found, index, devices, next): ([String], Int, Int, Int64?) = ([], 0, 0, walk.start)
            while let after = next, after < walk.end {
                let page = try reader.registryPage(by: plan, after: after, end: walk.end, limit: limit) { _, _ in nil }
                guard let page else { return nil }
                #expect(page.named <= limit)
                index += page.indexRows
                devices += page.page.count
                try page.page.forEach { found.append(String(decoding: $0.installation, as: UTF8.self)) }
                next = page.page.next
            }
            return (found, index, devices)
        }
    }

    private typealias Rows = [IndexChanges.Place: IndexBlock]

    /// The rows of the index and those that it should have, by the devices as they are.
    private func comparison() async throws -> (kept: Rows, right: Rows) {
        try await ledger.read { reader in
            var (kept, right): (Rows, Rows) = ([:], [:])
            let rows = try reader.db.rows("SELECT term, block, count, devices FROM device_index")
            while try rows.next() {
                let block = try #require(IndexBlock(bytes: rows.blob("devices")))
                #expect(rows.int("count") == block.count && !block.isEmpty)
                kept[IndexChanges.Place(term: rows.int64("term"), block: rows.int64("block"))] = block
            }
            let devices = try reader.db.rows("SELECT number, traits FROM devices WHERE state = 0")
            while try devices.next() {
                let number = devices.int64("number")
                for term in try #require(DeviceTraits(packed: devices.blob("traits"))).indexKeys {
                    let place = IndexChanges.Place(term: term, block: IndexBlock.block(of: number))
                    right[place, default: IndexBlock()].insert(IndexBlock.place(of: number))
                }
            }
            return (kept, right)
        }
    }

    @Test(arguments: TestDatabase.all) func `a device is found before and after its mark is applied`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await register(0..<300) { $0 % 100 == 7 ? ["rare"] : ["sport"] }
        #expect(try await named("rare")?.installations.filter { ["d7", "d107", "d207"].contains($0) }.count == 3)
        try await indexed()
        #expect(try await named("rare")?.installations == ["d7", "d107", "d207"])
        #expect(try await named("rare", limit: 2)?.installations == ["d7", "d107", "d207"])

        // One comes, one goes, one dies, one is forgotten.
        try await register([8]) { _ in ["rare"] }
        try await register([7]) { _ in ["sport"] }
        try scratch.execute("UPDATE devices SET state = 1 WHERE installation = 'd107'")
        _ = try await ledger.write { try $0.forget(app: "news", installation: "d207", now: .start + 5) }
        #expect(try await named("rare")?.installations.contains("d8") == true)
        try await indexed()
        #expect(try await named("rare")?.installations == ["d8"])
        let rows = try await comparison()
        #expect(rows.kept == rows.right)
    }

    @Test(arguments: TestDatabase.all) func `what an earlier version writes is found at once`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await register(0..<60)
        try await indexed()
        // The statements of a version that knows no index.
        let traits = DeviceTraits(provider: .apns, tags: ["rare"]).packed()
        let hex = traits.map { String(256 | Int($0), radix: 16).dropFirst() }.joined()
        let blob = database == .sqlite ? "x'\(hex)'" : "'\\x\(hex)'::bytea"
        let last = try #require(try await ledger.read { try $0.registryEnd(app: "news") }).end
        try scratch.execute(
            """
            UPDATE devices SET state = 0, suspect = 0, ended_at = NULL, badge = 0, changed_at = 1, traits = \(blob)
            WHERE installation = 'd9';
            INSERT INTO devices (number, state, suspect, badge, changed_at, installation_hash, installation, token, traits)
            VALUES (\(last + 1), 0, 0, 0, 1, 1, 'new', NULL, \(blob));
            UPDATE registry_apps SET next = next + 1;
            DELETE FROM devices WHERE installation = 'd3'
            """
        )
        let before = try #require(try await named("rare"))
        #expect(before.installations.contains("d9") && before.installations.contains("new"))
        try await indexed()
        #expect(try await named("rare")?.installations == ["d9", "new"])
        let rows = try await comparison()
        #expect(rows.kept == rows.right)
    }

    @Test(arguments: TestDatabase.all) func `an index that is built in pieces is whole after kills and changes`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await register(0..<400)
        try forgetIndex()
        var random = SeededRandom(seed: 11)
        var (pieces, kills) = (0, 0)
        var next = 400
        while pieces < 1_000 {
            // Devices on both sides of the cursor change meanwhile.
            let changed = (0..<3).map { _ in random.below(next) }
            try await register(Set(changed)) { [["rare"], ["sport"], []][($0 + pieces) % 3] }
            if pieces < 6 {
                try await register([next])
                next += 1
            }
            let gone = "d\(random.below(next))"
            _ = try await ledger.write { try $0.forget(app: "news", installation: gone, now: .start + 9) }
            if random.below(3) == 0 {
                // The process dies before the commit.
                kills += 1
                await #expect(throws: LedgerError.self) {
                    try await ledger.write { transaction in
                        var piece = Piece { .seconds(1) }
                        _ = try transaction.maintainIndex(&piece)
                        throw LedgerError.failed("killed")
                    }
                }
            }
            guard try await maintain() else { break }
            pieces += 1
            let complete = try await ledger.read { try $0.indexStanding(last: 0, changedMost: 0) }.builtTo == .max
            if complete, pieces > 15 { break }
        }
        try await indexed()
        #expect(pieces > 8 && kills > 0)
        let rows = try await comparison()
        #expect(rows.kept == rows.right && !rows.kept.isEmpty)
    }

    @Test(arguments: TestDatabase.all) func `an index that is not whole, or another version's, answers nothing`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await register(0..<120)
        try forgetIndex()
        #expect(try await named("sport") == nil)
        #expect(try await maintain())
        #expect(try await named("sport") == nil)
        try await indexed()
        #expect(try await named("sport")?.installations.count == 120)
        try scratch.execute("UPDATE device_index_state SET version = 2")
        #expect(try await named("sport") == nil)
        try await register([500])
        #expect(try await maintain() == false, "this version keeps its hands off")
        #expect(try await ledger.read { try $0.indexHasWork() } == false)
    }

    @Test(arguments: TestDatabase.all) func `one worker keeps the index, and another when it is gone`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        func keeps(_ worker: Int64, _ now: Timestamp) async throws -> Bool {
            try await ledger.write { try $0.keepsIndex(worker, now: now) }
        }
        #expect(try await keeps(4, .start))
        #expect(try await keeps(3, .start + 2) == false)
        #expect(try await keeps(4, .start + 2))
        #expect(try await keeps(3, .start + 4) == false)
        #expect(try await keeps(3, .start + 6))
        #expect(try await keeps(4, .start + 6) == false)
    }

    @Test(arguments: TestDatabase.all) func `a mark keeps nothing of a device that is forgotten`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await register(0..<3)
        try await indexed()
        _ = try await ledger.write { try $0.forget(app: "news", installation: "d1", now: .start + 5) }
        #expect(try scratch.execute("SELECT count(*) FROM device_index_marks") == ["0"])
        let rows = try await comparison()
        #expect(rows.kept == rows.right)
    }

    @Test(arguments: TestDatabase.all) func `few devices of a large registry cost few rows, page by page`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        // Numbers far apart, as in a registry of ten million of which few are of interest here.
        try await register(0..<40) { $0 % 4 == 0 ? ["rare"] : ["sport"] }
        try scratch.execute("UPDATE devices SET number = number + 100000 * (number % 4294967296)")
        try scratch.execute("UPDATE registry_apps SET next = 10000000")
        try forgetIndex()
        try await indexed()
        let found = try #require(try await named("rare", limit: 4))
        #expect(found.installations == (0..<10).map { "d\($0 * 4)" })
        #expect(found.devices == 10 && found.index <= 30)
        let rows = try await comparison()
        #expect(rows.kept == rows.right)
    }
}
