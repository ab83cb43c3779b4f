import Delivery
import HTTP2
import Logging
import NIOCore
import NIOPosix
import PushProviders
import TLS
import Transport

/// Requests access tokens from token endpoints, over the same HTTP/2 client as the pushes; for any thread.
///
/// Each request has a connection of its own: there is one an hour.
struct TokenFetcher: Sendable {
    private let trust: @Sendable (ProviderEndpoint) -> TLSClientContext.Trust

    /// `trust`: the authorities trusted at a token endpoint.
    init(trust: @escaping @Sendable (ProviderEndpoint) -> TLSClientContext.Trust) {
        self.trust = trust
    }

    /// Sends one request; `completion` is called once, on a loop of its own.
    func fetch(_ request: TokenRequest, completion: @escaping @Sendable (TokenAnswer) -> Void) {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let trust = trust
        loop.execute {
            do throws(TLSError) {
                let tls = try TLSClientContext(trust: trust(request.endpoint))
                Self.ask(request, tls: tls, on: loop, completion: completion)
            } catch {
                completion(.unreachable(error.message))
            }
        }
    }

    private static func ask(
        _ request: TokenRequest,
        tls: TLSClientContext,
        on loop: any EventLoop,
        completion: @escaping (TokenAnswer) -> Void
    ) {
        let logger = Logger(label: "access token")
        let headers = headers(authority: request.endpoint.authority)
        SingleRequest.send(
            on: loop,
            within: TokenRequest.deadline,
            pool: { pool(request.endpoint, tls: tls, loop: loop, logger: logger, source: $0) },
            write: { writer in
                writer.setHeaders(headers)
                var path = request.path
                path.withUTF8 { writer.setPath(UnsafeRawBufferPointer($0)) }
                request.body.withUnsafeBytes { writer.setBody($0) }
                return true
            },
            ended: { ending in
                let answer = TokenAnswer(ending)
                if let reason = answer.failure {
                    // The log has neither the assertion nor the answer: either may hold a secret.
                    let location = request.endpoint
                    logger.warning("no access token", metadata: ["endpoint": "\(location)", "reason": "\(reason)"])
                }
                completion(answer)
            }
        )
    }

    private static func headers(authority: String) -> PreparedHeaders {
        PreparedHeaders(
            authority: authority,
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
    }

    private static func pool(
        _ endpoint: ProviderEndpoint,
        tls: TLSClientContext,
        loop: any EventLoop,
        logger: Logger,
        source: any RequestSource
    ) -> ProviderPool {
        var configuration = ProviderPoolConfiguration(seed: .random(in: 0 ... .max))
        configuration.connections.connectionsMax = 1
        configuration.connections.streamDeadline = TokenRequest.deadline
        return endpoint.pool(configuration, tls: tls, loop: loop, source: source, logger: logger)
    }
}

extension TokenAnswer {
    fileprivate init(_ ending: SingleRequest.Ending) {
        self =
            switch ending {
            case .answered(let answer): .answered(status: answer.status, body: answer.body)
            case .unwritten: .unreachable("no request")
            case .unanswered(let reason): .unreachable("it did not answer (\(reason))")
            case .unconnected(let failure): .unreachable("no connection (\(failure))")
            case .overdue: .unreachable("no answer in time")
            }
    }

    /// The reason why there is no token, for the log; nil for an answer that has one.
    fileprivate var failure: String? {
        switch self {
        case .answered(200, _): nil
        case .answered(let status, _): "status \(status)"
        case .unreachable(let reason): reason
        }
    }
}
