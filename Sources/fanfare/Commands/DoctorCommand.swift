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

            Example: fanfare doctor --config /etc/fanfare/fanfare.yaml
            """
    )

    @Flag(help: "Connect to no provider.")
    var offline = false

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        // The findings show the failures.
        StandardErrorLog.install(Configuration.LogSettings(level: .critical))
        let findings = await check()
        let isWell = !findings.needsPerson
        output.write(findings.text, .object(["well": .bool(isWell), "findings": .array(findings.map(\.json))]))
        if !isWell { throw FanfareExit.failed }
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
