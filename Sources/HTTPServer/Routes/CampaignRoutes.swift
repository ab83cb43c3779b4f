import Campaigns
import Delivery
import HTTPTypes
import HummingbirdCore
import Logging
import Operations
import Store
import WebServing

/// Campaigns: sending and reading them.
enum CampaignRoutes {
    static let all: [Route<APIResponder>] = [
        Route(.post, "/v1/campaigns", .role(.operator), "sendCampaign", send),
        Route(.post, "/v1/campaigns:validate", .role(.viewer), "validateCampaign", validate),
        Route(.get, "/v1/campaigns", .role(.viewer), "listCampaigns", list),
        Route(.get, "/v1/campaigns/{id}", .role(.viewer), "findCampaign", status),
        Route(.get, "/v1/campaigns/{app}/{id}", .role(.viewer), "getCampaign", status),
        Route(.get, "/v1/campaigns/{app}/{id}/report", .role(.viewer), "reportCampaign", report),
        Route(.get, "/v1/campaigns/{app}/{id}/rate", .role(.viewer), "getCampaignRate", rate),
    ]

    /// Returns the key with which a producer makes a repeated request harmless; nil when there is none.
    static func idempotencyKey(_ call: Call<APIResponder>) -> String? {
        HTTPField.Name("Idempotency-Key").flatMap { call.request.headers[$0] }
    }

    // MARK: - Sending

    /// Returns 202 when the broker has confirmed the job, 200 when the same job was sent before.
    private static func send(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let body = try await BodyReader.json(call.request, upTo: BodyReader.jobMax)
        let now = core.ledger.now()
        return try await publish(try await judge(body, call, core, now), body, call, core, now)
    }

    /// Publishes a valid job with confirm, unless it was sent before; the answer is that of `send`.
    static func publish(
        _ judgement: JobCoordinator.Judgement,
        _ body: [UInt8],
        _ call: Call<APIResponder>,
        _ core: APICore,
        _ now: Timestamp
    ) async throws -> HTTPAnswer {
        let location: HTTPFields = [.location: judgement.path]
        if judgement.isKnown { return .json(judgement.document("existing"), headers: location) }
        try await core.broker.publish(judgement.job, body: body, at: now)
        await noteSent(judgement.job, core, now)
        // The job is on its way: a ledger that does not answer now takes nothing back.
        var judgement = judgement
        if JobForecast.isWorthReading(judgement.job) {
            judgement.forecast = try? await JobCoordinator(core: core, caller: call.caller).forecast(judgement.job)
        }
        return .json(judgement.document("pending"), .accepted, headers: location)
    }

    /// Notes a job that the broker has; the ledger's failure is logged, as the worker answers an unknown repeat.
    private static func noteSent(_ job: Job, _ core: APICore, _ now: Timestamp) async {
        do throws(LedgerError) {
            try await LocalIntake.noteSent(job, at: now, in: core.ledger)
        } catch {
            core.server.logger.warning(
                "a repeat of this job will not be known before the worker's verdict",
                metadata: ["app": "\(job.app)", "campaign": "\(job.id)", "error": "\(error)"]
            )
        }
    }

    private static func validate(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let body = try await BodyReader.json(call.request, upTo: BodyReader.jobMax)
        var judgement = try await judge(body, call, core, core.ledger.now())
        if !judgement.isKnown {
            judgement.forecast = try await JobCoordinator(core: core, caller: call.caller).forecast(judgement.job)
        }
        return .json(judgement.document(judgement.isKnown ? "existing" : "valid"))
    }

    private static func judge(
        _ body: [UInt8],
        _ call: Call<APIResponder>,
        _ core: APICore,
        _ now: Timestamp
    ) async throws -> JobCoordinator.Judgement {
        try await JobCoordinator(core: core, caller: call.caller).judge(body, key: idempotencyKey(call), now: now)
    }

    // MARK: - Reading

    private static func status(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let (app, id) = try key(call)
        return .json(try await view(app: app, id: id, call.caller, core).json)
    }

