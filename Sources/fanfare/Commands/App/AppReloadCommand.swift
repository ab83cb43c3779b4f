import ArgumentParser
import Campaigns
import Delivery
import NIOPosix
import Operations
import Settings
import Store

/// Asks all workers to read their files again.
struct AppReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Ask every worker to read its configuration, apps and keys again, as SIGHUP does.",
        discussion: """
            The apps file of this host is read first: if it has a mistake, no worker is asked. Each worker reads the \
            files of its own host and logs the changes; an unusable file changes nothing there. A worker that is not \
            connected to the broker at this moment is not reached.

            Example: fanfare app reload --dry-run
            """
    )

    /// The longest wait for a connection to the broker.
    private static let timeout = Duration.seconds(5)

    @OptionGroup var flags: OrderFlags

    func run() async throws {
        let configuration = try flags.options.load()
        let apps = try AppsFile.read(path: configuration.appsFile, webhookHosts: configuration.webhookHosts)
        let workers = try await flags.options.withLedger { ledger in
            let now = ledger.now()
            return try await ledger.read { try $0.liveWorkers(now: now) }
        }
        if !flags.isDryRun {
            let hint = ControlHint(configuration.amqp, on: MultiThreadedEventLoopGroup.singleton.next())
            await hint.ready(within: Self.timeout)
            let isAsked = await hint.reload()
            await hint.close()
            guard isAsked else {
                throw CommandFailure(
                    .unavailable,
                    "the broker \(configuration.amqp) did not take the request; send each worker SIGHUP instead"
                )
            }
        }
        let document: JSONValue = .object([
            "apps": .array(apps.map { .string($0.name) }), "workers": .array(workers.map { .string($0.name) }),
        ])
        let count = "\(workers.count) worker\(workers.count == 1 ? "" : "s")"
        let line = flags.isDryRun ? "\(count) would be asked" : "\(count) asked to read again"
        flags.write(line, document)
    }
}
