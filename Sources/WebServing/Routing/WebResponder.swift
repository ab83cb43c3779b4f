import Campaigns
package import HTTPTypes
package import HummingbirdCore
import Logging
import Transport

/// A responder with a table of routes: the API, or the edge.
package protocol WebResponder: Sendable {
    /// The right that a route demands.
    associatedtype Access: Sendable, Equatable
    /// The sender of a request.
    associatedtype Caller: Sendable
    /// The state that the routes share.
    associatedtype State: Sendable

    /// The most bytes of names and values of all header fields together.
    static var headerBytesMax: Int { get }

    var server: ServerCore { get }
    var state: State { get }
    var table: RouteTable<Self> { get }
    /// Returns fields of an answer, besides those of every responder; `caller` is nil until the request is admitted.
    func fields(for request: Request, from caller: Caller?) -> HTTPFields

    /// Returns the answer to a request whose path takes only other methods; nil for a refusal.
    func answer(to request: Request, at methods: [HTTPRequest.Method]) -> HTTPAnswer?

    /// Authenticates a request and limits its sender; notes the caller as soon as it is known.
    ///
    /// Throws the refusal. A request without a route may stay without a caller.
    func admit(_ request: Request, _ facts: inout RequestFacts<Self>) async throws

    /// Returns the answer to an error that a handler or the dispatcher threw; nil for defects of ours.
    func refusal(_ error: any Error) -> HTTPAnswer?

    /// Returns the answer after a defect of ours, which the log describes.
    func failure(request id: String) -> HTTPAnswer

    /// Counts and logs an answered request.
    func note(_ facts: RequestFacts<Self>, _ request: Request, _ status: HTTPResponse.Status) async
}

/// Facts about a request, for metrics and the log.
package struct RequestFacts<Responder: WebResponder>: Sendable {
    package let id: String
    /// The client, by whose address the request is limited.
    package let peer: Peer
    let began = ContinuousClock.now
    /// Nil until the route is found, or without one.
    package internal(set) var route: Route<Responder>?
    /// Nil until the request is admitted.
    package var caller: Responder.Caller?

    /// The route's operation.
    package var operation: String { route?.operation ?? "none" }
    /// The time that the answer took.
    package var took: Duration { ContinuousClock.now - began }
}

/// An answer with facts for its connection.
package struct WebReply<Responder: WebResponder>: Sendable {
    let answer: HTTPAnswer
    /// True if the body is left out.
    var isForHead = false
    package internal(set) var caller: Responder.Caller?

    package init(_ answer: HTTPAnswer) { self.answer = answer }

    /// The answer as Hummingbird writes it.
    package var response: Response {
        let response = Response(status: answer.status, headers: answer.headers, body: answer.body)
        return isForHead ? response.createHeadResponse() : response
    }

    /// The owner of the body's bytes when other answers share them.
    package var owner: (any AnyObject & Sendable)? { isForHead ? nil : answer.owner }
}

extension WebResponder {
    package func fields(for request: Request, from caller: Caller?) -> HTTPFields { [:] }
    package func answer(to request: Request, at methods: [HTTPRequest.Method]) -> HTTPAnswer? { nil }

    /// Returns a request's target among the routes.
    package func target(of head: HTTPRequest) -> RoutedTarget { RoutedTarget(head, among: table.patterns) }

    /// Answers a request: admits, dispatches, and gives every refusal the responder's form.
    ///
    /// `connection` is the other end of the request's connection.
    package func reply(to request: Request, at target: RoutedTarget, from connection: Peer) async -> WebReply<Self> {
        let peer = server.peers.client(request.headers, connection)
        var facts = RequestFacts<Self>(id: RequestID.id(of: request.headers), peer: peer)
        var answer: HTTPAnswer
        do {
            answer = try await dispatch(request, target, &facts)
        } catch {
            if let refusal = refusal(error) {
                answer = refusal
            } else {
                let metadata: Logger.Metadata = ["request": "\(facts.id)", "error": "\(SocketErrorText.words(error))"]
                server.logger.error("a request failed", metadata: metadata)
                answer = failure(request: facts.id)
            }
        }
        answer.complete(id: facts.id)
        for field in fields(for: request, from: facts.caller) { answer.headers[field.name] = field.value }
        await note(facts, request, answer.status)
        var reply = WebReply<Self>(answer)
        reply.isForHead = request.method == .head
        reply.caller = facts.caller
        return reply
    }

    private func dispatch(
        _ request: Request,
        _ target: RoutedTarget,
        _ facts: inout RequestFacts<Self>
    ) async throws -> HTTPAnswer {
        guard case .found(let match, let query) = target else {
            throw HTTPProblem(.usage, "the request's target is not well formed")
        }
        let size = request.headers.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }
        guard size <= Self.headerBytesMax else { throw HeaderTooLarge(bytesMax: Self.headerBytesMax) }
        if case .route(let index, _) = match { facts.route = table.routes[index] }
        // Before anything else is revealed, which may be even the path's existence.
        try await admit(request, &facts)
        switch match {
        case .route(let index, let parameters):
            guard let caller = facts.caller else { preconditionFailure("a route's request has no caller") }
            let call = Call<Self>(request: request, parameters: parameters, query: query, caller: caller)
            return try await table.routes[index].handler(call, state)
        case .otherMethod(let methods):
            if let answer = answer(to: request, at: methods) { return answer }
            let allowed = methods.map(\.rawValue).joined(separator: ", ")
            throw HTTPProblem(.methodNotAllowed, "this path takes \(allowed)", headers: [.allow: allowed])
        case .nothing: throw HTTPProblem(.notFound, "there is nothing at this path")
        }
    }
}

/// The header fields of a request are too large (431).
package struct HeaderTooLarge: Error {
    package let bytesMax: Int
}
