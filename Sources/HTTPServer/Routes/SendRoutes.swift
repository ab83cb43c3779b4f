import Campaigns
import HTTPTypes
import HummingbirdCore
import Operations
import Store
import WebServing

/// Pushes to one device or to a user's devices: small urgent campaigns whose body has no audience.
enum SendRoutes {
    static let all: [Route<APIResponder>] = [
        Route(.post, "/v1/sends", .role(.operator), "sendToDevice", send),
        Route(.get, "/v1/sends/{id}", .role(.viewer), "getSend", show),
    ]

    /// The most devices of a campaign whose devices are listed singly: the most that an urgent job names.
    static let devicesMax = 1_000

    // MARK: - Sending

    /// Sends a campaign's job with `device` or `user` in place of `audience`, and with the content that it names.
    private static func send(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow([])
        guard case .object(let members) = try await BodyReader.value(call.request, upTo: BodyReader.jobMax) else {
            throw HTTPProblem(.usage, "the body must be an object")
        }
        let key = CampaignRoutes.idempotencyKey(call)
        let send = SendBody(members, key: key)
        let (body, now) = (JSONWriter.bytes(send.job), core.ledger.now())
        var judgement: JobCoordinator.Judgement
        do {
            judgement = try await JobCoordinator(core: core, caller: call.caller).judge(
                body,
                key: key,
                bringing: send.contentID,
                now: now
            )
        } catch let problem as HTTPProblem {
            throw HTTPProblem(send.translated(problem.document), headers: problem.headers)
        }
        judgement.warnings = judgement.warnings.map(send.translated)
        guard send.problems.isEmpty else {
            throw HTTPProblem(send.refusal(campaign: judgement.job.id, warnings: judgement.warnings))
        }
        // A repeated send changes nothing, its content included.
        if !judgement.isKnown, let content = send.content {
            guard try await content.put(app: judgement.job.app, in: core.ledger) != .ofCampaign else {
                throw HTTPProblem(.wrongState, "a campaign has the id \(content.id), and brings its own content")
            }
        }
        return try await CampaignRoutes.publish(judgement, body, call, core, now)
    }

    // MARK: - Reading

    /// Returns the outcome of a push, with the phones' reports.
    private static func show(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow(["app"])
        let app = try call.query.app()
        if let app { try call.caller.require(app: app) }
        let id = call.parameter("id")
        let view = try await CampaignRoutes.view(app: app, id: id, call.caller, core)
        let number = try await core.ledger.read { try $0.campaignNumber(app: view.app, id: id) }
        // A refused job has no devices.
        var traces: [DeviceTrace] = []
        if let number {
            guard let found = try await core.ledger.traces(campaign: number, devicesMax: devicesMax) else {
                throw HTTPProblem(.wrongState, "\(id) has more than \(devicesMax) devices: see its report")
            }
            traces = found
        }
        return .json([
            "id": .string(id), "app": .string(view.app), "state": .string(view.state),
            "state_reason": view.stateReason.map(JSONValue.string) ?? .null, "kind": .string(view.kind),
            "devices": .array(traces.map { DeviceTraceView($0).deviceJSON }),
        ])
    }
}
