import ArgumentParser
import Campaigns
import Fleet
import Foundation
import Logging
import UnixSignals

/// What sending costs, beside what h2load costs.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure what a push costs, beside the load generator h2load against the same server.",
        discussion: """
            Starts the bare simulator, then in turn: Fanfare, h2load with one path, h2load with 500 paths, with the \
            same header names and body. Sender and far side get cores of their own where there are two. A pair in \
            which the far side used more CPU than the sender does not count. Ends with 1 when no pair counts.

            Without --transport a whole worker is measured, with campaigns from RabbitMQ and the ledger in SQLite, \
            between a tenth and nine tenths of the devices: it needs a broker with nobody else at work on it \
            (FANFARE_AMQP_URL); Deploy/bench.sh starts one. Needs h2load (Debian: nghttp2-client).

            Example: fanfare bench --transport --pairs 3
            """
    )

    @Flag(help: "Only the transport: TLS, HTTP/2 and sockets; needs no broker.")
    var transport = false

    @Option(help: "With --transport: requests of a run.")
    var requests = 1_000_000

    @Option(help: "Devices of a campaign.")
    var devices = 2_000_000

    @Option(help: "How often Fanfare and h2load run in turn.")
    var pairs = 5

    @Option(help: "A new folder for ledger, keys and logs, which is kept (default: a temporary one).")
    var folder: String?

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
        guard (1...100).contains(pairs) else { throw ValidationError("--pairs is a number from 1 to 100") }
        guard (1_000...100_000_000).contains(requests) else {
            throw ValidationError("--requests is a number from 1000 to 100000000")
        }
        guard (10_000...100_000_000).contains(devices) else {
            throw ValidationError("--devices is a number from 10000 to 100000000")
        }
        guard (into == nil) == (ca == nil), into == nil || transport else {
            throw ValidationError("--into and --ca go together, with --transport")
        }
    }

    func run() async throws {
        StandardErrorLog.install(Configuration.LogSettings(level: .warning))
        if let into, let ca {
            Terminal.write(try await TransportScenario.measure(endpoint: into, ca: ca, requests: requests) + "\n")
            return
        }
        let interruption = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let broker = transport ? nil : try brokerSources().load()
        let temporary = FileManager.default.temporaryDirectory
            .appendingPathComponent("fanfare-bench-\(ProcessInfo.processInfo.processIdentifier)")
        let place = try DemoFolder(folder ?? temporary.path)
        let cores = BenchCores.ofThisProcess()
        let processes = BenchProcesses(folder: place.path, cores: cores)
        let result = await Self.race(interruption) {
            try await measure(broker, place, cores, processes)
        }
        await processes.stop()
        if folder == nil, (try? result.get()) != nil || place.isEmpty {
            place.remove()
        } else {
            Terminal.writeError("bench: ledger, keys and logs are in \(place.path)\n")
        }
        let report = try result.get()
        Terminal.write((output.json ? report.json.text : report.text) + "\n")
        if !report.isWell { throw FanfareExit.failed }
    }

    private func brokerSources() -> ConfigurationSources {
        ConfigurationSources(
            flags: [ConfigurationOptions.flag("--amqp", "amqp.url", amqp)].compactMap { $0 },
            file: config
        )
    }

    private func measure(
        _ broker: Configuration?,
        _ place: DemoFolder,
        _ cores: BenchCores,
        _ processes: BenchProcesses
    ) async throws -> BenchReport {
        let say: @Sendable (String) -> Void = { Terminal.writeError("bench: \($0)\n") }
        guard let broker else {
            return try await TransportScenario(
                requests: requests,
                pairs: pairs,
                folder: place.path,
                cores: cores,
                processes: processes
            ).run(say)
        }
        return try await SendingScenario(
            broker: broker,
            devices: devices,
            pairs: pairs,
            folder: place,
            cores: cores,
            processes: processes
        ).run(say)
    }

    private static func race(
        _ signals: UnixSignalsSequence,
        _ body: @escaping @Sendable () async throws -> BenchReport
    ) async -> Result<BenchReport, any Error> {
        await withTaskGroup(of: Result<BenchReport, any Error>.self) { group in
            group.addTask {
                do { return .success(try await body()) } catch { return .failure(error) }
            }
            group.addTask {
                for await _ in signals { break }
                return .failure(CommandFailure(.failed, "interrupted; everything that was started is ended"))
            }
            let result = await group.next()
            group.cancelAll()
            return result ?? .failure(CancellationError())
        }
    }
}
