import Foundation
import Seeds

@testable import FanfareKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A model of the edge for what no real server does on command: it is away, loses its answers, never answers.
///
/// It reads what phones say with the edge's own decoders, and refuses what that refuses.
/// What it counts it counts as the server does: by event id.
actor FarSide {
    /// How it is today.
    enum Mood {
        case well
        /// Not reachable: nothing arrives.
        case away
        /// Takes what comes, and the answer is lost.
        case losesAnswers
        /// Takes what comes; no answer comes while the app lives.
        case neverAnswers
        /// Each of the above, by chance, and now and then too busy.
        case moody
        /// Answers everything with this status.
        case says(Int, [String: JSON])
    }

    private var mood = Mood.well
    private var random: SeededRandom
    /// Events by their ids, and how often each came.
    private(set) var counted: [String: Int] = [:]
    /// Events in the order in which they came first.
    private(set) var events: [[String: JSON]] = []
    /// Why bodies were refused.
    private(set) var refusals: [String] = []
    /// Methods and paths, with what was said.
    private(set) var requests: [EdgeRequest] = []
    private var answers: [String: (type: String, body: Data, tag: String)] = [:]
    private var served = 0
    private var messages: [JSON] = []
    /// More members of the answer to a session.
    private var besides: [String: JSON] = [:]
    private var sessionBody: Data?
    private var sessionTag = "\"one\""
    private let secret = "device-secret"

    init(seed: UInt64 = 1) {
        random = SeededRandom(seed: seed)
    }

    func be(_ mood: Mood) { self.mood = mood }

    /// Content of an id.
    func serve(_ id: String, type: String, _ body: Data) {
        served += 1
        answers[id] = (type, body, "\"\(served)\"")
    }

    /// Messages that sessions are offered.
    func offer(_ messages: [JSON], tag: String, besides: [String: JSON] = [:]) {
        (self.messages, self.besides, sessionTag) = (messages, besides, tag)
    }

    /// The bytes that sessions are answered with.
    func answerSessions(_ body: Data, tag: String) { (sessionBody, sessionTag) = (body, tag) }

    /// Requests of a method and path; what was said before is forgotten.
    func taken(_ method: String, _ path: String) -> [EdgeRequest] {
        let found = requests.filter { $0.method == method && $0.path.hasPrefix(path) }
        requests = []
        return found
    }

    func send(_ request: EdgeRequest) async throws -> EdgeReply {
        requests.append(request)
        let now: Mood
        if case .moody = mood {
            now =
                [.well, .away, .losesAnswers, .says(503, [:]), .says(429, ["reason": .string("busy")])][random.below(5)]
        } else {
            now = mood
        }
        switch now {
        case .away: throw URLError(.notConnectedToInternet)
        case .says(let status, let body): return reply(status, .object(body))
        case .losesAnswers:
            _ = try answer(request)
            throw URLError(.networkConnectionLost)
        case .neverAnswers:
            _ = try answer(request)
            // As long as the test lives; the app is killed meanwhile.
            await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            throw URLError(.cancelled)
        case .well, .moody: return try answer(request)
        }
    }

    private func reply(_ status: Int, _ body: JSON, _ headers: [String: String] = [:]) -> EdgeReply {
        EdgeReply(status: status, headers: headers, body: (try? JSONEncoder().encode(body)) ?? Data())
    }

    private func answer(_ request: EdgeRequest) throws -> EdgeReply {
        if let (reason, pointer) = EdgeRules.refusal(request.method, request.path, request.body ?? Data()) {
            refusals.append(reason)
            let body = ["status": "unexpected_error", "reason": reason, "pointer": pointer]
            return reply(422, .object(body.mapValues(JSON.string)))
        }
        let body = try request.body.map { try JSONDecoder().decode(JSON.self, from: $0) }
        switch (request.method, request.path.split(separator: "/").dropFirst().first.map(String.init)) {
        case ("PUT", "devices"):
            let isNew = request.bearer == "key"
            return reply(isNew ? 201 : 200, .object(isNew ? ["device_secret": .string(secret)] : [:]))
        case ("DELETE", "devices"): return reply(204, .null)
        case ("POST", "tracking"):
            for event in body?["events"]?.array ?? [] {
                guard let id = event["id"]?.string, let members = event.object else { return reply(422, .null) }
                counted[id, default: 0] += 1
                if counted[id] == 1 { events.append(members) }
            }
            return reply(202, .null)
        case ("POST", "polls"): return reply(202, .null)
        case ("POST", "sessions"):
            guard request.headers["if-none-match"] != sessionTag else { return reply(304, .null) }
            if let sessionBody { return EdgeReply(status: 200, headers: ["etag": sessionTag], body: sessionBody) }
            return reply(
                200,
                .object(besides.merging(["messages": .array(messages)]) { $1 }),
                ["etag": sessionTag]
            )
        case ("GET", "messages"):
            guard let (type, data, tag) = answers[String(request.path.split(separator: "/").last ?? "")] else {
                return reply(404, .null)
            }
            guard request.headers["if-none-match"] != tag else { return reply(304, .null) }
            return EdgeReply(status: 200, headers: ["content-type": type, "etag": tag], body: data)
        default: return reply(404, .null)
        }
    }
}