    /// Returns a campaign that the caller may see; without an app the ledger finds it.
    static func view(
        app given: String?,
        id: String,
        _ caller: Caller,
        _ core: APICore
    ) async throws -> CampaignStatusView {
        let app = try await given == nil ? ownApp(of: id, caller, core) : given
        let view = try await CampaignStatusReader.status(app: app, id: id, in: core.ledger) {
            await core.fleet.facts().forCampaigns
        }
        guard let view, caller.mayUse(view.app) else { throw notFound(id) }
        return view
    }

    /// Returns the app that has a campaign of this id, among the caller's; nil for callers with all apps.
    ///
    /// Other apps' campaigns are not considered: the caller learns neither of them nor of an ambiguous id.
    private static func ownApp(of id: String, _ caller: Caller, _ core: APICore) async throws -> String? {
        guard let apps = caller.apps?.sorted() else { return nil }
        let having = try await core.ledger.read { reader in
            try apps.filter { try reader.campaignNumber(app: $0, id: id) != nil }
        }
        if having.count > 1 { throw LedgerError.ambiguous(id: id, apps: having) }
        guard let app = having.first else { throw notFound(id) }
        return app
    }

    /// Returns the phones' reports about a campaign.
    private static func report(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let (app, id) = (try call.app(), call.parameter("id"))
        guard let report = try await CampaignReport.read(app: app, id: id, in: core.ledger) else { throw notFound(id) }
        return .json(report.json)
    }

    /// Returns a campaign's devices by the time of their outcome, with its history.
    private static func rate(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        let (app, id) = (try call.app(), call.parameter("id"))
        guard let curve = try await RateCurveView.read(app: app, id: id, in: core.ledger) else { throw notFound(id) }
        return .json(curve.json)
    }

    /// Returns app and id of the path; the app is nil when the path has none.
    static func key(_ call: Call<APIResponder>) throws -> (app: String?, id: String) {
        (call.parameters["app"] == nil ? nil : try call.app(), call.parameter("id"))
    }

    static func notFound(_ id: String) -> HTTPProblem {
        HTTPProblem(.notFound, "there is no campaign \(NameRule.shown(id))")
    }

    /// Returns a page of the list; `next` is the cursor of the following one.
    private static func list(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow(["app", "tag", "search", "limit", "cursor"], repeated: ["state"])
        let app = try call.query.app()
        if let app { try call.caller.require(app: app) }
        let states = call.query.all("state")
        guard states.allSatisfy(CampaignStatusReader.states.contains) else {
            throw HTTPProblem(.usage, "state is one of \(CampaignStatusReader.states.joined(separator: ", "))")
        }
        let limit = try call.query.number("limit", in: 1...200, default: 50)
        let cursor = try call.query.number("cursor", in: 1...Int(UInt32.max), default: Int(UInt32.max))
        let (tag, search, apps) = (call.query["tag"], try search(call), call.caller.apps)
        let found = try await core.ledger.read { reader in
            try reader.campaigns(
                app: app,
                apps: apps,
                states: states.isEmpty ? nil : Set(states),
                tag: tag,
                search: search,
                before: UInt32(cursor),
                limit: limit
            )
        }
        let rows = try await CampaignStatusReader.rows(found, in: core.ledger)
        let next = found.count == limit ? found.last.map { JSONValue.string(String($0.facts.number)) } : nil
        return .json(["campaigns": .array(rows.map(\.json)), "next": next ?? .null])
    }

    /// The number of characters of a search at most.
    static let searchMax = 64

    /// Returns the text that rows are searched for; nil for none.
    private static func search(_ call: Call<APIResponder>) throws(HTTPProblem) -> String? {
        guard let text = call.query["search"] else { return nil }
        guard (1...searchMax).contains(text.unicodeScalars.count),
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else {
            throw HTTPProblem(.usage, "search is 1 to \(searchMax) characters, none of them a control character")
        }
        return text
    }
}
