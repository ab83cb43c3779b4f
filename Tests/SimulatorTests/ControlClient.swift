import NIOCore
import NIOHTTP1
import NIOPosix

/// Sends one request per connection to the control address.
struct ControlClient {
    let port: Int

    struct Answer: Sendable {
        var status = 0
        var body = ""
    }

    func get(_ path: String) async throws -> Answer { try await ask(.GET, path, "") }

    func post(_ path: String, _ body: String) async throws -> Answer { try await ask(.POST, path, body) }

    private func ask(_ method: HTTPMethod, _ path: String, _ body: String) async throws -> Answer {
        let group = MultiThreadedEventLoopGroup.singleton
        let promise = group.next().makePromise(of: Answer.self)
        let channel = try await ClientBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(AnswerHandler(promise: promise))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        var head = HTTPRequestHead(version: .http1_1, method: method, uri: path)
        head.headers.add(name: "host", value: "127.0.0.1")
        head.headers.add(name: "content-length", value: "\(body.utf8.count)")
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(string: body))), promise: nil)
        try await channel.writeAndFlush(HTTPClientRequestPart.end(nil)).get()
        let answer = try await promise.futureResult.get()
        try await channel.close().get()
        return answer
    }
}

private final class AnswerHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let promise: EventLoopPromise<ControlClient.Answer>
    private var answer = ControlClient.Answer()

    init(promise: EventLoopPromise<ControlClient.Answer>) { self.promise = promise }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): answer.status = Int(head.status.code)
        case .body(let piece): answer.body += String(buffer: piece)
        case .end: promise.succeed(answer)
        }
    }

    func channelInactive(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }
}
