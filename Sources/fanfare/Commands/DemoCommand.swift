import ArgumentParser
import Bench
import Campaigns
import Logging
import Operations
import Settings
import UnixSignals

/// Runs the whole system once and checks the result.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Send a campaign to made-up devices through the whole system, and check the count.",
        discussion: """
            Starts a simulator of the push services, two workers and the dashboard, uploads a list, publishes one job \
            as any producer would, follows it to its end, and compares the ledger with the simulator's own count. Some \
            tokens are dead, some are answered 503 once, some always with a Retry-After beyond the campaign's end. All are \
            Apple's, or with --mixed 60 % Apple's, 35 % FCM's and 5 % browsers.

            Needs a broker with nobody else at work on it (FANFARE_AMQP_URL); Deploy/demo.sh starts one. Ends with 0 \
            only if every device is accounted for and both counts agree, token by token.

            With --web it sends nothing by itself: it serves a site on which this machine's browser agrees to pushes, \
            with a worker and a server behind it, until Ctrl-C. Messages to the browser go over its real push service.

            Example: fanfare demo --devices 5000 --keep
            """
    )

    @Option(help: "How many devices (default: 100000, with --mixed 300000).")
    var devices: Int?

    @Flag(help: "One campaign over all providers: of twenty devices twelve of APNs, seven of FCM, one of Web Push.")
    var mixed = false

    @Flag(help: "Serve a site that gets pushes, and open it in the browser, until Ctrl-C.")
    var web = false

    @Option(
        help: "A new folder for configuration, ledger and logs (default: a temporary one, removed when all agreed)."
    )
    var folder: String?

    @Flag(help: "Keep everything running afterwards, until Ctrl-C.")
    var keep = false

    @Option(help: "The configuration file in which the broker is named (default: fanfare.yaml, which may be missing).")
    var config: String?

    @Option(help: "The broker, without a password: amqp://host:5672 (amqp.url).")
    var amqp: String?

    @OptionGroup var output: OutputOptions

    private var count: Int { devices ?? (mixed ? 300_000 : 100_000) }

    func validate() throws {
        guard (1...10_000_000).contains(count) else {
            throw ValidationError("--devices is a number from 1 to 10000000")
        }
        guard !web || (devices == nil && !mixed && !keep) else {
            throw ValidationError(
                "--web has the browser as its only device, and runs until Ctrl-C: leave out the others"
            )
        }
    }

    func run() async throws {
        StandardErrorLog.install(Configuration.LogSettings(level: .warning))
        let sources = ConfigurationSources(
            flags: [ConfigurationOptions.flag("--amqp", "amqp.url", amqp)].compactMap { $0 },
            file: config
        )
        let broker = try sources.load()
        // Both trap signals from the start, so that no Ctrl-C is lost between the campaign and the wait after it.
        let interruption = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let ending = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let folder = try RunFolder(folder, command: "demo")
        let fleet = ChildProcesses(folder: folder.path)
        if web {
            let site = try await DemoSiteServer.start()
            return try await serve(
                WebDemo(broker: broker, folder: folder, fleet: fleet, site: site),
                interruption,
                ending
            )
        }
        let devices = DemoDevices(count: count, mix: mixed ? .mixed : .apple)
        let demo = Demo(broker: broker, devices: devices, folder: folder, fleet: fleet)
        let isQuiet = output.json
        let result = await Interruption.result(before: interruption) { try await demo.run(isQuiet: isQuiet) }
        var isWell = false
        if case .success(let report) = result {
            isWell = report.isWell
            output.write(report.text, report.json)
            if keep {
                await tellNextSteps(folder, fleet)
                for await _ in ending { break }
            }
        }
        await end(fleet, folder, isWell: isWell)
        if try !result.get().isWell { throw FanfareExit.failed }
    }

    /// Serves the demo's site until Ctrl-C.
    private func serve(_ demo: WebDemo, _ interruption: UnixSignalsSequence, _ ending: UnixSignalsSequence) async throws
    {
        let result = await Interruption.result(before: interruption) { try await demo.start() }
        var isWell = false
        if case .success(let addresses) = result {
            isWell = true
            output.write(webText(addresses, demo.folder), addresses.json)
            DemoBrowser.open(addresses.site)
            for await _ in ending { break }
        }
        await demo.site.stop()
        await end(demo.fleet, demo.folder, isWell: isWell)
        _ = try result.get()
    }

    /// Ends what was started, and removes a temporary folder unless something is to be looked at.
    private func end(_ fleet: ChildProcesses, _ folder: RunFolder, isWell: Bool) async {
        await fleet.stop()
        if folder.isTemporary, isWell || folder.isEmpty {
            folder.remove()
        } else {
            Terminal.writeError("demo: configuration, ledger and logs are in \(folder.path)\n")
        }
    }

    private func webText(_ addresses: WebDemo.Addresses, _ folder: RunFolder) -> String {
        """
        the site       \(addresses.site)
        the edge       \(addresses.edge)
        the dashboard  \(addresses.dashboard)

        Agree on the site, and send it a push:
          echo '{"id": "goal-1", "app": "\(DemoJob.app)", "audience": {"everyone": true}, "content": {"title": "Goal!"}}' |
              fanfare campaign send - --config \(folder.configuration)
          fanfare campaign report goal-1 --config \(folder.configuration)

        Everything runs until Ctrl-C.
        """
    }

    private func tellNextSteps(_ folder: RunFolder, _ fleet: ChildProcesses) async {
        let option = "--config \(folder.configuration)"
        let text = """

            Everything runs on until Ctrl-C (\(await fleet.description)). Look around:
              fanfare status \(option)
              fanfare campaign status \(DemoJob.id) \(option)
              fanfare campaign outcomes \(DemoJob.id) --outcome expired \(option)

            """
        if output.json { Terminal.writeError(text) } else { Terminal.write(text) }
    }
}
