import AMQP
import Campaigns
import Delivery
import Foundation
import Servers
import Simulator
import Store
import Synchronization
import Testing
import Transport

/// A virtual host with our topology, a ledger, a simulator, and a test's processes; all are removed with the test.
final class PrivateFleet: Sendable {
    /// The app of the simulator's `apps.yaml`.
    static let app = "news"

    let folder: String
    let endpoint: AMQPEndpoint
    let simulator: PushSimulator.Running
    /// The ledger's database if it is not SQLite: its server and its name there.
    let database: Database?
    private let openLedger: Mutex<Ledger>
    private let processes = Mutex<[FanfareProcess]>([])

    /// A database on a PostgreSQL server.
    struct Database: Sendable {
        let server: PrivatePostgreSQL
        let name: String

        var url: String { server.url(name) }
    }

    private init(
        folder: String,
        endpoint: AMQPEndpoint,
        simulator: PushSimulator.Running,
        database: Database?,
        ledger: Ledger
    ) {
        self.folder = folder
        self.database = database
        self.endpoint = endpoint
        self.simulator = simulator
        openLedger = Mutex(ledger)
    }

    /// The test's own connection to the fleet's ledger.
    var ledger: Ledger { openLedger.withLock { $0 } }

    /// Runs a body that needs exclusive access to the ledger.
    func withLedgerClosed<Value>(_ body: () async throws -> Value) async throws -> Value {
        await ledger.close()
        let value = try await body()
        let anew = try Self.ledger(folder, database, create: false)
        openLedger.withLock { $0 = anew }
        return value
    }

    /// Runs a test on a fleet of its own, and always removes the fleet afterwards.
    static func with(
        faults: [String: String] = [:],
        requestsKept: Int = 16,
        fcm: FCMAccess? = nil,
        webPush: WebPushAccess? = nil,
        postgreSQL: PrivatePostgreSQL? = nil,
        clockSkewMost: Int64? = nil,
        _ body: (PrivateFleet) async throws -> Void
    ) async throws {
        let fleet = try await make(faults, requestsKept: requestsKept, fcm, webPush, postgreSQL, clockSkewMost)
        do {
            try await fleet.applyTopology()
            try await body(fleet)
        } catch {
            await fleet.end(showing: error)
            throw error
        }
        await fleet.end(showing: nil)
    }

    // MARK: - Making and ending it

    private static func make(
        _ faults: [String: String],
        requestsKept: Int,
        _ fcm: FCMAccess?,
        _ webPush: WebPushAccess?,
        _ postgreSQL: PrivatePostgreSQL?,
        _ clockSkewMost: Int64?
    ) async throws -> PrivateFleet {
        let node = try await PrivateBroker.node()
        let name = "fanfare-e2e-\(UInt32.random(in: 0 ... .max))"
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try await PrivateBroker.addVirtualHost(name)
        var configuration = PushSimulator.Configuration()
        configuration.requestsKept = requestsKept
        configuration.fcm = fcm
        configuration.webPush = webPush
        // Hundreds of workers in a row, each with its own provider token, are more than any team has.
        configuration.access.teamTokensMost = 10_000
        if let clockSkewMost {
            // A provider that tolerates larger differences of a token's time.
            configuration.access.clockSkewSecondsMost = clockSkewMost
            configuration.access.tokenSecondsMost = clockSkewMost
        }
        for (fault, value) in faults { try configuration.faults.set(fault, to: value) }
        let simulator = try await PushSimulator.start(configuration)
        let origin = "https://127.0.0.1:\(simulator.port)"
        let google = simulator.port(of: .fcm).map { "https://127.0.0.1:\($0)" }
        try simulator.identity.write(
            to: folder,
            endpoint: origin,
            fcmEndpoint: google,
            hasWebPush: webPush != nil,
            app: app
        )
        let server = try postgreSQL ?? PrivatePostgreSQL.ofMatrix()
        let database = try server.map { Database(server: $0, name: try $0.createDatabase()) }
        // A node that a test damages is its workers' only one.
        let addresses = PrivateBroker.isHurt ? "127.0.0.1:\(node.port)" : node.addresses
        try configure(
            folder,
            url: "amqp://guest:guest@\(addresses)/\(name)",
            managementPort: node.managementPort,
            store: store(database)
        )
        return PrivateFleet(
            folder: folder,
            endpoint: try AMQPEndpoint(parsing: "\(node.url)/\(name)"),
            simulator: simulator,
            database: database,
            ledger: try ledger(folder, database, create: true)
        )
    }

