public import NIOCore
import NIOHTTP1
import TLS

/// A small HTTP/1.1 client for administration: one request, one connection, whole bodies, with TLS or without.
///
/// May be used from any task.
public struct HTTP1Client: Sendable {
    /// A header field of a request.
    public struct Header: Sendable {
        /// The name.
        public var name: String
        /// The value.
        public var value: String

        /// Creates a header field.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A complete answer.
    public struct Response: Sendable, Equatable {
        /// The status code.
        public var status: Int
        /// The body.
        public var body: [UInt8]
        /// The peer's clock in its `date` field (RFC 9110, 6.6.1); nil without one.
        public var date: String?
    }

    private let host: String
    private let port: Int
    private let dial: HostDial
    private let tls: AMQPEndpoint.TLSFiles?
    private let loop: any EventLoop
    private let timeout: TimeAmount
    private let bodyLimit: Int

    /// Creates a client for one server; `timeout` bounds a whole request, and bodies above `bodyLimit` bytes are an
    /// error.
    ///
    /// With `tls` it speaks HTTPS with these files, which are read for each request; the server's certificate must
    /// carry the server's name. `resolver` resolves the host, whose addresses are tried one after another.
    public init(
        host: String,
        port: Int,
        tls: AMQPEndpoint.TLSFiles? = nil,
        loop: any EventLoop,
        timeout: TimeAmount = .seconds(10),
        bodyLimit: Int = 16 << 20,
        resolver: AddressResolver = .fleet
    ) {
        dial = HostDial(host: host, port: port, loop: loop, resolver: resolver)
        self.host = host
        self.port = port
        self.tls = tls
        self.loop = loop
        self.timeout = timeout
        self.bodyLimit = bodyLimit
    }

    /// Sends a request and returns the whole answer, whatever its status.
    public func send(
        _ method: String,
        _ path: String,
        headers: [Header] = [],
        body: [UInt8]? = nil
    ) async throws(HTTP1Error) -> Response {
        var fields = HTTPHeaders()
        fields.add(name: "Host", value: host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)")
        fields.add(name: "Connection", value: "close")
        if let body { fields.add(name: "Content-Length", value: "\(body.count)") }
        for header in headers { fields.add(name: header.name, value: header.value) }
        let context = try makeContext()
        let head = HTTPRequestHead(version: .http1_1, method: HTTPMethod(rawValue: method), uri: path, headers: fields)
        let result = await withCheckedContinuation { (continuation: Completion) in
            loop.execute { exchange(head, body, context, nil, continuation) }
        }
        return try result.get()
    }

    /// Receives an answer of any length piece by piece; returns its status.
    ///
    /// `piece` is called on the event loop, in order. `timeout` applies, `bodyLimit` does not.
    public func stream(
        _ path: String,
        _ piece: @escaping @Sendable ([UInt8]) -> Void
    ) async throws(HTTP1Error) -> Int {
        let context = try makeContext()
        let fields = HTTPHeaders([("Host", "\(host):\(port)"), ("Connection", "close")])
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: fields)
        let result = await withCheckedContinuation { (continuation: Completion) in
            loop.execute { exchange(head, nil, context, piece, continuation) }
        }
        return try result.get().status
    }

    private func makeContext() throws(HTTP1Error) -> TLSClientContext? {
        do throws(AMQPConnectError) { return try tls?.makeContext() } catch { throw .unreachable(error.description) }
    }

    private typealias Completion = CheckedContinuation<Result<Response, HTTP1Error>, Never>

    private func exchange(
        _ head: HTTPRequestHead,
        _ body: [UInt8]?,
        _ tls: TLSClientContext?,
        _ piece: (([UInt8]) -> Void)?,
        _ continuation: Completion
    ) {
        let peer = "\(host):\(port)"
        let deadline = NIODeadline.now() + timeout
        dial.connect(timeout: timeout).assumeIsolated().whenComplete { result in
            switch result {
            case .failure(let error):
                continuation.resume(
                    returning: .failure(.unreachable("\(peer) is not reachable: \(SocketErrorText.words(error))"))
                )
            case .success(let channel):
                let handler = HTTP1Exchange(head: head, body: body, peer: peer, bodyLimit: bodyLimit, piece: piece) {
                    continuation.resume(returning: $0)
                }
                handler.begin(on: channel, tls: tls.map { ($0, host) }, until: deadline)
            }
        }
    }
}

