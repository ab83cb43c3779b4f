import Campaigns
import HTTP2
import Logging
import NIOCore
import NIOPosix
import PushProviders
import Settings
import Store
import Transport

/// Asks Apple about an app's channels, a connection for each question: there are few.
struct ChannelRequests: Sendable {
    /// The time to wait for an answer.
    private static let timeout = Duration.seconds(20)
    /// The bytes of an answer: 10,000 ids of the length that Apple gives today, many times over.
    private static let answerBytesMax = 4 << 20

    let account: LoadedAccount
    let service: ChannelService

    /// Sends an order; a provider token that is refused is replaced once, as senders do.
    func ask(
        _ order: ChannelService.Order,
        in environment: PushEnvironment
    ) async throws(ChannelRefusal) -> ChannelAnswer {
        let endpoint = service.endpoint(environment)
        let first = try await authorization(for: endpoint)
        let answer = try await send(order, first, to: endpoint)
        guard answer == .expiredCredential else { return answer }
        let now = WallClock.now().asRead
        let finding = account.judge(.renew, generation: first.generation, at: endpoint, skew: nil, now: now)
        guard finding == .replaced else { return answer }
        return try await send(order, try await authorization(for: endpoint), to: endpoint)
    }

    private func authorization(for endpoint: ProviderEndpoint) async throws(ChannelRefusal) -> Authorization {
        switch await account.supply(for: endpoint) {
        case .ready(let authorization): return authorization
        case .awaited: throw ChannelRefusal(unanswered: "there is no provider token yet", app: account.app)
        case .lacking(.refused(let reason)), .lacking(.passing(let reason)):
            throw ChannelRefusal(unanswered: "no provider token: \(reason)", app: account.app)
        }
    }

    private func send(
        _ order: ChannelService.Order,
        _ authorization: Authorization,
        to endpoint: ProviderEndpoint
    ) async throws(ChannelRefusal) -> ChannelAnswer {
        let request = service.request(order, authorization: authorization.value)
        let headers = PreparedHeaders(
            method: request.method,
            authority: endpoint.authority,
            fields: request.fields.compactMap(Self.field),
            perRequestName: nil
        )
        let account = account
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: Ending.self)
        loop.execute {
            SingleRequest.send(
                on: loop,
                within: Self.timeout,
                pool: {
                    account.pool(
                        endpoint: endpoint,
                        loop: loop,
                        isApart: true,
                        answerBytesMax: Self.answerBytesMax,
                        logger: Logger(label: "channels"),
                        source: $0
                    )
                },
                write: { writer in
                    writer.setHeaders(headers)
                    var path = request.path
                    path.withUTF8 { writer.setPath(UnsafeRawBufferPointer($0)) }
                    request.body.withUnsafeBytes { writer.setBody($0) }
                    return true
                },
                ended: { promise.succeed(Ending($0, to: order)) }
            )
        }
        // The promise is only ever succeeded, so this does not throw.
        switch try? await promise.futureResult.get() {
        case .answered(let answer)?: return answer
        case .silent(let reason)?: throw ChannelRefusal(unanswered: reason, app: account.app)
        case nil: throw ChannelRefusal(unanswered: "no answer", app: account.app)
        }
    }

    private static func field(_ field: RequestHeader) -> HeaderField? {
        guard case .constant(let value) = field.value else { return nil }
        return HeaderField(name: field.name, value: value, indexing: field.indexing == .never ? .never : .indexed)
    }

    /// The end of a request.
    private enum Ending: Sendable {
        case answered(ChannelAnswer)
        case silent(String)

        init(_ ending: SingleRequest.Ending, to order: ChannelService.Order) {
            self =
                switch ending {
                case .answered(let answer):
                    .answered(
                        ChannelAnswer(to: order, status: answer.status, channelID: answer.channelID, body: answer.body)
                    )
                case .unwritten: .silent("no request")
                case .unanswered(let reason): .silent(reason.description)
                case .unconnected(let failure): .silent(failure.description)
                case .overdue: .silent("no answer in 20 s")
                }
        }
    }
}
