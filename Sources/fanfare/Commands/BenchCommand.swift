import ArgumentParser
import Bench
import Campaigns
import Foundation
import Logging
import Operations
import Settings
import UnixSignals

extension BenchScenario: ExpressibleByArgument {}

/// Measures the cost of sending beside that of h2load.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure what a push costs, beside the load generator h2load against the same server.",
        discussion: """
            Starts bare simulators and workers, each side on cores of its own where there are two, and measures one \
            scenario after the other, all of them when none is named:

            \(BenchScenario.allCases.map { "  \($0.rawValue): \($0.abstract)" }.joined(separator: "\n"))

            A comparison with h2load in which the peer used more CPU than the sender does not count. For each \
            target it says whether it is met, with the figure. Ends with 1 when a scenario could not be measured.

            All but transport need a broker with nobody else at work on it (FANFARE_AMQP_URL); Deploy/bench.sh starts \
            one. transport and sending need h2load (Debian: nghttp2-client), allocations a C compiler.

            Example: fanfare bench --transport --pairs 3
            """
    )

    @Argument(help: "What to measure: \(BenchScenario.allCases.map(\.rawValue).joined(separator: ", ")).")
    var scenarios: [BenchScenario] = []

    @Flag(help: "Only the transport: TLS, HTTP/2 and sockets; the same as the scenario transport.")
    var transport = false

    @Option(help: "Requests of a run of transport.")
    var requests: Int?

    @Option(help: "Devices of a campaign of the other scenarios (default: each its own).")
    var devices: Int?

    @Option(help: "A factor for each scenario's own number of devices and requests.")
    var scale = 1.0

    @Option(help: "The number of alternating runs of a comparison (default: each scenario its own, 1 to 5).")
    var pairs: Int?

    @Option(help: "Also write a Markdown table into this file.")
    var table: String?

    @Option(help: "A new folder for ledgers, keys and logs, kept afterwards (default: a temporary one).")
    var folder: String?

    @Flag(
        help: """
            Keep the ledgers in databases of their own on the PostgreSQL server of store.url (FANFARE_STORE_URL); they \
            are removed at the end. Needs psql, and the right to make databases.
            """
    )
    var postgresql = false

    @Option(help: "The configuration file in which the broker is named (default: fanfare.yaml, which may be missing).")
    var config: String?

    @Option(help: "The broker, without a password: amqp://host:5672 (amqp.url).")
    var amqp: String?

    @Option(
        help: ArgumentHelp("One run of the transport against this server, for the bench itself.", visibility: .hidden)
    )
    var into: String?

    @Option(help: ArgumentHelp("Its authority.", visibility: .hidden))
    var ca: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard pairs.map({ (1...100).contains($0) }) ?? true else {
            throw ValidationError("--pairs is a number from 1 to 100")
        }
        guard requests.map({ (1_000...100_000_000).contains($0) }) ?? true else {
            throw ValidationError("--requests is a number from 1000 to 100000000")
        }
        guard devices.map({ (1_000...100_000_000).contains($0) }) ?? true else {
            throw ValidationError("--devices is a number from 1000 to 100000000")
        }
        guard (0.0001...100).contains(scale) else { throw ValidationError("--scale is a number from 0.0001 to 100") }
        guard !transport || scenarios.isEmpty else { throw ValidationError("--transport names a scenario by itself") }
        guard (into == nil) == (ca == nil), into == nil || transport else {
            throw ValidationError("--into and --ca go together, with --transport")
        }
    }

    private var chosen: [BenchScenario] {
        if transport { return [.transport] }
        return scenarios.isEmpty ? BenchScenario.allCases : scenarios
    }

    func run() async throws {
        StandardErrorLog.install(Configuration.LogSettings(level: .warning))
        if let into, let ca {
            let requests = requests ?? BenchScenario.transport.devices
            Terminal.write(try await TransportScenario.measure(endpoint: into, ca: ca, requests: requests) + "\n")
            return
        }
        let interruption = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let broker = chosen == [.transport] ? nil : try brokerSources().load()
        let server = postgresql ? try Self.server(of: broker) : nil
        let runFolder = try RunFolder(folder, command: "bench")
        let stage = BenchStage(
            broker: broker,
            folder: runFolder,
            cores: BenchCores.ofThisProcess(),
            processes: ChildProcesses(folder: runFolder.path),
            server: server,
            scale: scale,
            rounds: pairs,
            devices: devices,
            requests: requests,
            say: { Terminal.writeError("bench: \($0)\n") }
        )
        let result = await Interruption.result(before: interruption) { try await measure(stage) }
        await stage.processes.stop()
        let isWell = (try? result.get())?.isWell ?? false
        if runFolder.isTemporary, isWell || runFolder.isEmpty {
            runFolder.remove()
        } else {
            Terminal.writeError("bench: ledgers, keys and logs are in \(runFolder.path)\n")
        }
        let report = try result.get()
        output.write(report.text, report.json)
        if let table, !FileManager.default.createFile(atPath: table, contents: Data(report.markdown.utf8)) {
            throw CommandFailure(.failed, "the file \(table) cannot be written")
        }
        if !report.isWell { throw FanfareExit.failed }
    }

    private static func server(of configuration: Configuration?) throws -> BenchLedger.Server {
        guard case .postgreSQL(let url) = configuration?.store, let server = BenchLedger.Server(url) else {
            throw CommandFailure(
                .usage,
                "--postgresql needs the URL of a database on one PostgreSQL server in store.url or FANFARE_STORE_URL"
            )
        }
        return server
    }

    private func brokerSources() -> ConfigurationSources {
        ConfigurationSources(
            flags: [ConfigurationOptions.flag("--amqp", "amqp.url", amqp)].compactMap { $0 },
            file: config
        )
    }

    /// Measures the chosen scenarios; one that fails leaves the others' results intact.
    private func measure(_ stage: BenchStage) async throws -> BenchReport {
        try await stage.checkBroker()
        var results: [BenchResult] = []
        for scenario in chosen {
            do {
                results.append(try await stage.run(scenario))
            } catch let failure as CommandFailure where chosen.count > 1 {
                await stage.processes.stop()
                stage.say("\(scenario.rawValue) failed: \(failure.document.title)")
                results.append(BenchResult(scenario: scenario, failure: failure.document.title))
            }
        }
        return BenchReport(cores: stage.cores.text, results: results)
    }
}
