import Campaigns
import Delivery
import NIOPosix
import Operations
import Settings
import Store
import Transport

/// Sends a valid job: looks its campaign up, uploads the list, publishes the job and awaits intake's verdict.
struct CampaignSending {
    /// Intake answers within milliseconds when a worker is there and not busy.
    private static let verdictTimeout = Duration.seconds(2)

    let file: JobFile
    let audience: AudienceUpload?
    /// The job; with an audience file its list does not exist yet.
    let job: Job
    /// The time of the first check.
    let now: Timestamp
    /// The apps that this host knows.
    let apps: [AppConfiguration]
    let report: SendReport

    func run(_ ledger: Ledger, broker: AMQPEndpoint, wait: Bool, timeout: Duration?) async throws {
        if let known = try await known(ledger) {
            let deadline = timeout.map { ContinuousClock.now + $0 }
            return try await end(.existing, known, ledger, report, wait: wait, deadline: deadline)
        }
        var report = report
        let deadline: ContinuousClock.Instant?
        let producer = try await connect(broker)
        let verdict: CampaignVerdict?
        let poll: VerdictPoll
        do {
            report.uploaded = try await audience?.run(app: job.app, list: job.id, to: ledger)
            // The upload may have taken minutes, and the campaign's time counts from here.
            let sentAt = WallClock.now().asRead
            let complete = try file.decode(list: report.uploaded?.reference, at: sentAt)
            try refuseUnknownList(try await LocalIntake.decide(complete.job, in: ledger))
            report.sayUploaded()
            report.foresee(try await JobForecast.read(complete.job, apps: apps, in: ledger), of: complete.job, file)
            poll = try await VerdictPoll(complete.job, in: ledger)
            deadline = timeout.map { ContinuousClock.now + $0 }
            try await publish(complete, at: sentAt, producer)
            verdict = try await poll.verdict(within: Self.verdictTimeout)
            await producer.close()
        } catch {
            await producer.close()
            throw error
        }
        try await end(verdict, poll, ledger, report, wait: wait, deadline: deadline)
    }

    // MARK: - Before

    /// Returns the campaign with the job's id, if it is of the same job; throws a conflict if it is of another.
    private func known(_ ledger: Ledger) async throws -> UInt32? {
        let (app, id) = (job.app, job.id)
        guard case .campaign = try await ledger.read({ try $0.holder(app: app, id: id) }) else {
            if audience == nil { try refuseUnknownList(try await LocalIntake.decide(job, in: ledger)) }
            return nil
        }
        // The version tells whether the audience is the same, without writing anything.
        let measured = try await audience?.run(app: app, list: id, to: nil)
        let complete = try file.decode(list: measured?.reference, at: now)
        switch try await LocalIntake.decide(complete.job, in: ledger) {
        case .existing(let number): return number
        case .conflict(let problem): throw conflict(problem)
        case .accept, .refuse: return nil
        }
    }

    private func refuseUnknownList(_ decision: IntakeDecision) throws {
        if case .refuse(let problems) = decision {
            throw file.refusal(problems, campaign: job.id, warnings: report.untold)
        }
    }

    private func conflict(_ problem: Problem) -> CommandFailure {
        CommandFailure(
            ProblemDocument(
                .campaignConflict,
                title: "Another job has this id",
                campaign: job.id,
                errors: [problem],
                warnings: report.untold
            ),
            lines: file.lines([problem])
        )
    }

    // MARK: - Publishing

    private func connect(_ broker: AMQPEndpoint) async throws -> CampaignProducer {
        do {
            return try await CampaignProducer.connect(broker, on: MultiThreadedEventLoopGroup.singleton.next())
        } catch let error as AMQPConnectError {
            throw CommandFailure(error)
        } catch let error as CampaignProducer.Failure {
            throw CommandFailure(.unavailable, error.description)
        }
    }

    private func publish(
        _ complete: (job: Job, body: [UInt8], warnings: [Problem]),
        at sentAt: Timestamp,
        _ producer: CampaignProducer
    ) async throws {
        do throws(CampaignProducer.Failure) {
            try await producer.publish(complete.job, body: complete.body, at: sentAt)
        } catch {
            if case .forbidden = error { throw CommandFailure(.forbidden, error.description) }
            throw CommandFailure(.unavailable, error.description)
        }
    }

    // MARK: - After

    private func end(
        _ verdict: CampaignVerdict?,
        _ poll: VerdictPoll,
        _ ledger: Ledger,
        _ report: SendReport,
        wait: Bool,
        deadline: ContinuousClock.Instant?
    ) async throws {
        var verdict = verdict
        if verdict == nil {
            guard wait else { return report.say(.pending) }
            report.sayWaiting()
            let rest = deadline.map { $0 - ContinuousClock.now } ?? .seconds(100 * 365 * 86_400)
            verdict = try await poll.verdict(within: rest)
        }
        switch verdict {
        case .accepted(let number):
            try await end(.accepted, number, ledger, report, wait: wait, deadline: deadline)
        case .refused(var document):
            // The worker's warnings come with its refusal; ours are printed already.
            if !report.isJSON { document.warnings = [] }
            throw CommandFailure(document, exit: .refused, lines: file.lines(document.errors))
        case .conflict(let problem): throw conflict(problem)
        case nil:
            throw CommandFailure(
                .timeout,
                "the time is over: \(job.app)/\(job.id) is published, but no worker has taken it (see fanfare status)"
            )
        }
    }

    private func end(
        _ verdict: SendReport.Verdict,
        _ number: UInt32,
        _ ledger: Ledger,
        _ report: SendReport,
        wait: Bool,
        deadline: ContinuousClock.Instant?
    ) async throws {
        let now = ledger.now()
        let status = try await ledger.read { try $0.status(campaign: number, now: now) }
        guard let view = status.map({ CampaignStatusView($0) }) else {
            throw CommandFailure(.failed, "the campaign is gone from the ledger \(ledger.path)")
        }
        guard wait else { return report.say(verdict, view) }
        if !report.isJSON { report.say(verdict, view) }
        let follower = CampaignFollower(ledger: ledger, campaign: number, isQuiet: report.isJSON, deadline: deadline)
        let last = try await follower.follow()
        if report.isJSON {
            report.say(verdict, last)
        } else {
            Terminal.write("\n" + last.text(now: ledger.now()) + "\n")
        }
        if last.exit != .done { throw last.exit }
    }
}