    private static func ledger(_ folder: String, _ database: Database?, create: Bool) throws -> Ledger {
        guard let database else { return try Ledger.open(path: folder + "/fanfare.db", create: create) }
        // A server that the test kills comes back, however long that takes here.
        return try Ledger.open(postgreSQL: database.url, create: create, timeout: .seconds(60))
    }

    /// Writes the configuration of processes that are started from now on, with the same ledger.
    func configure(url: String, managementPort: Int) throws {
        try Self.configure(folder, url: url, managementPort: managementPort, store: Self.store(database))
    }

    private static func store(_ database: Database?) -> String { database?.url ?? "sqlite:fanfare.db" }

    /// Writes the configuration of a fleet into a folder.
    static func configure(
        _ folder: String,
        url: String,
        managementPort: Int,
        store: String = "sqlite:fanfare.db"
    ) throws {
        let text = """
            amqp:
              url: \(url)
              management_url: http://127.0.0.1:\(managementPort)
            store:
              url: \(store)
            apps:
              file: apps.yaml

            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/fanfare.yaml"))
    }

    /// Makes workers that are started from now on reach the broker through a tap.
    func tapped(_ body: (BrokerTap) async throws -> Void) async throws {
        let node = try await PrivateBroker.node()
        let tap = try await BrokerTap(broker: node.port)
        let url = "amqp://guest:guest@127.0.0.1:\(tap.port)/\(endpoint.virtualHost)"
        do {
            try configure(url: url, managementPort: node.managementPort)
            try await body(tap)
        } catch {
            try? await tap.close()
            throw error
        }
        try await tap.close()
    }

    /// Writes an `apps.yaml` with these apps and keys of the simulator's only team.
    func writeApps(_ apps: [(name: String, key: String)]) throws {
        let team = simulator.identity.credentials.teamID
        let blocks = apps.map { app in
            """
              \(app.name):
                apns:
                  topic: com.example.\(app.name)
                  team_id: \(team)
                  key_id: \(app.key)
                  key_file: AuthKey_\(app.key).p8
                  endpoint: https://127.0.0.1:\(simulator.port)
                  ca_file: ca.pem

            """
        }
        let text = "apps:\n" + blocks.joined()
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/apps.yaml"))
    }

    private func applyTopology() async throws {
        let outcome = try await run("topology", "apply")
        try #require(outcome.exit == 0, "\(outcome.output)\(outcome.errors)")
    }

    private func end(showing failure: (any Error)?) async {
        let processes = processes.withLock { $0 }
        for process in processes { process.kill() }
        if let failure {
            Issue.record("\(failure)\n\(logs())")
        }
        await ledger.close()
        do {
            try await simulator.stop()
            try await PrivateBroker.removeVirtualHost(endpoint.virtualHost)
            try FileManager.default.removeItem(atPath: folder)
        } catch {
            Issue.record("the fleet is not taken away: \(error)")
        }
    }

    // MARK: - Processes

    /// Returns the logs of the processes, by their numbers: the ends, or all lines with one of these words.
    func logs(with words: [String] = []) -> String {
        processes.withLock { $0 }.map { process in
            let lines = process.errors.split(separator: "\n").filter { line in words.contains { line.contains($0) } }
            let log = words.isEmpty ? String(process.errors.suffix(3000)) : lines.joined(separator: "\n")
            return "\(process.pid): \(log)"
        }.joined(separator: "\n")
    }

    /// Runs a command with the fleet's configuration and waits for its end.
    func run(_ arguments: String...) async throws -> FanfareProcess.Outcome { try await run(arguments) }

    /// Runs a command given as an array.
    func run(_ arguments: [String]) async throws -> FanfareProcess.Outcome {
        try await FanfareProcess.run(arguments + ["--config", "fanfare.yaml"], folder: folder)
    }

    /// Freezes a worker between two of its commits.
    ///
    /// A worker frozen within a transaction keeps SQLite's only write lock from all others.
    func freeze(_ worker: FanfareProcess) async throws {
        try await eventually("the worker is frozen and the ledger is free") {
            worker.signal(SIGSTOP)
            do throws(LedgerError) {
                try await ledger.write(.normal) { _ in }
                return true
            } catch {
                guard case .busy = error else { throw error }
                worker.signal(SIGCONT)
                return false
            }
        }
    }

    /// Freezes a worker within one of its transactions, so that it keeps SQLite's only write lock.
    func freezeWriting(_ worker: FanfareProcess) async throws {
        let hasty = try Ledger.open(path: folder + "/fanfare.db", create: false, busyTimeout: .milliseconds(20))
        try await eventually("the worker is frozen with the write lock") {
            worker.signal(SIGSTOP)
            do throws(LedgerError) {
                try await hasty.write(.normal) { _ in }
                worker.signal(SIGCONT)
                return false
            } catch {
                // Another process's commit may take longer; the lock of a frozen one is still there at the second test.
                guard case .busy = error, await isBusy(hasty) else {
                    worker.signal(SIGCONT)
                    return false
                }
                return true
            }
        }
        await hasty.close()
    }

    private func isBusy(_ ledger: Ledger) async -> Bool {
        for _ in 1...10 {
            do throws(LedgerError) {
                try await ledger.write(.normal) { _ in }
                return false
            } catch {
                guard case .busy = error else { return false }
            }
        }
        return true
    }

    /// Starts a process that ends with the fleet at the latest.
    func start(
        _ arguments: [String],
        environment: [String: String] = [:],
        input: FileHandle? = nil,
        executable: String? = nil
    ) throws -> FanfareProcess {
        let process = try FanfareProcess(
            arguments,
            folder: folder,
            environment: environment,
            input: input,
            executable: executable
        )
        processes.withLock { $0.append(process) }
        return process
    }

    /// Starts a worker and waits until the fleet counts it.
    func startWorker(
        roles: String? = nil,
        level: String? = nil,
        log: FileHandle? = nil,
        environment: [String: String] = [:],
        hosts: String? = nil
    ) async throws -> FanfareProcess {
        let more = (roles.map { ["--roles", $0] } ?? []) + (level.map { ["--log-level", $0] } ?? [])
        let process = try FanfareProcess(
            ["worker", "--config", "fanfare.yaml"] + more,
            folder: folder,
            environment: environment,
            log: log,
            hosts: hosts
        )
        processes.withLock { $0.append(process) }
        let suffix = ".\(process.pid)"
        try await eventually("worker \(process.pid) is up") {
            guard process.isRunning else { throw FanfareProcess.Failure(process.errors) }
            let workers = try await ledger.read { try $0.liveWorkers(now: self.ledger.now()) }
            return workers.contains { $0.name.hasSuffix(suffix) && $0.apps.contains(Self.app) }
        }
        return process
    }

    /// Kills a worker and lets its row lapse at once instead of ten seconds later.
    func killKnown(_ worker: FanfareProcess) async throws {
        worker.kill()
        let now = TestClock.now()
        let workers = try await ledger.read { try $0.liveWorkers(now: now) }
        guard let row = workers.first(where: { $0.name.hasSuffix(".\(worker.pid)") }) else { return }
        let lapsed = now.advanced(by: .seconds(-60))
        try await ledger.write(.normal) { try $0.reportWorker(row.id, accounts: row.accounts, now: lapsed) }
    }

    // MARK: - The broker

    /// Uses a connection once.
    func broker<Value: Sendable>(_ use: (AMQPClient) async throws -> Value) async throws -> Value {
        let client = try await AMQPClient.connect(endpoint, name: "end-to-end test", on: PrivateBroker.loop)
        do {
            let value = try await use(client)
            await client.close()
            return value
        } catch {
            await client.close()
            throw error
        }
    }

    /// Publishes as a producer in any language would: JSON, persistent, mandatory, with a confirm.
    func publish(_ job: TestJob) async throws {
        try await publish(
            job.body,
            exchange: BrokerNames.campaigns,
            routingKey: job.app,
            properties: job.properties
        )
    }

    /// Publishes bytes.
    func publish(
        _ body: [UInt8],
        exchange: String,
        routingKey: String,
        properties: MessageProperties = MessageProperties()
    ) async throws {
        let message = OutboundMessage(
            exchange: exchange,
            routingKey: routingKey,
            properties: properties,
            body: body
        )
        let result = try await broker { await $0.publish(message) }
        try #require(result == .confirmed)
    }

    /// Returns the number of messages on a rung's two queues.
    func waiting(on rung: Rung) async throws -> Int {
        try await broker { client in
            var count = 0
            for side in RungSide.allCases {
                count += Int(try await client.counts(of: BrokerNames.retryQueue(rung, side))?.ready ?? 0)
            }
            return count
        }
    }
}

/// The clock with which the ledger is queried.
enum TestClock {
    static func now() -> Timestamp {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }
}
