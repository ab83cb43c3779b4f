import ArgumentParser
import Campaigns
import Delivery
import Operations
import Settings
import Store

/// Orders all workers to read their files again, and prints their answers.
struct AppReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Have every worker read its configuration, apps and keys again, and print what each took over.",
        discussion: """
            The apps file of this host is read first: if it has a mistake, no order is given. The order is in the \
            ledger. Each worker reads the files of its own host, as at SIGHUP, and answers: what it took over, or what \
            it refused and why; a file with a mistake changes nothing there. A worker that is away answers when it comes \
            back, and one that starts has read the files. The answers to the last order stay in fanfare status when a \
            person has to act.

            Ends with 0 when all have taken their files over, with 1 when one refused, with 75 when one has not answered \
            within --wait.

            Example: fanfare app reload --dry-run
            """
    )

    @Option(help: ArgumentHelp("How long to wait for answers (default 10s).", valueName: "duration"))
    var wait: String?

    @OptionGroup var flags: OrderFlags

    private static let waitsFor = Duration.seconds(10)

    func validate() throws {
        guard let wait, DurationText.parse(wait) == nil else { return }
        throw ValidationError("--wait is a number with a unit: 10s, 2m")
    }

    func run() async throws {
        let configuration = try flags.options.load()
        let apps = try AppsFile.read(path: configuration.appsFile, webhookHosts: configuration.webhookHosts)
        let time = wait.flatMap(DurationText.parse) ?? Self.waitsFor
        let standing = try await flags.options.withLedger { ledger in
            let ordered = try await FleetReload.order(by: Operator.name, in: ledger, isDryRun: flags.isDryRun)
            guard !flags.isDryRun else { return ordered }
            async let hint: Void = FleetReload.hint(ordered, configuration.amqp)
            let answered = try await FleetReload.answers(to: ordered, within: time, in: ledger)
            await hint
            return answered
        }
        let names = JSONMember("apps", .array(apps.map { .string($0.name) }))
        let workers = JSONMember("workers", .array(standing.lines.map { .string($0.worker) }))
        guard !flags.isDryRun else {
            let count = "\(standing.lines.count) worker\(standing.lines.count == 1 ? "" : "s")"
            return flags.write("\(count) would be asked", .object([names, workers]))
        }
        let view = ReloadView(standing)
        flags.write(view.text, .object([names, workers] + view.members))
        switch standing.outcome {
        case .takenOver: return
        case .refused: throw FanfareExit.failed
        case .unanswered: throw FanfareExit.timeout
        }
    }
}
