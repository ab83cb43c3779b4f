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
        /// True if the same job is a campaign already, or was sent and waits for its verdict.
        let isKnown: Bool
        /// The forecast; nil where none is made.
        var forecast: Forecast?

        /// Returns the answer, in the form of `campaign send --json`.
        func document(_ verdict: String) -> JSONValue {
            [
                "campaign": .string(job.id), "app": .string(job.app), "verdict": .string(verdict),
                "warnings": .array((warnings + slow).map(\.json)),
                "forecast": forecast.map { ForecastView($0).json } ?? .null,
            ]
        }

        /// The warnings that intake will make, too, as far as it knows the same.
        private var slow: [Problem] { forecast.map { TooSlow.warnings($0, of: job) } ?? [] }

        /// The campaign's path.
        var path: String { "/v1/campaigns/\(job.app)/\(job.id)" }
    }

    /// Judges a job.
    ///
    /// Throws 422 with all its problems, 404 for an app that the caller may not use, 409 when another job has the id. A
    /// repeat is answered alike before and after a worker's verdict.
    /// `content` is the id of a content that came with the job and is stored before the job is published.
    func judge(
        _ body: [UInt8],
        key: String?,
        bringing content: String? = nil,
        now: Timestamp
    ) async throws -> Judgement {
        var envelope = Self.envelope(key, now)
        let decoding = JobDecoder.decode(body, envelope: envelope)
        if let app = decoding.app { try caller.require(app: app) }
        // A job once accepted stays accepted, whatever is wrong with it by now.
        envelope.judgesTime = false
        if let job = JobDecoder.decode(body, envelope: envelope).job, try await isKnown(job) {
            return Judgement(job: job, warnings: [], isKnown: true)
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

    /// Returns the forecast of a job that is not known yet; nil if none is made, or too many long reads run.
    ///
    /// It reads the ledger for some milliseconds: what the other campaigns have left, and a sample of a registry.
    func forecast(_ job: Job) async throws -> Forecast? {
        // Behaviour that a segment asks for is read as a whole.
        guard let permit = try? core.longReads.begin(for: caller.name) else { return nil }
        defer { withExtendedLifetime(permit) {} }
        return try await JobForecast.read(job, apps: core.server.apps.all, in: core.ledger)
    }

    /// Decodes a job that is not sent; throws as ``judge(_:key:bringing:now:)`` for its problems and its app.
    func decode(_ body: [UInt8], key: String?, now: Timestamp) throws(HTTPProblem) -> (job: Job, warnings: [Problem]) {
        let decoding = JobDecoder.decode(body, envelope: Self.envelope(key, now))
        if let app = decoding.app { try caller.require(app: app) }
        guard let job = decoding.job else { throw HTTPProblem(ProblemDocument(refused: decoding)) }
        return (job, decoding.warnings)
    }

    private static func envelope(_ key: String?, _ now: Timestamp) -> JobEnvelope {
        JobEnvelope(
            messageID: key,
            contentType: "application/json",
            type: JobDecoder.messageType,
            timestampSeconds: now.seconds,
            now: now,
            tokens: ProviderRegistry.tokens
        )
    }

    /// Returns true for a repeat; throws 409 when its id belongs to another job.
    private func isKnown(_ job: Job) async throws -> Bool {
        switch try await LocalIntake.known(job, in: core.ledger) {
        case .conflict(let problem): throw conflict(problem, job)
        case .existing: return true
        case nil, .accept, .refuse: return false
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

    /// Returns the refusal of a job that could be decoded.
    func refusal(_ problems: [Problem], _ job: Job, _ warnings: [Problem]) -> HTTPProblem {
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
