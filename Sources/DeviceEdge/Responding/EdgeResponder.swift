import HTTPTypes
import HummingbirdCore
import Logging
import Settings
import Store
import WebServing

/// The responder for all requests of installations: authenticates by key or secret, limits, and gives refusals one
/// form.
struct EdgeResponder: WebResponder {
    typealias Caller = EdgeCaller
    typealias State = EdgeCore

    /// The credential that a request needs in `Authorization: Bearer …`.
    enum Access: Sendable, Equatable {
        /// None: files for everybody.
        case anybody
        /// The secret that a device received at its registration.
        case device
        /// The device's secret, or an integration key of its app for a device that is not known yet.
        case deviceOrIntegrationKey
    }

    static let headerBytesMax = 16_384

    let state: EdgeCore
    let table: RouteTable<EdgeResponder>
    /// True if the edge has no address of its own and is served at the API's.
    private let isBeside: Bool

    init(_ core: EdgeCore, _ table: RouteTable<EdgeResponder>) {
        state = core
        self.table = table
        isBeside = core.server.configuration.server.edgeListen == nil
    }

    var server: ServerCore { state.server }

    /// Returns the edge's target of a request; nil when the request is not for its routes.
    func ownTarget(of head: HTTPRequest) -> RoutedTarget? {
        if !isBeside, head.method == .get, head.path == "/livez" { return nil }
        let target = target(of: head)
        guard isBeside else { return target }
        switch target {
        case .found(.nothing, _): return nil
        case .malformed where !isOfEdge(head): return nil
        default: return target
        }
    }

    /// Returns true if the path of a target that cannot be decoded begins as one of the edge's, so that the refusal has
    /// the edge's form.
    private func isOfEdge(_ head: HTTPRequest) -> Bool {
        let path = RequestTarget.parts(head.path ?? "/").path
        let segments = RequestTarget.segments(path) ?? path.split(separator: "/").map(String.init)
        if case .nothing = RouteMatch(head.method, segments, among: table.patterns) { return false }
        return true
    }

    /// Answers a request at the edge's own address, which has `/livez` besides the routes.
    func replyAtOwnAddress(to request: Request, from connection: Peer) async -> WebReply<EdgeResponder> {
        guard let target = ownTarget(of: request.head) else { return WebReply(.text("ok\n")) }
        return await reply(to: request, at: target, from: connection)
    }

    /// Returns true if a field `Authorization` has the form of a device's secret or holds an app's integration key.
    func isPlausible(_ authorization: String?) -> Bool {
        guard let text = BearerToken.read(authorization) else { return false }
        return EdgeSecret.isDevices(text) || state.apps.withEdge(integrationKeyHash: EdgeSecret.hash(text)) != nil
    }

    // MARK: - Browsers

    func fields(for request: Request, from caller: EdgeCaller?) -> HTTPFields {
        guard let origin = request.headers[.origin], isSite(origin, of: caller) else { return [:] }
        return CrossOrigin.fields(origin)
    }

    func answer(to request: Request, at methods: [HTTPRequest.Method]) -> HTTPAnswer? {
        guard CrossOrigin.isPreflight(request.head), isSite(request.headers[.origin] ?? "", of: nil) else { return nil }
        return CrossOrigin.preflight(methods)
    }

    /// Returns true if the caller's app has a site at an origin; before the app is known, if any app has.
    private func isSite(_ origin: String, of caller: EdgeCaller?) -> Bool {
        caller?.known.map { $0.edge.webOrigins.contains(origin) } ?? state.apps.haveSite(at: origin)
    }

    // MARK: - Answers

    func refusal(_ error: any Error) -> HTTPAnswer? {
        switch error {
        case let refusal as EdgeRefusal: return refusal.answer
        case let error as HeaderTooLarge:
            let reason = "the header fields have more than \(error.bytesMax) bytes"
            return EdgeRefusal(.requestHeaderFieldsTooLarge, .unexpectedError, reason).answer
        default: return HTTPProblem(error).map { EdgeRefusal($0).answer }
        }
    }

    func failure(request id: String) -> HTTPAnswer {
        let reason = "the server failed; its log says more of request \(id)"
        return EdgeRefusal(.internalServerError, .unexpectedError, reason).answer
    }

    // MARK: - Access

    /// Authenticates a request; a device's requests are limited together, all others by address.
    ///
    /// A path without a route is no secret.
    func admit(_ request: Request, _ facts: inout RequestFacts<EdgeResponder>) async throws {
        guard let access = facts.route?.access else { return }
        if access == .anybody { return facts.caller = .anybody }
        guard let text = BearerToken.read(request.headers[.authorization]) else {
            try limit(state.addressLimiter, facts.peer.bucket)
            throw EdgeRefusal(
                .unauthorized,
                .integrationKeyEmpty,
                "no key was sent: Authorization: Bearer KEY, with an integration key or the device's secret",
                headers: [.wwwAuthenticate: "Bearer realm=\"fanfare\""]
            )
        }
        let hash = EdgeSecret.hash(text)
        if access == .deviceOrIntegrationKey, let app = state.apps.withEdge(integrationKeyHash: hash),
            let edge = app.edge
        {
            // A limit of its own: senders without a key cannot use it up for devices at the same address.
            try limit(state.keyLimiter, app.name + " " + facts.peer.bucket)
            facts.caller = EdgeCaller(known: (app, edge), credential: .integrationKey)
            return
        }
        if EdgeSecret.isDevices(text), let device = try await state.devices.device(secretHash: hash) {
            try limit(state.deviceLimiter, String(device.number))
            guard let app = state.apps.withEdge(named: device.app), let edge = app.edge else {
                throw unknown("the app has no edge any more")
            }
            facts.caller = EdgeCaller(known: (app, edge), credential: .device(device))
            return
        }
        try limit(state.addressLimiter, facts.peer.bucket)
        let isKey = state.apps.withEdge(integrationKeyHash: hash) != nil
        throw unknown(isKey ? "this needs the device's own secret, not an integration key" : "this key is unknown")
    }

    private func unknown(_ reason: String) -> EdgeRefusal { EdgeRefusal(.forbidden, .integrationKeyUnknown, reason) }

    private func limit(_ limiter: RateLimiter, _ name: String) throws(HTTPProblem) {
        try limiter.admit(name) { "too many requests; try again in \($0) s" }
    }

    // MARK: - Log

    func note(_ facts: RequestFacts<EdgeResponder>, _ request: Request, _ status: HTTPResponse.Status) async {
        let path = RequestTarget.shown(request.head.path)
        note(
            Line(method: request.method.rawValue, path: path, peer: facts.peer.text, request: facts.id),
            facts.operation,
            facts.caller?.known?.app.name ?? "",
            status.code,
            facts.took
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
        server.counters.note(operation: operation, status: status, took: took)
        let level: Logger.Level = status < 400 || status == 429 ? .debug : .info
        guard server.logger.logLevel <= level else { return }
        let line = line()
        server.logger.log(
            level: level,
            "\(line.method) \(operation) \(status)",
            metadata: [
                "request": "\(line.request)", "path": "\(line.path)", "app": "\(app)",
                "peer": "\(line.peer)", "took": "\(took)",
            ]
        )
    }
}
