import HTTP2
import NIOCore
import NIOPosix
import Simulator
import TLS

/// How one request of a `TestClient` ended.
struct TestAnswer: Sendable, Equatable {
    var kind: StreamEnd.Kind
    var status: Int
    var body: String
    var apnsID: String
    var retryAfter: String
    var date: String
}

/// What a connection of a `TestClient` has seen until it was closed.
struct TestRun: Sendable {
    /// By place of the request; nil for one that was never sent.
    var answers: [TestAnswer?]
    /// The last GOAWAY's debug data.
    var goAway: String?
    /// Every stream limit that the server announced, in order.
    var limits: [Int] = []
    /// The most streams that were open at once.
    var inFlightMost = 0

    var statuses: [Int] { answers.map { $0?.status ?? 0 } }
}

/// A client for tests: one connection, all requests, as many at once as the server allows.
enum TestClient {
    /// Sends `tokens.count` good alerts, signed with the identity's key or certified by its certificate.
    static func send(
        _ tokens: [String],
        to simulator: APNsSimulator.Running,
        certified: Bool = false,
        issuedAt: Int64? = nil,
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
        var fields = [HeaderField("apns-topic", credentials.topic), HeaderField("apns-push-type", "alert")]
        if !certified { fields.append(HeaderField("authorization", "bearer \(token)", indexing: .never)) }
        let headers = PreparedHeaders(authority: "localhost", fields: fields, perRequestName: nil)
        let group = MultiThreadedEventLoopGroup.singleton
        let promise = group.next().makePromise(of: TestRun.self)
        let channel = try await ClientBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        TestClientHandler(
                            tls: try TLSSession(client: context, serverName: "127.0.0.1"),
                            headers: headers,
                            tokens: tokens,
                            body: Array(body.utf8),
                            promise: promise
                        )
                    )
                }
            }
            .connect(host: "127.0.0.1", port: simulator.port).get()
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
    private let tokens: [String]
    private let body: [UInt8]
    private let promise: EventLoopPromise<TestRun>
    private var http: HTTP2ClientSession?
    private var run: TestRun
    private var next = 0
    private var ended = 0
    private var deadline: Scheduled<Void>?

    init(
        tls: TLSSession,
        headers: PreparedHeaders,
        tokens: [String],
        body: [UInt8],
        promise: EventLoopPromise<TestRun>
    ) {
        self.tls = tls
        self.headers = headers
        self.tokens = tokens
        self.body = body
        self.promise = promise
        run = TestRun(answers: Array(repeating: nil, count: tokens.count))
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
            // A server may say GOAWAY and goodbye in one go: what it said before counts.
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
        while tls.state == .established, run.goAway == nil, next < tokens.count, let limit = http.maxConcurrentStreams,
            http.inFlight < limit,
            http.freeSlots > 0
        {
            let place = next
            next += 1
            _ = try http.submit(now: 0) { writer in
                writer.tag = UInt64(place)
                writer.setHeaders(headers)
                Array("/3/device/\(tokens[place])".utf8).withUnsafeBytes { writer.setPath($0) }
                body.withUnsafeBytes { writer.setBody($0) }
                return true
            }
            run.inFlightMost = max(run.inFlightMost, http.inFlight)
        }
        if ended == tokens.count { promise.succeed(run) }
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
            while case let count = http.send(into: frames, threshold: threshold), count > 0 {
                try tls.write(UnsafeRawBufferPointer(rebasing: frames[..<count]))
            }
        }
        while tls.pendingCiphertext > 0 {
            var buffer = context.channel.allocator.buffer(capacity: tls.pendingCiphertext)
            _ = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: tls.pendingCiphertext) { tls.drain(into: $0) }
            context.write(wrapOutboundOut(buffer), promise: nil)
        }
        context.flush()
    }
}
