import Campaigns
import Fleet
import HTTPTypes
import HummingbirdCore
import Store

/// A push to one device: an urgent campaign of one, with a body that has no audience.
enum SendRoutes {
    static let all = [Route(.post, "/v1/sends", .role(.operator), "sendToDevice", send)]

    /// The job as for campaigns, with `device` in place of `audience`.
    private static func send(_ call: Call, _ core: ServerCore) async throws -> Answer {
        try call.query.allow([])
        guard case .object(let members) = try await BodyReader.value(call) else {
            throw HTTPProblem(.usage, "the body is to be an object")
        }
        let job = try OneDeviceJob.job(members)
        return try await CampaignRoutes.publish(JSONWriter.bytes(job), call, core)
    }
}

/// Makes a job of a body for one device; pure.
enum OneDeviceJob {
    static func job(_ members: [JSONMember]) throws(HTTPProblem) -> JSONValue {
        guard let device = members.first(where: { $0.name == "device" })?.value else {
            throw refusal("/device", .required, "the device is missing", "add device with its token")
        }
        guard !members.contains(where: { $0.name == "audience" }) else {
            throw refusal("/audience", .conflict, "device and audience exclude each other", "leave audience out")
        }
        var job = members.filter { $0.name != "device" }
        job.append(JSONMember("audience", ["devices": [device]]))
        guard let place = job.firstIndex(where: { $0.name == "delivery" }) else {
            job.append(JSONMember("delivery", ["urgency": "urgent"]))
            return .object(job)
        }
        if case .object(let delivery) = job[place].value, !delivery.contains(where: { $0.name == "urgency" }) {
            job[place].value = .object(delivery + [JSONMember("urgency", "urgent")])
        }
        return .object(job)
    }

    private static func refusal(
        _ pointer: String,
        _ code: ProblemCode,
        _ detail: String,
        _ mend: String
    ) -> HTTPProblem {
        let problem = Problem(pointer: pointer, code: code, detail: detail, mend: mend)
        return HTTPProblem(ProblemDocument(.invalidJob, title: "The push cannot be sent", errors: [problem]))
    }
}
