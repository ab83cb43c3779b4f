import Delivery
import HTTP2
import Logging
import NIOCore
import NIOPosix
import PushProviders
import TLS
import Transport

/// Asks token endpoints for access tokens, over the same HTTP/2 client as the pushes; for any thread.
///
/// A connection for each question: there is one an hour.
struct TokenFetcher: Sendable {
    private let trust: @Sendable (ProviderEndpoint) -> TLSClientContext.Trust

    /// `trust`: by whose word the host of a token endpoint is believed.
    init(trust: @escaping @Sendable (ProviderEndpoint) -> TLSClientContext.Trust) {
        self.trust = trust
    }

    /// Makes one request; `completion` is called once, on a loop of its own.
    func fetch(_ request: TokenRequest, completion: @escaping @Sendable (TokenAnswer) -> Void) {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let trust = trust
        loop.execute {
            let tls: TLSClientContext
            do throws(TLSError) {
                tls = try TLSClientContext(trust: trust(request.endpoint))
            } catch {
                return completion(.unreachable(error.message))
            }
            let question = TokenQuestion(request, tls: tls, loop: loop, completion: completion)
            let deadline = TimeAmount(TokenRequest.deadline)
            loop.assumeIsolated().scheduleTask(in: deadline) { question.end(.unreachable("no answer in time")) }
        }
    }
}

/// The one request; confined to its loop, kept alive by its pool until the end.
private final class TokenQuestion: RequestSource {
    private let request: TokenRequest
    private let headers: PreparedHeaders
    private let loop: any EventLoop
    private let logger = Logger(label: "access token")
    private let completion: (TokenAnswer) -> Void
    private var pool: ProviderPool?
    private var isSent = false

    init(
        _ request: TokenRequest,
        tls: TLSClientContext,
        loop: any EventLoop,
        completion: @escaping (TokenAnswer) -> Void
    ) {
        self.request = request
        self.loop = loop
        self.completion = completion
        headers = PreparedHeaders(
            authority: request.endpoint.authority,
            fields: [
                HeaderField(
                    name: Array("content-type".utf8),
                    value: Array("application/x-www-form-urlencoded".utf8),
                    indexing: .indexed
                ),
                HeaderField(name: Array("accept".utf8), value: Array("application/json".utf8), indexing: .indexed),
            ],
            perRequestName: nil
        )
        var configuration = ProviderPoolConfiguration(seed: .random(in: 0 ... .max))
        configuration.connections.connectionsMax = 1
        configuration.streamDeadline = TokenRequest.deadline
        let endpoint = HTTP2Endpoint(host: request.endpoint.host, port: Int(request.endpoint.port))
        pool = ProviderPool(
            loop: loop,
            endpoint: endpoint,
            tls: tls,
            configuration: configuration,
            source: self,
            logger: logger
        )
        pool?.demandChanged()
    }

    /// Says what came of it, once, and closes.
    func end(_ answer: TokenAnswer) {
        guard let pool else { return }
        self.pool = nil
        if let reason = answer.failure {
            // Neither the assertion nor what was answered: either may hold a secret.
            logger.warning("no access token", metadata: ["endpoint": "\(request.endpoint)", "reason": "\(reason)"])
        }
        completion(answer)
        // In a turn of its own, because this is called from within the connection's.
        loop.assumeIsolated().execute { pool.close {} }
    }

    func nextRequest(_ writer: inout RequestWriter) -> Bool {
        guard !isSent, pool != nil else { return false }
        isSent = true
        writer.setHeaders(headers)
        var path = request.path
        path.withUTF8 { writer.setPath(UnsafeRawBufferPointer($0)) }
        request.body.withUnsafeBytes { writer.setBody($0) }
        return true
    }

    func answered(tag: UInt64, answer: borrowing ProviderAnswer) {
        end(.answered(status: Int(answer.status), body: Array(answer.body)))
    }

    func unanswered(tag: UInt64, reason: Unanswered) {
        // Known not to have been processed: on another connection, until the deadline.
        if case .refused = reason {
            isSent = false
            pool?.demandChanged()
        } else {
            end(.unreachable("it did not answer (\(reason))"))
        }
    }

    func turnEnded() {}

    func connectionFailed(_ failure: ConnectionFailure) {
        end(.unreachable("no connection (\(failure))"))
    }
}

extension TokenAnswer {
    /// Why there is no token in it, for the log; nil for an answer that has one.
    fileprivate var failure: String? {
        switch self {
        case .answered(200, _): nil
        case .answered(let status, _): "status \(status)"
        case .unreachable(let reason): reason
        }
    }
}
