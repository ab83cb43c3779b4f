import ArgumentParser
import Campaigns
import Logging
import Operations
import Settings

/// Finds the problems of an installation and their fixes.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check everything that a worker needs, and say what to fix; ends with 1 when something is wrong.",
        discussion: """
            Checks the configuration, this machine (open files, time zones, disk, address), the broker (version, \
            clock, a cluster's nodes and leaders, topology), the store (TLS, a write that is rolled back, clock, parked), the problems that workers \
            report (status tells the same), and every app's keys and providers: hosts are asked for their time, Google \
            for an access token. Warns of what lets strangers in: the user guest, an edge without TLS, tokens without \
            an end, addresses: any, users that nobody vouches for. Changes nothing and sends nothing; --offline asks no \
            provider.

            --bundle packs for whoever helps: these findings, status, topology, the configuration without secrets, \
            metrics, the log's last lines (the journal's, or those of --log), the last hour's events of campaigns and \
            versions; no key, token or payload. What could not be had is a line of errors.txt in it.

            Examples:
              fanfare doctor --config /etc/fanfare/fanfare.yaml
              fanfare doctor --bundle fanfare-bundle.tar.gz
            """
    )

    @Flag(help: "Connect to no provider.")
    var offline = false

    @Option(help: "Write a bundle for support (.tar.gz) there; ends with 0 when it is written.")
    var bundle: String?

    @Option(name: .customLong("log"), help: "A file with a process's log, for the bundle; may be given again.")
    var logs: [String] = []

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard bundle != nil || logs.isEmpty else { throw ValidationError("--log is for --bundle") }
    }

    func run() async throws {
        // The findings show the failures.
        StandardErrorLog.install(Configuration.LogSettings(level: .critical))
        let findings = await check()
        if let bundle { return try await write(findings, to: bundle) }
        let isWell = !findings.needsPerson
        output.write(findings.text, .object(["well": .bool(isWell), "findings": .array(findings.map(\.json))]))
        if !isWell { throw FanfareExit.failed }
    }

    private func write(_ findings: [Finding], to path: String) async throws {
        let (version, logs) = (ProgramVersion.text, BundleLogs(files: logs))
        let collected: SupportBundle
        if let configuration = try? options.load() {
            var sources = BundleSources(configuration, logs: logs)
            await sources.collect(findings, version: version)
            collected = sources.bundle
        } else {
            collected = await BundleSources.withoutConfiguration(findings, version: version, logs: logs)
        }
        try await BundleArchive.write(collected, to: path)
        let lines = ["\(path): \(collected.all.map(\.name).joined(separator: ", "))"]
        output.write(
            (lines + collected.errors.map { "not in it: \($0)" }).joined(separator: "\n"),
            .object([
                "bundle": .string(path), "files": .array(collected.all.map { .string($0.name) }),
                "errors": .array(collected.errors.map(JSONValue.string)),
            ])
        )
    }

    private func check() async -> [Finding] {
        do {
            let configuration = try options.load()
            let machine = await MachineChecks(configuration: configuration).run()
            let broker = await BrokerChecks(configuration: configuration).run()
            let store = await StoreChecks(configuration: configuration).run()
            let apps = await AppChecks(configuration: configuration, isOffline: offline).run()
            let safety = SafetyChecks(configuration: configuration).run()
            return [.well("configuration", "every key is understood")] + machine + broker + store + apps + safety
        } catch let error as ConfigurationError {
            return error.problems.map {
                .wrong("configuration", $0.line, fix: "fix it there, then fanfare config check")
            }
        } catch {
            return [.wrong("configuration", "\(error)", fix: "fanfare config check")]
        }
    }
}
