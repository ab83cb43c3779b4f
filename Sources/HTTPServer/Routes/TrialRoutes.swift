import Campaigns
import HTTPTypes
import HummingbirdCore
import Operations
import PushProviders
import Store
import WebServing

/// Trials of a job, which send and write nothing: its pushes for single devices, and its audience.
enum TrialRoutes {
    static let all: [Route<APIResponder>] = [
        Route(.post, "/v1/campaigns:preview", .role(.viewer), "previewCampaign", preview),
        Route(.post, "/v1/audience:check", .role(.viewer), "checkAudience", count),
    ]

    /// Returns the document of `campaign preview --json` for a job that names its devices.
    private static func preview(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([], repeated: ["device"])
        let body = try await BodyReader.json(call.request, upTo: BodyReader.jobMax)
        let coordinator = JobCoordinator(core: core, caller: call.caller)
        let (apps, now) = (core.server.apps.all, core.ledger.now())
        let (job, decoded) = try coordinator.decode(body, key: CampaignRoutes.idempotencyKey(call), now: now)
        let check = LocalIntake.check(job, apps: apps, now: now)
        let warnings = decoded + check.warnings
        guard check.problems.isEmpty, let preview = LocalIntake.preview(job, apps: apps) else {
            throw coordinator.refusal(check.problems, job, warnings)
        }
        if let document = MessagePreview.json(job, apps: apps) { return .json(document) }
        guard case .devices(let devices) = job.audience else {
            let problem = Problem(
                pointer: "/audience",
                code: .value,
                detail: "a preview renders the devices that the job names, and it names none",
                fix: "give some in audience.devices"
            )
            throw coordinator.refusal([problem], job, warnings)
        }
        let badges = preview.countsBadges ? try await LocalIntake.badges(devices, of: job, in: core.ledger) : nil
        do throws(PreviewReport.UnknownDevice) {
            var report = try PreviewReport(job, preview, devices, names: call.query.all("device"), badges: badges)
            report.warnings = warnings
            return .json(report.json)
        } catch {
            throw HTTPProblem(.usage, "no device of the job has the id or token \(NameRule.shown(error.name))")
        }
    }

    /// Returns the document of `audience check --json` for a job, of which only `app` and `audience` are needed;
    /// `exact=true` counts every device, and `explain=true` says how they are found.
    private static func count(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow(["exact", "explain"])
        let (isExact, explains) = (try call.query.flag("exact"), try call.query.flag("explain"))
        guard case .object(var members) = try await BodyReader.value(call.request, upTo: BodyReader.jobMax) else {
            throw HTTPProblem(.usage, "the body must be an object")
        }
        // A count needs no id and no content, so an audience can be counted before there is a job.
        let rest: [JSONMember] = [JSONMember("id", "audience"), JSONMember("content", ["title": "-"])]
        members += rest.filter { one in !members.contains { $0.name == one.name } }
        let (job, _) = try JobCoordinator(core: core, caller: call.caller).decode(
            JSONWriter.bytes(.object(members)),
            key: nil,
            now: core.ledger.now()
        )
        let permit = try core.longReads.begin(for: call.caller.name)
        defer { withExtendedLifetime(permit) {} }
        do {
            let (audience, ledger) = (job.audience, core.ledger)
            let count = try await AudienceCount.of(
                audience,
                exclude: job.exclude,
                app: job.app,
                isExact: isExact,
                explains: explains,
                in: ledger
            )
            return .json(count.json)
        } catch let error as AudienceCount.UnknownList {
            let title = "The audience cannot be counted"
            throw HTTPProblem(ProblemDocument(.invalidAudience, title: title, errors: [error.problem]))
        }
    }
}
