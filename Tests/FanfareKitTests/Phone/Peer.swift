import Foundation
import Seeds

@testable import FanfareKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A model of the edge with faults that no real server has on demand: unreachable, losing its answers, never answering.
///
/// It authorizes requests like the edge, and reads them with the edge's own decoders and rules: whatever those refuse
/// is refused. It counts as the server does: by event id.
actor Peer {
    /// The server's current behavior.
    enum Mood {
        case well
        /// Not reachable: nothing arrives.
        case away
        /// Requests are processed, and the answers are lost.
        case losesAnswers
        /// Requests are processed; no answer comes while the app lives.
        case neverAnswers
        /// Any of the above, at random, and sometimes too busy.
        case moody
        /// Every request is answered with this status.
        case says(Int, [String: JSON])
    }

    private var mood = Mood.well
    private var random: SeededRandom
    /// The number of arrivals of each event, by its id.
    private(set) var counted: [String: Int] = [:]
    /// Events in the order of their first arrival.
    private(set) var events: [[String: JSON]] = []
    /// The reasons of refused bodies.
    private(set) var refusals: [String] = []
    /// The received requests.
    private(set) var requests: [EdgeRequest] = []
    private var contents: [String: Content] = [:]
    /// The known devices by their ids.
    private(set) var devices: [String: Device] = [:]
    /// The app's back end's tokens for users, by user key; nil if the app requires none.
    private var vouched: [String: String]?
    private var served = 0
    private var secrets = 0
    private var messages: [JSON] = []
    /// More members of the answer to a session.
    private var besides: [String: JSON] = [:]
    private var sessionBody: Data?
    private var sessionTag = "\"one\""

    /// The app's integration key.
    static let key = "key"

    /// A device that has registered.
    struct Device {
        var secret: String
        var token: String?
        var user: String?
    }

    private struct Content {
        let type: String
        let body: Data
        let tag: String
        /// True for a campaign's own content, for holders of the signed id of its push.
        let isCampaigns: Bool
    }

    init(seed: UInt64 = 1) {
        random = SeededRandom(seed: seed)
    }

    func be(_ mood: Mood) { self.mood = mood }

    /// Serves content under an id, an operator's or that of the campaign of this name.
    func serve(_ id: String, type: String, _ body: Data, isCampaigns: Bool = false) {
        served += 1
        contents[id] = Content(type: type, body: body, tag: "\"\(served)\"", isCampaigns: isCampaigns)
    }

    /// Accepts a user only with the back end's token from now on.
    func vouch(_ words: [String: String]) { vouched = words }

    /// Imports the devices of another server, as a tracking server beside the edge does.
    func learn(_ devices: [String: Device]) { self.devices = devices }

    /// Sets the messages that sessions are offered.
    func offer(_ messages: [JSON], tag: String, besides: [String: JSON] = [:]) {
        (self.messages, self.besides, sessionTag) = (messages, besides, tag)
    }

    /// Sets the bytes with which sessions are answered.
    func answerSessions(_ body: Data, tag: String) { (sessionBody, sessionTag) = (body, tag) }

    /// Returns and forgets the received requests with a method and path.
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
        if let refusal = refusal(request) {
            refusals.append(refusal.reason)
            var body = ["status": refusal.word, "reason": refusal.reason]
            body["pointer"] = refusal.pointer
            return reply(refusal.status, .object(body.mapValues(JSON.string)))
        }
        let body = try request.body.map { try JSONDecoder().decode(JSON.self, from: $0) }
        switch (request.method, request.kind) {
        case ("PUT", "devices"): return registered(request, body)
        case ("DELETE", "devices"):
            devices[request.id] = nil
            return reply(200, .object(["status": .string("forgotten")]))
        case ("POST", "tracking"):
            for event in body?["events"]?.array ?? [] {
                guard let id = event["id"]?.string, let members = event.object else { return reply(422, .null) }
                counted[id, default: 0] += 1
                if counted[id] == 1 { events.append(members) }
            }
            return reply(202, .object(["status": .string("accepted")]))
        case ("POST", "polls"): return reply(202, .object(["status": .string("accepted")]))
        case ("POST", "sessions"):
            guard !EdgeRules.names(request.headers["if-none-match"], sessionTag) else { return reply(304, .null) }
            if let sessionBody { return EdgeReply(status: 200, headers: ["etag": sessionTag], body: sessionBody) }
            return reply(
                200,
                .object(besides.merging(["messages": .array(messages)]) { $1 }),
                ["etag": sessionTag]
            )
        case ("GET", "messages"):
            guard let content = contents[request.id] else { return reply(404, .null) }
            guard !EdgeRules.names(request.headers["if-none-match"], content.tag) else { return reply(304, .null) }
            let headers = ["content-type": content.type, "etag": content.tag]
            return EdgeReply(status: 200, headers: headers, body: content.body)
        default: return reply(404, .null)
        }
    }

    private func registered(_ request: EdgeRequest, _ body: JSON?) -> EdgeReply {
        var said: [String: JSON] = ["status": .string("registered")]
        let isNew = devices[request.id] == nil
        if request.bearer == Self.key {
            secrets += 1
            let name = "device-secret-\(secrets)-"
            let secret = name + String(repeating: "A", count: 43 - name.utf8.count)
            devices[request.id, default: Device(secret: secret)].secret = secret
            said["device_secret"] = .string(secret)
        }
        if let token = body?["token"]?.string { devices[request.id]?.token = token }
        if let user = body?["user"] { devices[request.id]?.user = user.string }
        return reply(isNew ? 201 : 200, .object(said))
    }

    // MARK: - Refusals

    private func refusal(_ request: EdgeRequest) -> EdgeRules.Refusal? {
        stranger(request) ?? fault(request)
    }

    /// Returns the reason why a sender is not authorized: no key, an unknown key, or another device's.
    private func stranger(_ request: EdgeRequest) -> EdgeRules.Refusal? {
        guard !request.bearer.isEmpty else {
            return EdgeRules.Refusal(status: 401, word: "integration_key_empty", reason: "no key was sent")
        }
        if request.bearer == Self.key {
            guard (request.method, request.kind) == ("PUT", "devices") else {
                return .unknown("this needs the device's own secret, not an integration key")
            }
            return nil
        }
        guard EdgeRules.isSecret(request.bearer),
            let owner = devices.first(where: { $0.value.secret == request.bearer })?.key
        else { return .unknown("this key is unknown") }
        guard request.kind != "devices" || request.id == owner else {
            return .unknown("this secret belongs to another device")
        }
        return nil
    }

    /// Returns the fault of an authorized request.
    private func fault(_ request: EdgeRequest) -> EdgeRules.Refusal? {
        let body = request.body ?? Data()
        switch (request.method, request.kind) {
        case ("PUT", "devices"): return registrationFault(request, body)
        case ("DELETE", "devices"): return nil
        case ("POST", "tracking"): return EdgeRules.tracking(body)
        case ("POST", "polls"): return EdgeRules.answers(body, to: request.id, contents[request.id]?.body)
        case ("POST", "sessions"): return EdgeRules.session(body)
        case ("GET", "messages"):
            let isCampaigns = contents[request.id]?.isCampaigns ?? false
            let shown = request.headers["fanfare-message"]
            return EdgeRules.opens(request.id, ofCampaign: isCampaigns, shown: shown) ? nil : .noContent
        default: return EdgeRules.Refusal(status: 404, reason: "there is nothing at this path")
        }
    }

    private func registrationFault(_ request: EdgeRequest, _ body: Data) -> EdgeRules.Refusal? {
        if let refusal = EdgeRules.registration(body, id: request.id) { return refusal }
        let user = (try? JSONDecoder().decode(JSON.self, from: body))?["user"]?.string
        let isVouched = user != nil && vouched?[user ?? ""] == request.userProof && request.userProof != nil
        if vouched != nil, user != nil, !isVouched {
            let reason = "a user needs a token of the app's back end"
            return EdgeRules.Refusal(status: 403, word: "user_not_verified", reason: reason, pointer: "/user")
        }
        guard request.bearer == Self.key, let known = devices[request.id],
            EdgeRules.isAnothers(body, token: known.token, user: known.user, provenUser: isVouched ? user : nil)
        else { return nil }
        return EdgeRules.Refusal(status: 409, word: "device_exists", reason: "this id belongs to another installation")
    }
}

extension EdgeRequest {
    /// The first path component, such as `devices`, `tracking`, `polls`, `sessions` or `messages`, if the edge has it.
    fileprivate var kind: String? {
        let words = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard words.count >= 3, words[0].isEmpty, words[1] == "v1" else { return nil }
        switch (words[2], words.count) {
        case ("devices", 4), ("messages", 4), ("tracking", 3), ("sessions", 3): return words[2]
        case ("polls", 5): return words[4] == "answers" ? words[2] : nil
        default: return nil
        }
    }

    /// The name in the path.
    fileprivate var id: String {
        let words = path.split(separator: "/", omittingEmptySubsequences: false)
        return words.count > 3 ? words[3].removingPercentEncoding ?? "" : ""
    }
}
