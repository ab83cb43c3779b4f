import Campaigns
import Delivery
import Foundation
import GRDB
import Servers
import Store
import Synchronization
import Testing

/// Foundation has a type of this name too.
typealias Progress = Campaigns.Progress

/// The kind of a test ledger; every test of the queries runs on each.
enum TestDatabase: String, CaseIterable, CustomTestStringConvertible {
    case sqlite, postgreSQL

    static let all = Ledger.hasPostgreSQL ? allCases : [.sqlite]

    var testDescription: String { rawValue }

    /// A database with the ledger's tables and no rows; copying it is faster than creating them.
    static let template = Result {
        let server = try PrivatePostgreSQL.shared.get()
        let name = try server.createDatabase()
        _ = try Ledger.open(postgreSQL: server.url(name), create: true)
        return name
    }
}

/// A test's own ledger, removed with the test: a folder for a file, and a database if requested.
final class ScratchLedger: Sendable {
    private struct State {
        var database: String?
        var ledger: Ledger?
    }

    let folder: String
    private let state = Mutex(State())
    var path: String { folder + "/ledger.db" }

    init() {
        folder = FileManager.default.temporaryDirectory.path + "/store-tests-" + UUID().uuidString
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
        if let name = state.withLock({ $0.database }) { try? PrivatePostgreSQL.shared.get().dropDatabase(name) }
    }

    /// The name of its PostgreSQL database.
    var database: String? { state.withLock { $0.database } }

    /// The ledger that was opened first.
    var ledger: Ledger {
        guard let ledger = state.withLock({ $0.ledger }) else { preconditionFailure("no ledger is open") }
        return ledger
    }

    /// The location that errors name.
    func location() throws -> String {
        guard let name = database else { return path }
        return "postgresql://127.0.0.1:\(try PrivatePostgreSQL.shared.get().port)/\(name)"
    }

    /// Chooses the kind of database, which has no tables yet.
    func choose(_ kind: TestDatabase) throws {
        guard kind == .postgreSQL else { return }
        let name = try PrivatePostgreSQL.shared.get().createDatabase()
        state.withLock { $0.database = name }
    }

    /// Runs statements that the ledger knows nothing of; returns the values of the first column.
    @discardableResult
    func execute(_ sql: String) throws -> [String] {
        if let database {
            let server = try PrivatePostgreSQL.shared.get()
            let output = try server.execute("SET search_path = fanfare; \(sql)", database: database)
            return output.split(separator: "\n").map(String.init)
        }
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.write { db in
            var values: [String] = []
            let statements = try db.allStatements(sql: sql)
            while let statement = try statements.next() { values = try String.fetchAll(statement) }
            return values
        }
    }

    /// Adds a migration that this version does not know.
    func migrateFurther() throws {
        try execute(
            database == nil
                ? "INSERT INTO grdb_migrations VALUES ('99')" : "INSERT INTO migrations (name) VALUES ('99')"
        )
    }

    /// The names of the tables with the ledger's data.
    func tables() throws -> [String] {
        let all =
            database == nil
            ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
            : "SELECT tablename FROM pg_tables WHERE schemaname = 'fanfare'"
        return try execute(all).filter { !["grdb_migrations", "migrations", "writers"].contains($0) }
    }

    /// Chooses the kind of database and opens it.
    @discardableResult
    func open(on kind: TestDatabase) throws -> Ledger {
        if kind == .postgreSQL {
            let name = try PrivatePostgreSQL.shared.get().createDatabase(template: TestDatabase.template.get())
            state.withLock { $0.database = name }
        }
        let ledger = try open()
        state.withLock { $0.ledger = ledger }
        return ledger
    }

    /// Reads the ledger's migrations.
    func schema() throws -> SchemaStanding {
        guard let database else { return try Ledger.schema(path: path) }
        return try Ledger.schema(postgreSQL: PrivatePostgreSQL.shared.get().url(database))
    }

    /// Opens the ledger again, as another process would.
    func open(create: Bool = true) throws -> Ledger {
        guard let name = state.withLock({ $0.database }) else { return try Ledger.open(path: path, create: create) }
        return try Ledger.open(postgreSQL: PrivatePostgreSQL.shared.get().url(name), create: create)
    }
}

extension Timestamp {
    /// The instant at which every test begins.
    static let start = Timestamp(milliseconds: 1_790_000_000_000)

    static func + (left: Timestamp, seconds: Int) -> Timestamp {
        Timestamp(milliseconds: left.milliseconds + Int64(seconds) * 1000)
    }
}

