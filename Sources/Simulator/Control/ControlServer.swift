import NIOCore
import NIOHTTP1
import NIOPosix
import TLS

/// The control address: statistics, tokens and faults over HTTP/1.1, on 127.0.0.1 only.
enum ControlServer {
    static func listen(
        port: Int,
        group: MultiThreadedEventLoopGroup,
        listeners: ProviderListeners
    ) async throws -> any Channel {
        try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(ControlHandler(listeners: listeners))
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
    /// Each subscription costs a multiplication on the curve, a twentieth of a millisecond.
    private static let subscriptionsMost: UInt64 = 10_000

    private let listeners: ProviderListeners
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(listeners: ProviderListeners) {
        self.listeners = listeners
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
        do throws(ControlProblem) {
            let query = try request.query()
            switch try request.route(query) {
            case .statistics: send(.ok, listeners.statistics.json, context)
            case .last: send(.ok, "[\(try state(query).last.all.map(\.json).joined(separator: ","))]", context)
            case .alive: send(.ok, "{\"status\":\"ok\"}", context)
            case .faults: send(.ok, try state(query).faults.json, context)
            case .tokens: sendTokens(of: try state(query), context)
            case .reset:
                listeners.reset()
                send(.ok, "{\"status\":\"ok\"}", context)
            case .changeFaults(let changes): change(changes, of: try provider(query), context)
            case .device: send(.ok, try device(query).json, context)
            case .changeDevice:
                let (devices, key, now) = try shelf(query)
                guard let isOnline = ["online": true, "offline": false][query["state"] ?? ""] else {
                    throw ControlProblem(400, "state must be online or offline")
                }
                devices.set(key, isOnline: isOnline, now: now)
                send(.ok, try device(query).json, context)
            case .takeArrived:
                let (devices, key, now) = try shelf(query)
                guard let arrived = devices.takeArrived(key, now: now) else { throw Self.notWatched }
                send(.ok, "[\(arrived.map(\.json).joined(separator: ","))]", context)
            case .subscriptions: send(.ok, try subscriptions(query), context)
            case .revoke:
                listeners.revokeAccessTokens()
                send(.ok, "{\"status\":\"ok\"}", context)
            }
        } catch {
            send(.init(statusCode: error.status), problem(error.text), context)
        }
    }

    /// Returns the provider that the query names; nil without one.
    private func provider(_ query: FormPairs) throws(ControlProblem) -> SimulatedProvider? {
        guard let name = query["provider"] else { return nil }
        guard let provider = SimulatedProvider(rawValue: name), listeners[provider] != nil else {
            let names = listeners.all.map(\.provider.rawValue).joined(separator: ", ")
            throw ControlProblem(400, "provider \(name) is not simulated here; there are \(names)")
        }
        return provider
    }

    /// Returns the state of the provider that the query names, or of the first one.
    private func state(_ query: FormPairs) throws(ControlProblem) -> ProviderState {
        let provider = try provider(query)
        guard let listener = provider.flatMap({ listeners[$0] }) ?? listeners.all.first else {
            throw ControlProblem(404, "no provider is simulated")
        }
        return listener.state
    }

    /// Returns one line of JSON for each of `count` Web Push subscriptions, beginning with number `from`.
    private func subscriptions(_ query: FormPairs) throws(ControlProblem) -> String {
        guard let listener = listeners[.webPush], let side = listener.state.side as? WebPushSide else {
            throw ControlProblem(404, "Web Push is not simulated here")
        }
        guard let from = UInt64(query["from"] ?? "0"), let count = UInt64(query["count"] ?? "1"), from < 1 << 48,
            (1...Self.subscriptionsMost).contains(count)
        else {
            throw ControlProblem(400, "from must be at least 0, and count from 1 to \(Self.subscriptionsMost)")
        }
        let origin = "https://\(listener.host):\(listener.port)"
        do throws(TLSError) {
            var lines: [String] = []
            for number in from..<(from + count) {
                lines.append(try side.subscriptions.subscription(number, origin: origin).json)
            }
            return lines.joined(separator: "\n")
        } catch {
            throw ControlProblem(500, "\(error)")
        }
    }

    /// Returns the view of the device that the query names.
    private func device(_ query: FormPairs) throws(ControlProblem) -> DeviceView {
        let (devices, key, now) = try shelf(query)
        guard let inbox = devices.inbox(of: key, now: now) else { throw Self.notWatched }
        return DeviceView(inbox)
    }

    private static let notWatched = ControlProblem(
        404,
        "the device is not watched; POST /device with state=online or offline first"
    )

    /// Returns the devices, the key and the provider's time for the device that the query names.
    private func shelf(
        _ query: FormPairs
    ) throws(ControlProblem) -> (devices: SimulatedDevices, key: DeviceTokenKey, now: Int64) {
        let state = try state(query)
        guard let token = query["token"], let key = state.side.key(of: Array(token.utf8)[...]),
            let devices = state.side.devices
        else { throw ControlProblem(400, "token must be a device token of the provider") }
        return (devices, key, SimulatorClock.milliseconds(state.faults))
    }

    private func change(
        _ changes: [(name: String, value: String)],
        of provider: SimulatedProvider?,
        _ context: ChannelHandlerContext
    ) {
        let handler = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let listeners = listeners
        // Answers only once every loop has the change, so that a test can go on safely.
        context.eventLoop.makeFutureWithTask {
            try await listeners.changeFaults(of: provider) { (faults) throws(FaultsError) in
                for change in changes { try faults.set(change.name, to: change.value) }
            }
        }.whenComplete { result in
            let (handler, context) = handler.value
            switch result {
            case .success(let faults): handler.send(.ok, faults.json, context)
            case .failure(let error): handler.send(.badRequest, handler.problem("\(error)"), context)
            }
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

    /// Sends one JSON object per line, page by page: the next page is made once the last one was sent.
    private func sendTokens(of state: ProviderState, _ context: ChannelHandlerContext) {
        let headers = HTTPHeaders([("content-type", "application/x-ndjson"), ("transfer-encoding", "chunked")])
        context.write(wrapOutboundOut(.head(.init(version: .http1_1, status: .ok, headers: headers))), promise: nil)
        sendPage(of: state, after: TokenRegister.Cursor(), context)
    }

    private func sendPage(
        of state: ProviderState,
        after cursor: TokenRegister.Cursor,
        _ context: ChannelHandlerContext
    ) {
        var cursor = cursor
        guard let page = state.register.page(after: &cursor, most: Self.tokensPerPage) else {
            return context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
        // A token that is no hexadecimal text is kept only as its SHA-256.
        let name = state.side.provider == .apns ? "token" : "sha256"
        var buffer = context.channel.allocator.buffer(capacity: page.count * 160)
        for (token, counts) in page {
            buffer.writeString(
                "{\"\(name)\":\"\(token.text)\",\"requests\":\(counts.requests),\"accepted\":\(counts.accepted),"
                    + "\"refused\":\(counts.refused),\"last_status\":\(counts.lastStatus)}\n"
            )
        }
        let handler = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let next = cursor
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(buffer)))).whenSuccess {
            let (handler, context) = handler.value
            handler.sendPage(of: state, after: next, context)
        }
    }
}