/// The reason why there is no answer.
public enum HTTP1Error: Error, Sendable, Equatable, CustomStringConvertible {
    /// No connection, or no answer in time.
    case unreachable(String)
    /// The peer violated HTTP, hung up in the middle, or its body is too large.
    case broken(String)

    /// The error as one line.
    public var description: String {
        switch self {
        case .unreachable(let text), .broken(let text): text
        }
    }
}

/// One request and its answer on one connection.
///
/// Confined to its event loop.
private final class HTTP1Exchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let head: HTTPRequestHead
    private let body: [UInt8]?
    private let peer: String
    private let bodyLimit: Int
    private let piece: (([UInt8]) -> Void)?
    private var completion: ((Result<HTTP1Client.Response, HTTP1Error>) -> Void)?
    private var response: HTTP1Client.Response?
    private var context: ChannelHandlerContext?
    private var alarm: Scheduled<Void>?
    private var isSecured = false

    init(
        head: HTTPRequestHead,
        body: [UInt8]?,
        peer: String,
        bodyLimit: Int,
        piece: (([UInt8]) -> Void)?,
        completion: @escaping (Result<HTTP1Client.Response, HTTP1Error>) -> Void
    ) {
        self.head = head
        self.body = body
        self.peer = peer
        self.bodyLimit = bodyLimit
        self.piece = piece
        self.completion = completion
    }

    /// Sends the request over an open connection and reads the answer.
    ///
    /// `tls` gives the context with which the connection is secured first, and the name that the server's certificate
    /// must carry.
    func begin(on channel: any Channel, tls: (context: TLSClientContext, name: String)?, until deadline: NIODeadline) {
        alarm = channel.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [self] in
            fail(.unreachable("\(peer) did not answer \(head.method) \(head.uri) in time"))
        }
        isSecured = tls != nil
        do {
            if let tls {
                try channel.pipeline.syncOperations.addHandler(TLSClientHandler(tls.context, serverName: tls.name))
            }
            try channel.pipeline.syncOperations.addHTTPClientHandlers()
            try channel.pipeline.syncOperations.addHandler(self)
            try channel.syncOptions?.setOption(.autoRead, value: true)
        } catch {
            channel.close(promise: nil)
            fail(.broken("\(peer) hung up before the request: \(SocketErrorText.words(error))"))
        }
    }

    private func fail(_ error: HTTP1Error) { finish(.failure(error)) }

    private func finish(_ result: Result<HTTP1Client.Response, HTTP1Error>) {
        guard let completion else { return }
        self.completion = nil
        alarm?.cancel()
        context?.close(promise: nil)
        completion(result)
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        guard context.channel.isActive else { return channelInactive(context: context) }
        if !isSecured { request(context) }
    }

    /// Sends the request; called once the connection is secure.
    func channelActive(context: ChannelHandlerContext) {
        if isSecured { request(context) }
    }

    private func request(_ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if let body {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            response = HTTP1Client.Response(
                status: Int(head.status.code),
                body: [],
                date: head.headers.first(name: "date")
            )
        case .body(let part):
            if let piece { return piece(Array(part.readableBytesView)) }
            guard (response?.body.count ?? 0) + part.readableBytes <= bodyLimit else {
                return fail(.broken("\(peer) answers with more than \(bodyLimit) bytes"))
            }
            response?.body.append(contentsOf: part.readableBytesView)
        case .end:
            guard let response else { return fail(.broken("\(peer) answers without a status")) }
            finish(.success(response))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(.broken("\(peer) hung up before its answer was complete"))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(.broken(SocketErrorText.end(of: peer, speaking: "HTTP/1.1", error)))
    }
}