/// Devices, chunks and jobs small enough for a test to count by hand.
enum Sample {
    static let payload = Array(#"{"aps":{"alert":"goal"},"fanfare":{"v":1,"m":"----------------------"}}"#.utf8)

    /// Returns 32 bytes that no other number gives.
    static func token(_ number: Int) -> [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: number >> (($0 % 4) * 8)) ^ UInt8($0 / 4) }
    }

    /// Returns chunks with so many devices each.
    static func chunks(
        _ sizes: [Int],
        firstToken: Int = 0,
        environment: PushEnvironment? = nil,
        variables: [String: String] = [:]
    ) -> [ListChunk] {
        var builder = ListBuilder()
        var chunks: [ListChunk] = []
        var number = firstToken
        for (ordinal, size) in sizes.enumerated() {
            // A separate group makes a separate chunk.
            let locale = "l\(10_000 + ordinal)"
            for position in 0..<size {
                let device = Device(
                    token: "",
                    environment: environment,
                    id: ordinal == 0 ? "device-\(position)" : nil,
                    locale: locale,
                    variables: variables
                )
                if let full = builder.add(device, token: token(number)) { chunks.append(full) }
                number += 1
            }
        }
        return chunks + builder.finish()
    }

    static func facts(
        app: String = "news",
        id: String = "derby",
        urgency: Urgency = .bulk,
        expiresAt: Timestamp = .start + 3600
    ) -> Shard.Facts {
        Shard.Facts(
            app: app,
            campaignID: id,
            provider: .apns,
            environment: nil,
            policy: DeliveryPolicy(urgency: urgency),
            pushType: .alert,
            priority: 10,
            expiresAt: expiresAt,
            collapseID: "score",
            payload: payload,
            messageIDAt: 46,
            traceParent: "00-abc"
        )
    }

    static func campaign(
        _ sizes: [Int] = [4, 4, 2],
        facts: Shard.Facts = facts(),
        duplicates: Int = 0,
        identity: String = "job",
        firstToken: Int = 0,
        release: NewCampaign.Release = NewCampaign.Release()
    ) -> NewCampaign {
        NewCampaign(
            identity: Array(identity.utf8),
            job: Array("{}".utf8),
            name: "Derby",
            tags: ["sport"],
            metadata: ["run": "1"],
            facts: facts,
            audience: .inline(chunks(sizes, firstToken: firstToken), version: "v1", duplicates: duplicates),
            createdAt: .start,
            release: release,
            correlationID: "message-1",
            event: CampaignEvent(.accepted, app: facts.app, campaign: facts.campaignID, time: .start, data: .null)
        )
    }
}

extension Ledger {
    /// Accepts a campaign and returns its number.
    func accepted(_ new: NewCampaign = Sample.campaign(), now: Timestamp = .start) async throws -> UInt32 {
        let result = try await write(.synced) { try $0.accept(new, now: now) }
        guard case .accepted(let number, _) = result else { throw LedgerError.failed("not accepted: \(result)") }
        return number
    }

    /// Plans under a lease that it takes as worker 1.
    func planned(
        _ campaign: UInt32,
        max: Int = 100,
        cap: FrequencyCap = FrequencyCap(),
        now: Timestamp = .start
    ) async throws -> [ShardToPublish] {
        try await write { transaction in
            let leased = try transaction.leaseCampaigns(worker: 1, apps: ["news", "shop"], now: now)
            guard let lease = leased.first(where: { $0.facts.number == campaign }) else { return [] }
            let result = try transaction.plan(
                lease.token,
                shardsMax: max,
                cap: cap,
                now: now
            )
            guard case .planned(let shards) = result else { return [] }
            return shards
        }
    }

    /// Claims a shard and expects to run it.
    func running(
        _ key: ShardKey,
        generation: UInt32 = 1,
        worker: Int64 = 7,
        now: Timestamp = .start
    ) async throws
        -> (record: ShardRecord, token: RunToken)
    {
        let claim = Claim(key: key, generation: generation, redelivered: false, worker: worker, knowsApp: true)
        let result = try await write(scope: .shards) { try $0.claim(claim, now: now) }
        guard result.decision == .run, let record = result.record else {
            throw LedgerError.failed("not run but \(result.decision)")
        }
        return (record, RunToken(key: key, epoch: record.epoch, worker: worker))
    }

    func status(_ campaign: UInt32, now: Timestamp = .start) async throws -> CampaignStatus {
        guard let status = try await read({ try $0.status(campaign: campaign, now: now) }) else {
            throw LedgerError.failed("no campaign \(campaign)")
        }
        return status
    }

    func row(_ key: ShardKey) async throws -> ShardRecord? {
        try await read { try $0.shard(key) }
    }
}

extension Progress {
    /// Returns progress with all devices accepted, except those changed by `exceptions`.
    static func accepted(_ count: Int, but exceptions: (inout Progress) -> Void = { _ in }) -> Progress {
        var progress = Progress(count: count)
        for position in 0..<count { progress.accept(position) }
        exceptions(&progress)
        return progress
    }
}

extension Settlement {
    /// Returns a settlement; `progress` must be a valid one.
    static func of(_ progress: Progress, attempt: UInt32 = 1) throws -> Settlement {
        guard let settlement = make(progress: progress, attempt: attempt) else {
            throw LedgerError.failed("no settlement")
        }
        return settlement
    }
}

func key(_ campaign: UInt32, _ ordinal: UInt32, _ child: UInt32 = 0) -> ShardKey {
    ShardKey(campaign: campaign, part: 0, ordinal: ordinal, child: child)
}

extension AppAccounts {
    /// Returns accounts of these apps, each with APNs.
    static func apns(_ apps: [String]) -> AppAccounts {
        AppAccounts(Dictionary(apps.map { ($0, [.apns]) }) { first, _ in first })
    }
}
