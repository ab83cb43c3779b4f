import ArgumentParser
import Campaigns
import Operations
import PushProviders
import Settings
import Store

/// Shows the pushes of single devices before anything is sent.
struct CampaignPreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Render a job's content for single devices, with sizes; nothing is sent.",
        discussion: """
            Without --device: the first device of each language, the longest payload, and one device for each reason \
            why devices get none. A counted badge is what the registry would make it now; nothing is counted.

            Example: fanfare campaign preview job.json --device ana-iphone
            """
    )

    @Argument(help: "The job's JSON, or - for standard input.")
    var file: String

    @Option(help: "A device by its id or token; may be given again.")
    var device: [String] = []

    @Option(help: "Devices from a CSV or NDJSON file, for a job that does not name them itself.")
    var audience: String?

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let audience { _ = try AudienceUpload.format(of: audience, named: nil) }
        if audience == "-" { throw ValidationError("--audience is a file") }
    }

    func run() async throws {
        let file = try JobFile(file)
        let decoded = try file.decode(
            list: audience == nil || file.hasAudience ? nil : "list",
            at: WallClock.now().asRead
        )
        let job = decoded.job
        let apps = knownApps()
        let check = LocalIntake.check(job, apps: apps, now: WallClock.now().asRead)
        guard check.problems.isEmpty, let preview = LocalIntake.preview(job, apps: apps) else {
            throw file.refusal(check.problems, campaign: job.id, warnings: decoded.warnings)
        }
        if let document = MessagePreview.json(job, apps: apps) {
            Terminal.write(document.text + "\n")
            return
        }
        let devices = try devices(job)
        let badges = preview.countsBadges ? try await badges(devices, job) : nil
        var report = try report(job, preview, devices, badges)
        report.warnings = decoded.warnings + check.warnings
        if audience != nil {
            report.warnings += ContentPreview.warnings(report.samples)
            report.warnings += job.unknownVariables(known: Set(devices.flatMap(\.variables.keys)))
        }
        output.write(report.text, report.json)
        if !output.json {
            for line in file.lines(report.warnings) {
                Terminal.writeError("fanfare: warning: \(TerminalText.safe(line))\n")
            }
        }
    }

    private func report(
        _ job: Job,
        _ preview: JobPreview,
        _ devices: [Device],
        _ badges: [Int?]?
    ) throws -> PreviewReport {
        do throws(PreviewReport.UnknownDevice) {
            return try PreviewReport(job, preview, devices, names: device, badges: badges)
        } catch {
            throw CommandFailure(.usage, "no device has the id or token \(error.name)")
        }
    }

    private func devices(_ job: Job) throws -> [Device] {
        if let audience {
            let format = try AudienceUpload.format(of: audience, named: nil)
            do {
                let (devices, report) = try AudienceFile.devices(path: audience, format: format)
                guard report.problemCount == 0 else { throw AudienceUpload.refusal(report, file: audience) }
                return devices
            } catch let error as InputFile.Unreadable { throw CommandFailure(.usage, error.description) }
        }
        if case .devices(let devices) = job.audience { return devices }
        throw CommandFailure(.usage, "the job names a list: give --audience with a file of devices")
    }

    /// Returns the counts that the registry would make; nil for each device without a ledger.
    private func badges(_ devices: [Device], _ job: Job) async throws -> [Int?] {
        do {
            return try await options.withLedger { try await LocalIntake.badges(devices, of: job, in: $0) }
        } catch let failure as CommandFailure where failure.exit == .unavailable {
            Terminal.writeError("fanfare: warning: no badge is shown: the ledger that counts them is not here\n")
            return devices.map { _ in nil }
        }
    }

    /// Returns the apps that this host can read, for the message ids that count in the size.
    private func knownApps() -> [AppConfiguration] {
        guard let configuration = try? options.load() else { return [] }
        return (try? AppsFile.read(path: configuration.appsFile)) ?? []
    }
}
