import Campaigns
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Settings
import Store

/// The responder for all requests of installations: authenticates, limits, dispatches, and gives refusals one form.
struct EdgeResponder: Sendable {
    /// The most bytes of names and values of all header fields together.
    static let headerBytesMax = 16_384

    let core: ServerCore
    var routes = EdgeRoutes.all

    /// Returns the edge's target of a request; nil when the request is not for the edge.
    func target(of head: HTTPRequest) -> EdgeTarget? {
        let target = EdgeTarget(head, among: routes)
        if core.servesEdgeBeside {
            switch target {
            case .found(.nothing, _): return nil
            case .malformed where !EdgeTarget.isEdges(head): return nil
            default: break
            }
        } else if head.method == .get, head.path == "/livez" {
            return nil
        }
        return target
    }

    /// Returns true if a field `Authorization` has the form of a device's secret or holds an app's integration key.
    func isPlausible(_ authorization: String?) -> Bool {
        guard let text = Gate.bearer(authorization) else { return false }
        return EdgeSecret.isDevices(text) || core.edge.app(integrationKeyHash: EdgeSecret.hash(text)) != nil
    }

    /// Answers a request; `peer` is the other end of its connection.
    func reply(to request: Request, at target: EdgeTarget, peer: Peer) async -> EdgeReply {
        let began = ContinuousClock.now
        let id = Front.identity(request)
        var seen = Seen()
        var answer: Answer
        let peer = core.peers.client(request.headers, peer)
        do {
            answer = try await self.answer(request, target, peer, &seen)
        } catch {
            answer = refusal(error, id: id).answer
        }
        Front.complete(&answer, id: id)
        let line = Line(method: request.method.rawValue, path: Front.path(request), peer: peer.text, request: id)
        note(line, seen.operation, seen.app, answer.status.code, ContinuousClock.now - began)
        let response = Response(status: answer.status, headers: answer.headers, body: answer.body)
        guard request.method != .head else {
            return EdgeReply(response: response.createHeadResponse(), isDevices: seen.isDevices)
        }
        return EdgeReply(response: response, isDevices: seen.isDevices, shared: answer.shared)
    }

    /// Facts about a request, for metrics and the log.
    private struct Seen {
        var operation = "none"
        var app = ""
        /// True if the request showed a device's secret.
        var isDevices = false
    }

    private func refusal(_ error: any Error, id: String) -> EdgeRefusal {
        if let refusal = error as? EdgeRefusal { return refusal }
        if let problem = HTTPProblem(error) { return EdgeRefusal(problem) }
        core.logger.error("a request failed", metadata: ["request": "\(id)", "error": "\(error)"])
        return EdgeRefusal(
            .internalServerError,
            .unexpectedError,
            "the server failed; its log says more of request \(id)"
        )
    }

