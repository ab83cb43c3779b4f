import HTTP2
import NIOCore
import NIOPosix
import Simulator
import TLS

/// The end of a request of a `TestClient`.
struct TestAnswer: Sendable, Equatable {
    var kind: StreamEnd.Kind
    var status: Int
    var body: String
    var apnsID: String
    var retryAfter: String
    var date: String
}

/// A `TestClient` connection's observations until it was closed.
struct TestRun: Sendable {
    /// The answers by the request's index; nil for a request that was never sent.
    var answers: [TestAnswer?]
    /// The last GOAWAY's debug data.
    var goAway: String?
    /// Every stream limit that the server announced, in order.
    var limits: [Int] = []
    /// The most streams that were open at once.
    var inFlightMost = 0

    var statuses: [Int] { answers.map { $0?.status ?? 0 } }
}

/// One request of a `TestClient`.
struct TestRequest: Sendable {
    let path: String
    let body: String
}

/// A client for tests: one connection, all requests, as many at once as the server allows.
enum TestClient {
    /// Sends `tokens.count` valid pushes, signed with the identity's key or authenticated by its certificate.
    ///
    /// `type` is the push type, with the end of its topic behind the app's id.
    static func send(
        _ tokens: [String],
        to simulator: PushSimulator.Running,
        certified: Bool = false,
        issuedAt: Int64? = nil,
        type: (name: String, suffix: String) = ("alert", ""),
        body: String = #"{"aps":{"alert":"x"}}"#
    ) async throws -> TestRun {
        let identity = simulator.identity
        let context = try TLSClientContext(
            trust: .authorities(pem: identity.authorityPEM, source: "the simulator's authority"),
            identity: certified
                ? .init(
                    certificatePEM: identity.client.certificatePEM,
                    privateKeyPEM: identity.client.privateKeyPEM,
                    source: "the client certificate"
                ) : nil
        )
        let credentials = identity.credentials
        let claims = "{\"iss\":\"\(credentials.teamID)\",\"iat\":\(issuedAt ?? now())}"
        let token = Signer.token(
            header: "{\"alg\":\"ES256\",\"kid\":\"\(credentials.keyID)\"}",
            claims: claims,
            privateKeyPEM: credentials.privateKeyPEM
        )
        var fields = [
            HeaderField("apns-topic", credentials.topic + type.suffix), HeaderField("apns-push-type", type.name),
        ]
        if !certified { fields.append(HeaderField("authorization", "bearer \(token)", indexing: .never)) }
        let requests = tokens.map { TestRequest(path: "/3/device/\($0)", body: body) }
        return try await send(requests, fields: fields, to: simulator.port, context: context)
    }

    /// Sends a notification by FCM to each of `tokens`, with an access token that it fetches first, or the given one.
    static func sendByFCM(
        _ tokens: [String],
        to simulator: PushSimulator.Running,
        bearer: String? = nil
    ) async throws -> TestRun {
        var fields = [HeaderField("content-type", "application/json")]
        let token = if let bearer { bearer } else { try await fetchAccessToken(from: simulator) }
        fields.append(HeaderField("authorization", "Bearer \(token)", indexing: .never))
        let requests = tokens.map { token in
            TestRequest(
                path: "/v1/projects/fanfare-simulator/messages:send",
                body: #"{"message":{"token":"\#(token)","notification":{"title":"Gol"}}}"#
            )
        }
        return try await send(requests, fields: fields, to: fcmPort(of: simulator), context: plain(simulator))
    }

    /// Returns the token endpoint's access token for a valid assertion.
    static func fetchAccessToken(from simulator: PushSimulator.Running) async throws -> String {
        let port = try fcmPort(of: simulator)
        let request = TestRequest(path: "/token", body: try AssertionForm.make(for: simulator, now: now()))
        let fields = [HeaderField("content-type", "application/x-www-form-urlencoded")]
        let run = try await send([request], fields: fields, to: port, context: plain(simulator))
        guard let body = run.answers[0]?.body, let token = body.split(separator: "\"").dropFirst(3).first else {
            throw ChannelError.eof
        }
        return String(token)
    }

    private static func fcmPort(of simulator: PushSimulator.Running) throws -> Int {
        guard let port = simulator.port(of: .fcm) else { throw ChannelError.eof }
        return port
    }

    private static func plain(_ simulator: PushSimulator.Running) throws -> TLSClientContext {
        try TLSClientContext(
            trust: .authorities(pem: simulator.identity.authorityPEM, source: "the simulator's authority")
        )
    }

