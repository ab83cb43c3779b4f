import ArgumentParser
import Campaigns
import Dispatch
import Fleet
import Glibc
import Logging
import Operations
import Settings
import Store
import Transport
import UnixSignals

/// Runs a worker.
struct WorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker",
        abstract: "Take campaigns and shards from RabbitMQ and send them.",
        discussion: """
            Runs until SIGTERM, which drains it: no new work, what runs ends within worker.drain (20 s), the rest is \
            handed over. A second SIGTERM ends it at once; the broker gives its shards to another worker. SIGTSTP stops \
            taking work, SIGCONT takes it again. SIGHUP reads the configuration, the apps file and its key files again: \
            hot settings (worker.unflushed, worker.drain, log.level) hold at once, and what is new or has changed of \
            the apps is used from then on, on new connections; requests under way end on the old ones. A file that cannot \
            be used changes nothing; fanfare app reload orders the same of all workers, and prints their answers. An app \
            that is new is sent for at once, and one that is gone no more. Every other setting needs a restart; the log \
            says so.

            Under systemd (Type=notify) it says READY=1 when /readyz is 200, WATCHDOG=1 while /livez is, RELOADING=1 and \
            STOPPING=1, and what it does as STATUS=. Deploy/systemd has the units.

            Example: fanfare worker --config /etc/fanfare/fanfare.yaml
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "intake, planner, sender, tracking, separated by commas (worker.roles; default all).")
    var roles: String?

    @Option(help: "Event loops (worker.loops; default one per core).")
    var loops: Int?

    func run() async throws {
        let sources = try options.sources([
            ConfigurationOptions.flag("--roles", "worker.roles", roles),
            ConfigurationOptions.flag("--loops", "worker.loops", loops),
        ])
        let readAt = ContinuousClock.now
        let configuration = try sources.load()
        let threshold = StandardErrorLog.install(configuration.log)
        // Before the files are read: a signal that arrives during the reading must not be missed.
        let reloads = await UnixSignalsSequence(trapping: .sighup)
        let apps = try AppsFile.read(path: configuration.appsFile, webhookHosts: configuration.webhookHosts)
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let worker = try await start(configuration, apps, readAt)
        let quieting = Self.quieting(worker)
        let (orders, order) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let reloading = [
            Task { for await _ in reloads { order.yield() } },
            Task { for await _ in worker.reloadRequests { order.yield() } },
            Task { for await _ in orders { await worker.reload(sources, threshold: threshold) } },
        ]
        var isDraining = false
        for await _ in signals {
            if isDraining { throw FanfareExit.failed }
            isDraining = true
            Task {
                await worker.stop()
                Self.exit(withError: nil)
            }
        }
        for task in reloading { task.cancel() }
        for source in quieting { source.cancel() }
    }

    /// Handles SIGTSTP, which stops taking work, and SIGCONT, which resumes; UnixSignals lacks these two.
    private static func quieting(_ worker: Worker) -> [any DispatchSourceSignal] {
        [(SIGTSTP, worker.quiet), (SIGCONT, worker.resume)].map { number, action in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { action() }
            source.resume()
            return source
        }
    }

    private func start(
        _ configuration: Configuration,
        _ apps: [AppConfiguration],
        _ readAt: ContinuousClock.Instant
    ) async throws -> Worker {
        do {
            return try await Worker.start(
                configuration,
                apps: apps,
                readAt: readAt,
                logger: Logger(label: "worker"),
                manager: Supervisor()
            )
        } catch let error as AMQPConnectError {
            throw CommandFailure(error)
        } catch let error as WorkerError {
            throw CommandFailure(.configuration, error.description)
        } catch let error as LedgerError {
            throw CommandFailure(error)
        }
    }
}