    private func answer(
        _ request: Request,
        _ target: EdgeTarget,
        _ peer: Peer,
        _ seen: inout Seen
    ) async throws -> Answer {
        guard case .found(let match, let query) = target else {
            throw EdgeRefusal(.badRequest, .unexpectedError, "the request's target is not well formed")
        }
        let size = request.headers.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }
        guard size <= Self.headerBytesMax else {
            let reason = "the header fields have more than \(Self.headerBytesMax) bytes"
            throw EdgeRefusal(.requestHeaderFieldsTooLarge, .unexpectedError, reason)
        }
        switch match {
        case .route(let route, let parameters):
            seen.operation = route.operation
            let (app, edge, caller) = try await caller(request, peer, route.access)
            seen.app = app.name
            if case .device = caller { seen.isDevices = true }
            let call = EdgeCall(
                request: request,
                parameters: parameters,
                query: query,
                app: app,
                edge: edge,
                caller: caller
            )
            return try await route.handler(call, core)
        case .otherMethod(let methods):
            let allowed = methods.map(\.rawValue).joined(separator: ", ")
            let reason = "this path takes \(allowed)"
            throw EdgeRefusal(.methodNotAllowed, .unexpectedError, reason, headers: [.allow: allowed])
        case .nothing: throw EdgeRefusal(.notFound, .unexpectedError, "there is nothing at this path")
        }
    }

    /// Authenticates a request; a device's requests are limited together, all others by address.
    private func caller(
        _ request: Request,
        _ peer: Peer,
        _ access: EdgeRoute.Access
    ) async throws -> (AppConfiguration, EdgeConfiguration, EdgeCaller) {
        guard let text = Gate.bearer(request.headers[.authorization]) else {
            try limit(core.edge.addressLimiter, peer.bucket)
            throw EdgeRefusal(
                .unauthorized,
                .integrationKeyEmpty,
                "no key was sent: Authorization: Bearer KEY, with an integration key or the device's secret",
                headers: [.wwwAuthenticate: "Bearer realm=\"fanfare\""]
            )
        }
        let hash = EdgeSecret.hash(text)
        if access == .deviceOrIntegrationKey, let app = core.edge.app(integrationKeyHash: hash), let edge = app.edge {
            // A limit of its own: senders without a key cannot use it up for devices at the same address.
            try limit(core.edge.keyLimiter, app.name + " " + peer.bucket)
            return (app, edge, .integrationKey)
        }
        if EdgeSecret.isDevices(text), let device = try await core.edge.devices.device(secretHash: hash) {
            try limit(core.edge.deviceLimiter, String(device.number))
            if let app = core.edge.app(named: device.app), let edge = app.edge { return (app, edge, .device(device)) }
            throw unknown("the app has no edge any more")
        }
        try limit(core.edge.addressLimiter, peer.bucket)
        let isKey = core.edge.app(integrationKeyHash: hash) != nil
        throw unknown(isKey ? "this needs the device's own secret, not an integration key" : "this key is unknown")
    }

    private func unknown(_ reason: String) -> EdgeRefusal { EdgeRefusal(.forbidden, .integrationKeyUnknown, reason) }

    private func limit(_ limiter: RateLimiter, _ name: String) throws(EdgeRefusal) {
        guard let wait = limiter.take(name, now: .now) else { return }
        let seconds = max(1, wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0))
        throw EdgeRefusal(
            .tooManyRequests,
            .tooManyRequests,
            "too many requests; try again in \(seconds) s",
            headers: [.retryAfter: String(seconds)]
        )
    }

    /// A request's facts for the log besides its outcome; nothing of headers and bodies.
    struct Line {
        let method: String
        let path: String
        let peer: String
        let request: String
    }

    /// Counts and logs an answered request; millions of successes log at debug only, since the metrics count them.
    func note(_ line: @autoclosure () -> Line, _ operation: String, _ app: String, _ status: Int, _ took: Duration) {
        core.counters.note(operation: operation, status: status, took: took)
        let level: Logger.Level = status < 400 || status == 429 ? .debug : .info
        guard core.logger.logLevel <= level else { return }
        let line = line()
        core.logger.log(
            level: level,
            "\(line.method) \(operation) \(status)",
            metadata: [
                "request": "\(line.request)", "path": "\(line.path)", "app": "\(app)",
                "peer": "\(line.peer)", "took": "\(took)",
            ]
        )
    }
}

/// An answer of the edge, with facts for its connection.
struct EdgeReply: Sendable {
    var response: Response
    /// True if the request showed a device's secret.
    var isDevices = false
    /// The owner of the body's bytes when other answers share them.
    var shared: SharedContent?
}

/// The responder of the edge's own address (`server.edge_listen`): the edge's routes and `/livez` only.
struct EdgeFront: HTTPResponder {
    typealias Context = FrontContext

    let responder: EdgeResponder

    func respond(to request: Request, context: FrontContext) async throws -> Response {
        await reply(to: request, peer: responder.core.peers.peer(context.channel)).response
    }

    func reply(to request: Request, peer: Peer) async -> EdgeReply {
        if let target = responder.target(of: request.head) {
            return await responder.reply(to: request, at: target, peer: peer)
        }
        let answer = Answer.text("ok\n")
        return EdgeReply(response: Response(status: answer.status, headers: answer.headers, body: answer.body))
    }
}