    /// Sends all of `requests` on one connection.
    static func send(
        _ requests: [TestRequest],
        fields: [HeaderField],
        to port: Int,
        context: TLSClientContext
    ) async throws -> TestRun {
        let headers = PreparedHeaders(authority: "127.0.0.1:\(port)", fields: fields, perRequestName: nil)
        let group = MultiThreadedEventLoopGroup.singleton
        let promise = group.next().makePromise(of: TestRun.self)
        let channel = try await ClientBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        TestClientHandler(
                            tls: try TLSSession(client: context, serverName: "127.0.0.1"),
                            headers: headers,
                            requests: requests,
                            promise: promise
                        )
                    )
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        let run = try await promise.futureResult.get()
        // The server may have closed it before.
        try? await channel.close().get()
        return run
    }

    static func now() -> Int64 { Int64(WallClock.seconds) }
}

private final class TestClientHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let tls: TLSSession
    private let headers: PreparedHeaders
    private let requests: [TestRequest]
    private let promise: EventLoopPromise<TestRun>
    private var http: HTTP2ClientSession?
    private var run: TestRun
    private var next = 0
    private var ended = 0
    private var deadline: Scheduled<Void>?

    init(
        tls: TLSSession,
        headers: PreparedHeaders,
        requests: [TestRequest],
        promise: EventLoopPromise<TestRun>
    ) {
        self.tls = tls
        self.headers = headers
        self.requests = requests
        self.promise = promise
        run = TestRun(answers: Array(repeating: nil, count: requests.count))
    }

    func channelActive(context: ChannelHandlerContext) {
        // Never reached unless something is broken: then the test fails instead of hanging.
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(30)) { context.close(promise: nil) }
        attempt(context) { try tls.start() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        http?.endAll { note($0) }
        promise.succeed(run)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        attempt(context) {
            var failure: HTTP2Error?
            try buffer.withUnsafeReadableBytes { bytes throws in
                try tls.receive(bytes) { plaintext in
                    do throws(HTTP2Error) { try session().receive(plaintext) } catch { failure = error }
                }
            }
            if let failure { throw failure }
            // A server may send GOAWAY and close_notify together: frames before them count.
            if tls.state == .established || http != nil { try proceed(session()) }
            if tls.state == .closed { context.close(promise: nil) }
        }
    }

    private func session() throws(HTTP2Error) -> HTTP2ClientSession {
        if let http { return http }
        let made = try HTTP2ClientSession()
        http = made
        return made
    }

    private func proceed(_ http: HTTP2ClientSession) throws {
        let events = http.takeEvents()
        if let goAway = events.goAway { run.goAway = String(decoding: goAway.debugData, as: UTF8.self) }
        if events.hasSettings, let limit = http.maxConcurrentStreams { run.limits.append(limit) }
        http.takeEnded { note($0) }
        while tls.state == .established, run.goAway == nil, next < requests.count,
            let limit = http.maxConcurrentStreams,
            http.inFlight < limit,
            http.freeStreams > 0
        {
            let index = next
            next += 1
            _ = try http.submit(now: 0) { writer in
                writer.tag = UInt64(index)
                writer.setHeaders(headers)
                Array(requests[index].path.utf8).withUnsafeBytes { writer.setPath($0) }
                Array(requests[index].body.utf8).withUnsafeBytes { writer.setBody($0) }
                return true
            }
            run.inFlightMost = max(run.inFlightMost, http.inFlight)
        }
        if ended == requests.count { promise.succeed(run) }
    }

    private func note(_ end: borrowing StreamEnd) {
        ended += 1
        run.answers[Int(end.tag)] = TestAnswer(
            kind: end.kind,
            status: Int(end.status),
            body: String(decoding: end.body, as: UTF8.self),
            apnsID: String(decoding: end.apnsID, as: UTF8.self),
            retryAfter: String(decoding: end.retryAfter, as: UTF8.self),
            date: String(decoding: end.date, as: UTF8.self)
        )
    }

    private func attempt(_ context: ChannelHandlerContext, _ body: () throws -> Void) {
        do {
            try body()
            try flush(context)
        } catch {
            context.close(promise: nil)
        }
    }

    private func flush(_ context: ChannelHandlerContext) throws {
        let threshold = 15_000
        if let http, tls.state == .established {
            let frames = UnsafeMutableRawBufferPointer.allocate(
                byteCount: threshold + HTTP2ClientSession.frameBytesMax,
                alignment: 16
            )
            defer { frames.deallocate() }
            while case let count = http.drain(into: frames, threshold: threshold), count > 0 {
                try tls.write(UnsafeRawBufferPointer(rebasing: frames[..<count]))
            }
        }
        while tls.pendingBytes > 0 {
            var buffer = context.channel.allocator.buffer(capacity: tls.pendingBytes)
            _ = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: tls.pendingBytes) { tls.drain(into: $0) }
            context.write(wrapOutboundOut(buffer), promise: nil)
        }
        context.flush()
    }
}
