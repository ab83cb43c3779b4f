import Campaigns
import Delivery
import Operations
import PushProviders
import Store
import WebServing

/// Checks a producer's job before it is published, by the rules of `campaign send`.
struct JobCoordinator {
    let core: APICore
    let caller: Caller

    /// A job that can be sent.
    struct Judgement {
        let job: Job
        var warnings: [Problem]
        /// True if the same job is a campaign already.
        let isKnown: Bool

        /// Returns the answer, in the form of `campaign send --json`.
        func document(_ verdict: String) -> JSONValue {
            [
                "campaign": .string(job.id), "app": .string(job.app), "verdict": .string(verdict),
                "warnings": .array(warnings.map(\.json)),
            ]
        }

        /// The campaign's path.
        var place: String { "/v1/campaigns/\(job.app)/\(job.id)" }
    }

    /// Judges a job.
    ///
    /// Throws 422 with all its problems, 404 for an app that the caller may not use, 409 when another job has the id.
    /// `content` is the id of a content that came with the job and is stored before the job is published.
    func judge(
        _ body: [UInt8],
        key: String?,
        bringing content: String? = nil,
        now: Timestamp
    ) async throws -> Judgement {
        var envelope = JobEnvelope(
            messageID: key,
            contentType: "application/json",
            type: JobDecoder.messageType,
            timestampSeconds: now.seconds,
            now: now,
            tokens: ProviderRegistry.tokens
        )
        let decoding = JobDecoder.decode(body, envelope: envelope)
        if let app = decoding.app { try caller.require(app: app) }
        // A job once accepted stays accepted, whatever is wrong with it by now.
        envelope.judgesTime = false
        if let job = JobDecoder.decode(body, envelope: envelope).job,
            let known = try await LocalIntake.known(job, in: core.ledger)
        {
            guard case .conflict(let problem) = known else { return Judgement(job: job, warnings: [], isKnown: true) }
            throw conflict(problem, job)
        }
        guard let job = decoding.job else { throw HTTPProblem(ProblemDocument(refused: decoding)) }
        let check = LocalIntake.check(job, apps: core.server.apps.all, now: now)
        let warnings = decoding.warnings + check.warnings
        guard check.problems.isEmpty else { throw refusal(check.problems, job, warnings) }
        switch try await LocalIntake.decide(job, bringing: content, in: core.ledger) {
        case .accept: return Judgement(job: job, warnings: warnings, isKnown: false)
        case .existing: return Judgement(job: job, warnings: warnings, isKnown: true)
        case .refuse(let problems): throw refusal(problems, job, warnings)
        case .conflict(let problem): throw conflict(problem, job)
        }
    }

    private func conflict(_ problem: Problem, _ job: Job) -> HTTPProblem {
        HTTPProblem(
            ProblemDocument(
                .campaignConflict,
                title: "Another job has this id",
                campaign: job.id,
                errors: [problem]
            )
        )
    }

    private func refusal(_ problems: [Problem], _ job: Job, _ warnings: [Problem]) -> HTTPProblem {
        HTTPProblem(
            ProblemDocument(
                .invalidJob,
                title: "The job cannot be sent",
                campaign: job.id,
                errors: problems,
                warnings: warnings
            )
        )
    }
}
