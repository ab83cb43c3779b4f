import Campaigns
import HTTPTypes
import HummingbirdCore
import Logging
import Operations
import Settings
import Store
import Transport
import WebServing

/// The responder of the API: authenticates by access token, limits, and gives every problem one form.
struct APIResponder: WebResponder {
    typealias Caller = HTTPServer.Caller
    typealias State = APICore

    /// The right to use a route.
    enum Access: Sendable, Equatable {
        /// Everybody, without a token: probes.
        case open
        /// Callers with this role or a higher one.
        case role(Role)
    }

    /// The decoder alone limits heads.
    static let headerBytesMax = Int.max

    let state: APICore
    let table: RouteTable<APIResponder>

    init(_ core: APICore, _ table: RouteTable<APIResponder>) {
        state = core
        self.table = table
    }

    var server: ServerCore { state.server }

    func fields(for request: Request, from caller: Caller?) -> HTTPFields {
        server.configuration.server.certificateFile == nil ? [:] : [.strictTransportSecurity: "max-age=31536000"]
    }

    /// Authenticates a request; a token's requests are limited together, others by their address.
    func admit(_ request: Request, _ facts: inout RequestFacts<APIResponder>) async throws {
        if facts.route?.access == .open { return facts.caller = .nobody }
        let claim = Gate.Claim(
            authorization: request.headers[.authorization],
            host: request.head.authority,
            origin: request.headers[.origin]
        )
        do throws(HTTPProblem) {
            let caller = try state.gate.caller(claim, now: state.ledger.now())
            try limit(state.gate.tokens == nil ? "address \(facts.peer.bucket)" : "token \(caller.name)")
            facts.caller = caller
        } catch {
            if error.document.kind == .unauthorized { try limit("address \(facts.peer.bucket)") }
            throw error
        }
        if case .role(let role) = facts.route?.access { try facts.caller?.require(role) }
    }

    private func limit(_ name: String) throws(HTTPProblem) {
        try state.limiter.admit(name) { _ in
            "more than \(server.configuration.server.requestsPerSecond) requests a second"
        }
    }

    func refusal(_ error: any Error) -> HTTPAnswer? { problem(error).map { HTTPAnswer($0) } }

    func failure(request id: String) -> HTTPAnswer {
        HTTPAnswer(HTTPProblem(.failed, "the server failed; its log says more"))
    }

    private func problem(_ error: any Error) -> HTTPProblem? {
        switch error {
        case let error as AMQPConnectError: HTTPProblem(unavailable: "\(error)")
        case CampaignProducer.Failure.forbidden: HTTPProblem(.forbidden, "\(error)")
        case let error as CampaignProducer.Failure: HTTPProblem(unavailable: error.description)
        default: HTTPProblem(error)
        }
    }

    /// Logs a request, and notes in the audit log what changes something, done or attempted.
    func note(_ facts: RequestFacts<APIResponder>, _ request: Request, _ status: HTTPResponse.Status) async {
        let took = facts.took
        server.counters.note(operation: facts.operation, status: status.code, took: took)
        // The path without the query, which may contain people's names; nothing of headers and bodies.
        let path = RequestTarget.shown(request.head.path)
        let caller = facts.caller ?? .nobody
        server.logger.log(
            level: caller == .nobody && status.code < 400 ? .debug : .info,
            "\(request.method.rawValue) \(facts.operation) \(status.code)",
            metadata: [
                "request": "\(facts.id)", "path": "\(path)", "caller": "\(caller.name)", "peer": "\(facts.peer.text)",
                "took": "\(took)",
            ]
        )
        guard let route = facts.route, route.access != .role(.viewer), route.pattern.method != .get, caller != .nobody
        else { return }
        let entry = AuditEntry(
            at: state.ledger.now(),
            actor: caller.name,
            role: caller.role.rawValue,
            peer: facts.peer.text,
            operation: facts.operation,
            path: path,
            status: status.code,
            request: facts.id
        )
        do throws(LedgerError) {
            try await state.ledger.write { try $0.audit(entry) }
        } catch {
            let metadata: Logger.Metadata = ["request": "\(facts.id)", "error": "\(error)"]
            server.logger.error("the audit log lacks a request", metadata: metadata)
        }
    }
}

extension Call<APIResponder> {
    /// Returns the path's app; throws 404 unless the caller may use it.
    func app() throws(HTTPProblem) -> String {
        let app = parameter("app")
        guard NameRule.isApp(app) else { throw HTTPProblem(.notFound, "there is no app of this name") }
        try caller.require(app: app)
        return app
    }
}
