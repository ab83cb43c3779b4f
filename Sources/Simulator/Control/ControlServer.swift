import NIOCore
import NIOHTTP1
import NIOPosix

/// The control address: statistics, tokens and faults over HTTP/1.1, on 127.0.0.1 only.
enum ControlServer {
    static func listen(
        port: Int,
        group: MultiThreadedEventLoopGroup,
        state: SimulatorState,
        loops: ServingLoops
    ) async throws -> any Channel {
        try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(ControlHandler(state: state, loops: loops))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
    }
}

/// One HTTP/1.1 connection to the control address, confined to its loop.
final class ControlHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private static let bodyBytesMost = 65_536
    private static let tokensPerPage = 2000

    private let state: SimulatorState
    private let loops: ServingLoops
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(state: SimulatorState, loops: ServingLoops) {
        self.state = state
        self.loops = loops
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.removeAll()
        case .body(let piece):
            guard body.count + piece.readableBytes <= Self.bodyBytesMost else { return context.close(promise: nil) }
            body.append(contentsOf: piece.readableBytesView)
        case .end:
            guard let head else { return }
            answer(head, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let request = ControlRequest(method: head.method.rawValue, uri: head.uri, body: body)
        switch request.route(faults: state.faults) {
        case .statistics: send(.ok, state.statistics.json, context)
        case .last: send(.ok, "[\(state.last.all.map(\.json).joined(separator: ","))]", context)
        case .alive: send(.ok, "{\"status\":\"ok\"}", context)
        case .faults: send(.ok, state.faults.json, context)
        case .tokens: sendTokens(context)
        case .reset:
            state.reset()
            send(.ok, "{\"status\":\"ok\"}", context)
        case .changeFaults(let changes): change(changes, context)
        case .problem(let status, let text): send(.init(statusCode: status), problem(text), context)
        }
    }

    private func change(_ changes: [(name: String, value: String)], _ context: ChannelHandlerContext) {
        do throws(FaultsError) {
            let faults = try state.changeFaults { (faults) throws(FaultsError) in
                for change in changes { try faults.set(change.name, to: change.value) }
            }
            let handler = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            let loops = loops
            // The answer says that every loop knows; only then may a test go on.
            context.eventLoop.makeFutureWithTask { try await loops.faultsChanged() }.whenComplete { _ in
                let (handler, context) = handler.value
                handler.send(.ok, faults.json, context)
            }
        } catch {
            send(.badRequest, problem(error.message), context)
        }
    }

    private func problem(_ text: String) -> String { "{\"error\":\(JSONNode.quoted(text))}" }

    private func send(_ status: HTTPResponseStatus, _ text: String, _ context: ChannelHandlerContext) {
        let buffer = context.channel.allocator.buffer(string: text + "\n")
        var headers = HTTPHeaders([("content-type", "application/json")])
        headers.add(name: "content-length", value: "\(buffer.readableBytes)")
        context.write(wrapOutboundOut(.head(.init(version: .http1_1, status: status, headers: headers))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    // MARK: Tokens

    /// One JSON object a line, page by page: the next page is made when the last one has left.
    private func sendTokens(_ context: ChannelHandlerContext) {
        let headers = HTTPHeaders([("content-type", "application/x-ndjson"), ("transfer-encoding", "chunked")])
        context.write(wrapOutboundOut(.head(.init(version: .http1_1, status: .ok, headers: headers))), promise: nil)
        sendPage(after: TokenRegister.Cursor(), context)
    }

    private func sendPage(after cursor: TokenRegister.Cursor, _ context: ChannelHandlerContext) {
        var cursor = cursor
        guard let page = state.register.page(after: &cursor, most: Self.tokensPerPage) else {
            return context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
        var buffer = context.channel.allocator.buffer(capacity: page.count * 160)
        for (token, counts) in page {
            buffer.writeString(
                "{\"token\":\"\(token.text)\",\"requests\":\(counts.requests),\"accepted\":\(counts.accepted),"
                    + "\"refused\":\(counts.refused),\"last_status\":\(counts.lastStatus)}\n"
            )
        }
        let handler = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let next = cursor
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(buffer)))).whenSuccess {
            let (handler, context) = handler.value
            handler.sendPage(after: next, context)
        }
    }
}
