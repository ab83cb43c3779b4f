import ArgumentParser
import Campaigns
import Logging
import Operations
import PushProviders
import Settings
import Store

/// Sends a campaign as any producer would.
struct CampaignSendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Check a job, publish it and print intake's verdict.",
        discussion: """
            Reports all problems of the job at once (exit 65). The same job under the same id is one campaign, however \
            often it is sent. --audience uploads a file of devices as a list that is named after the campaign's id; the \
            job then has no audience of its own.

            With --wait it ends with 0 when all devices have an outcome, with 3 when devices failed or only parked \
            ones are left, with 1 when the campaign failed or was cancelled, with 75 after the time-out.

            Says when the last device is likely to be reached and what decides it, and warns of devices that would expire \
            before. --dry-run alone needs no network and looks nothing up: its forecast is of the devices that the job \
            names, by the settings alone. With --validate-with-provider each provider that can judge a push \
            without delivering it (FCM) is asked about the job's first device with it: nobody gets anything, but the \
            provider sees the content and the token, and counts the request.

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

    @Flag(help: "With --dry-run: ask the providers that can judge a push without delivering it (FCM).")
    var validateWithProvider = false

    @Option(
        help: ArgumentHelp(
            "With --validate-with-provider: for the token in this file instead of the audience's first device.",
            valueName: "file"
        )
    )
    var validateFrom: String?

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
        if validateWithProvider, !dryRun { throw ValidationError("--validate-with-provider goes with --dry-run") }
        if validateFrom != nil, !validateWithProvider {
            throw ValidationError("--validate-from goes with --validate-with-provider")
        }
        if let audience { _ = try AudienceUpload.format(of: audience, named: nil) }
        if audience == "-" { throw ValidationError("--audience is a file") }
    }

    func run() async throws {
        let job = try JobFile(file)
        if audience != nil, job.hasAudience {
            throw CommandFailure(.usage, "\(job.name) has an audience already: leave it out, or leave --audience out")
        }
        let upload = try audience.map { try AudienceUpload($0, isJSON: output.json) }
        let now = WallClock.now().asRead
        // The list is not known yet, but the job's problems are.
        let first = try job.decode(list: audience == nil ? nil : "list", at: now)
        let apps = knownApps()
        let check = LocalIntake.check(first.job, apps: apps, now: now)
        let forecast = dryRun ? JobForecast.ofText(first.job, apps: apps, now: now) : nil
        let slow = forecast.map { TooSlow.warnings($0, of: first.job) } ?? []
        let warnings = first.warnings + check.warnings + slow
        guard check.problems.isEmpty else {
            throw job.refusal(check.problems, campaign: first.job.id, warnings: warnings)
        }
        var report = SendReport(job: first.job, warnings: warnings, isJSON: output.json)
        if !output.json { report.printWarnings(job.lines(warnings)) }
        report.forecast = forecast
        if dryRun {
            report.uploaded = try await upload?.run(app: first.job.app, list: first.job.id, to: nil)
            if validateWithProvider { report.validations = try await validations(first.job, report) }
            report.say(.valid)
            return
        }
        let configuration = try options.load()
        let sending = CampaignSending(
            file: job,
            audience: upload,
            job: first.job,
            now: now,
            apps: apps,
            report: report
        )
        try await options.withLedger { ledger in
            let deadline = wait ? timeout.flatMap(DurationText.parse) : nil
            try await sending.run(ledger, broker: configuration.amqp, wait: wait, timeout: deadline)
        }
    }

    /// Returns the answers of the providers, all of which would accept the push.
    private func validations(_ job: Job, _ report: SendReport) async throws -> [ProviderQuestion.Answered] {
        StandardErrorLog.install(Configuration.LogSettings(level: .critical))
        let apps = try options.load().appsFile
        guard let app = try AppsFile.read(path: apps).first(where: { $0.name == job.app }) else {
            throw CommandFailure(.notFound, "\(apps) has no app \(job.app), whose key the provider would be asked with")
        }
        let question = ProviderQuestion(
            job: job,
            app: app,
            audience: audience,
            token: try validateFrom.map(TokenFile.text)
        )
        return try await question.ask(warnings: report.untold)
    }

    /// Returns the apps that this host can read; a producer's host needs neither the apps nor their keys.
    @inline(never)
    private func knownApps() -> [AppConfiguration] {
        guard let configuration = try? options.load() else { return [] }
        return (try? AppsFile.read(path: configuration.appsFile)) ?? []
    }
}
