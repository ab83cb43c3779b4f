import Campaigns
import Delivery
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Settings
import Store

/// The context of a request: the connection that it came on.
struct FrontContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}

/// The responder for all requests: authenticates, limits, dispatches, and gives every problem one form.
struct Front: HTTPResponder {
    typealias Context = FrontContext

    let core: ServerCore
    let routes: [Route]

    /// Without the API's role, only probes are served.
    init(core: ServerCore) {
        self.core = core
        let servesAPI = core.configuration.server.roles.contains(.api)
        routes = servesAPI ? DashboardRoutes.all + RouteTable.all : ProbeRoutes.ofProcess
    }

    static let requestID = HTTPField.Name("X-Request-ID")

    func respond(to request: Request, context: FrontContext) async throws -> Response {
        let responder = EdgeResponder(core: core)
        let connection = core.peers.peer(context.channel)
        if core.servesEdgeBeside, let target = responder.target(of: request.head) {
            return await responder.reply(to: request, at: target, peer: connection).response
        }
        let peer = core.peers.client(request.headers, connection)
        let began = ContinuousClock.now
        let id = Self.identity(request)
        var seen = Seen()
        var answer: Answer
        do {
            answer = try await self.answer(request, peer, &seen)
        } catch {
            if HTTPProblem(error) == nil {
                core.logger.error("a request failed", metadata: ["request": "\(id)", "error": "\(error)"])
            }
            answer = Answer(HTTPProblem(error) ?? HTTPProblem(.failed, "the server failed; its log says more"))
        }
        Self.complete(&answer, id: id)
        if core.configuration.server.certificateFile != nil {
            answer.headers[.strictTransportSecurity] = "max-age=31536000"
        }
        let took = ContinuousClock.now - began
        core.counters.note(operation: seen.operation, status: answer.status.code, took: took)
        note(request, peer, seen, id, answer.status, took)
        await audit(request, peer, seen, id, answer.status)
        let response = Response(status: answer.status, headers: answer.headers, body: answer.body)
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// Adds the fields that every answer has.
    static func complete(_ answer: inout Answer, id: String?) {
        if let id, let name = requestID { answer.headers[name] = id }
        answer.headers[.xContentTypeOptions] = "nosniff"
        if answer.headers[.cacheControl] == nil { answer.headers[.cacheControl] = "no-store" }
    }

    /// Facts about a request, for metrics and the log.
    private struct Seen {
        var operation = "none"
        var caller: Caller?
        /// True if the operation needs more than the viewer's role and is not a GET.
        var changesSomething = false
    }

    private func answer(_ request: Request, _ peer: Peer, _ seen: inout Seen) async throws -> Answer {
        let target = RequestTarget.parts(request.head.path ?? "/")
        guard let segments = RequestTarget.segments(target.path), let pairs = RequestTarget.query(target.query)
        else { throw HTTPProblem(.usage, "the request's target is not well formed") }
        let match = RouteTable.match(request.method, segments, among: routes)
        if case .route(let route, let parameters) = match {
            seen.operation = route.operation
            seen.changesSomething = route.access != .role(.viewer) && route.method != .get
            if route.access == .open {
                return try await route.handler(
                    Call(request: request, parameters: parameters, query: Query(pairs), caller: .nobody),
                    core
                )
            }
        }
        // Before anything else is revealed, even the path's existence.
        let caller = try await caller(request, peer)
        seen.caller = caller
        switch match {
        case .route(let route, let parameters):
            if case .role(let role) = route.access { try caller.require(role) }
            let call = Call(request: request, parameters: parameters, query: Query(pairs), caller: caller)
            return try await route.handler(call, core)
        case .otherMethod(let methods):
            let allowed = methods.map(\.rawValue).joined(separator: ", ")
            throw HTTPProblem(.methodNotAllowed, "this path takes \(allowed)", headers: [.allow: allowed])
        case .nothing: throw HTTPProblem(.notFound, "there is nothing at this path")
        }
    }

    /// Authenticates a request; a token's requests are limited together, others by their address.
    private func caller(_ request: Request, _ peer: Peer) async throws -> Caller {
        let claim = Gate.Claim(
            authorization: request.headers[.authorization],
            host: request.head.authority,
            origin: request.headers[.origin]
        )
        do throws(HTTPProblem) {
            let caller = try core.gate.caller(claim, now: core.ledger.now())
            try limit(core.gate.tokens == nil ? "address \(peer.bucket)" : "token \(caller.name)")
            return caller
        } catch {
            if error.document.kind == .unauthorized { try limit("address \(peer.bucket)") }
            throw error
        }
    }

    private func limit(_ name: String) throws(HTTPProblem) {
        guard let wait = core.limiter.take(name, now: .now) else { return }
        let seconds = max(1, wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0))
        throw HTTPProblem(
            .tooManyRequests,
            "more than \(core.configuration.server.requestsPerSecond) requests a second",
            headers: [.retryAfter: String(seconds)]
        )
    }

    /// Returns the client's own id of the request if it is short and plain, otherwise a generated one.
    static func identity(_ request: Request) -> String {
        identity(given: requestID.flatMap { request.headers[$0] })
    }

    /// Returns the id by the one that the client gave.
    static func identity(given: String?) -> String {
        if let given, NameRule.isID(given) { return given }
        return String(UInt64.random(in: 0 ... .max), radix: 16)
    }

    /// Records an operation that changes something, done or attempted, in the audit log; reads are only logged.
    private func audit(
        _ request: Request,
        _ peer: Peer,
        _ seen: Seen,
        _ id: String,
        _ status: HTTPResponse.Status
    ) async {
        guard seen.changesSomething, let caller = seen.caller else { return }
        let entry = AuditEntry(
            at: core.ledger.now(),
            actor: caller.name,
            role: caller.role.rawValue,
            peer: peer.text,
            operation: seen.operation,
            path: Self.path(request),
            status: status.code,
            request: id
        )
        do throws(LedgerError) {
            try await core.ledger.write { try $0.audit(entry) }
        } catch {
            core.logger.error("the audit log lacks a request", metadata: ["request": "\(id)", "error": "\(error)"])
        }
    }

    static func path(_ request: Request) -> String {
        String(RequestTarget.parts(request.head.path ?? "").path.prefix(512))
    }

    /// Logs a request: the path without the query, which may contain people's names; nothing of headers and bodies.
    private func note(
        _ request: Request,
        _ peer: Peer,
        _ seen: Seen,
        _ id: String,
        _ status: HTTPResponse.Status,
        _ took: Duration
    ) {
        let isProbe = seen.caller == nil && status.code < 400
        core.logger.log(
            level: isProbe ? .debug : .info,
            "\(request.method.rawValue) \(seen.operation) \(status.code)",
            metadata: [
                "request": "\(id)", "path": "\(Self.path(request))",
                "caller": "\(seen.caller?.name ?? "nobody")", "peer": "\(peer.text)", "took": "\(took)",
            ]
        )
    }
}
