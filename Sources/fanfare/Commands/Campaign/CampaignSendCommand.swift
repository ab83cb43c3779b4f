import ArgumentParser
import Campaigns
import Fleet
import Store

/// Sends a campaign, as a producer like any other.
struct CampaignSendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Check a job, publish it and say what intake made of it.",
        discussion: """
            Tells everything that is wrong with the job at once (exit 65). The same job under the same id is one \
            campaign, however often it is sent. --audience uploads a file of devices as a list that has the \
            campaign's id for a name; the job then leaves its audience out.

            With --wait it ends with 0 when all devices have an outcome, with 3 when devices failed or only parked \
            ones are left, with 1 when the campaign failed or was cancelled, with 75 when the time is over.

            Example: fanfare campaign send derby.json --audience devices.csv --wait --timeout 10m
            """
    )

    @Argument(help: "The file with the job (JSON), or - for standard input.")
    var file: String

    @Option(help: "A file of devices, .csv or .ndjson.")
    var audience: String?

    @Flag(help: "Follow the campaign to its end.")
    var wait = false

    @Option(help: "With --wait: for how long, such as 10m (default: until the end).")
    var timeout: String?

    @Flag(help: "Only check job and audience; nothing is looked up, uploaded or published.")
    var dryRun = false

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let timeout {
            guard wait else { throw ValidationError("--timeout goes with --wait") }
            guard DurationText.parse(timeout) != nil else {
                throw ValidationError("--timeout is a number with a unit: 30s, 10m, 2h")
            }
        }
        if wait, dryRun { throw ValidationError("--dry-run sends nothing that --wait could wait for") }
        if let audience { _ = try AudienceUpload.format(of: audience, named: nil) }
        if audience == "-" { throw ValidationError("--audience is a file") }
    }

    func run() async throws {
        let job = try JobFile(file)
        if audience != nil, job.hasAudience {
            throw CommandFailure(.usage, "\(job.name) has an audience already: leave it out, or leave --audience out")
        }
        let audience = try audience.map { try AudienceUpload($0, isJSON: output.json) }
        let now = CommandClock.now()
        // The list is not known yet, but all that is wrong with the job is.
        let first = try job.decode(list: audience == nil ? nil : "list", at: now)
        let check = LocalIntake.check(first.job, apps: knownApps(), now: now)
        let warnings = first.warnings + check.warnings
        guard check.problems.isEmpty else {
            throw job.refusal(check.problems, campaign: first.job.id, warnings: warnings)
        }
        var report = SendReport(job: first.job, warnings: warnings, isJSON: output.json)
        if !output.json { report.printWarnings(job.lines(warnings)) }
        if dryRun {
            report.uploaded = try await audience?.run(app: first.job.app, list: first.job.id, to: nil)
            report.say(.valid)
            return
        }
        let configuration = try options.load()
        let sending = CampaignSending(file: job, audience: audience, job: first.job, now: now, report: report)
        try await options.withLedger { ledger in
            let deadline = wait ? timeout.flatMap(DurationText.parse) : nil
            try await sending.run(ledger, broker: configuration.amqp, wait: wait, timeout: deadline)
        }
    }

    /// The apps as far as this host can read them: a producer's host need not have them, nor their keys.
    @inline(never)
    private func knownApps() -> [AppConfiguration] {
        guard let configuration = try? options.load() else { return [] }
        return (try? AppsFile.read(path: configuration.appsFile)) ?? []
    }
}
