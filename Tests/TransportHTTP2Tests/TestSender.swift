import Delivery
import HTTP2
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import TLS
import Testing
import Transport

/// A source of numbered requests that records the end of each.
///
/// Confined to its loop.
final class TestSender: RequestSource {
    /// The end of a request.
    enum End: Equatable, Sendable {
        case status(UInt16, retryAfter: String, body: String)
        case refused
        case unknown(Unanswered.UnknownReason)
    }

    private(set) var ends: [UInt64: [End]] = [:]
    private(set) var failures: [ConnectionFailure] = []
    /// The number of times that a request was asked for without a report after the answers before it.
    private(set) var unannounced = 0
    private var isOpening = false
    var pool: ProviderPool?
    /// The number of times that a refused request is sent again.
    var resendsMax = 0
    var retiresOn: UInt16?
    private var waiting: [UInt64]
    private let headers: PreparedHeaders
    private var endedCount = 0
    private let total: Int
    private let done: EventLoopPromise<Void>
    private let bodyBytes: Int

    init(requests: Int, bodyBytes: Int = 20, done: EventLoopPromise<Void>) {
        self.waiting = (0..<UInt64(requests)).reversed()
        self.total = requests
        self.done = done
        self.bodyBytes = bodyBytes
        self.headers = PreparedHeaders(
            authority: "localhost",
            fields: [HeaderField("authorization", "bearer token", indexing: .never)],
            perRequestName: "apns-id"
        )
    }

    func openingBegan() { self.isOpening = true }

    func nextRequest(_ request: inout RequestWriter) -> Bool {
        if !self.isOpening { self.unannounced += 1 }
        guard let number = self.waiting.popLast() else { return false }
        request.tag = number
        request.setHeaders(self.headers)
        Array("/3/device/\(number)".utf8).withUnsafeBytes { request.setPath($0) }
        Array("id-\(number)".utf8).withUnsafeBytes { request.setPerRequestValue($0) }
        [UInt8](repeating: 0x61, count: self.bodyBytes).withUnsafeBytes { request.setBody($0) }
        return true
    }

    func answered(tag: UInt64, answer: borrowing ProviderAnswer) {
        self.isOpening = false
        let end = End.status(
            answer.status,
            retryAfter: String(decoding: answer.retryAfter, as: UTF8.self),
            body: String(decoding: answer.body, as: UTF8.self)
        )
        if answer.status == self.retiresOn { self.pool?.retireConnection(answer.connection) }
        self.note(tag, end)
    }

    func unanswered(tag: UInt64, reason: Unanswered) {
        self.isOpening = false
        switch reason {
        case .refused:
            self.ends[tag, default: []].append(.refused)
            guard self.ends[tag, default: []].count <= self.resendsMax else { return self.count() }
            self.waiting.append(tag)
            self.pool?.demandChanged()
        case .unknown(let why): self.note(tag, .unknown(why))
        }
    }

    func tickEnded() {
        self.isOpening = false
        guard self.waiting.isEmpty, let body = self.onAllOpened else { return }
        self.onAllOpened = nil
        body()
    }

    /// Called once on the loop when all requests have been written.
    var onAllOpened: (@Sendable () -> Void)?

    func connectionFailed(_ failure: ConnectionFailure) {
        self.failures.append(failure)
        self.onFailure?()
    }

    var onFailure: (() -> Void)?

    private func note(_ tag: UInt64, _ end: End) {
        self.ends[tag, default: []].append(end)
        self.count()
    }

    private func count() {
        self.endedCount += 1
        if self.endedCount == self.total { self.done.succeed() }
    }
}

/// The results of a finished run.
struct Outcome: Sendable {
    var ends: [UInt64: [TestSender.End]]
    var failures: [ConnectionFailure]
    var counters: ProviderPoolCounters
    var state: ConnectionPool.Snapshot
    var unannounced: Int

    func last(_ tag: UInt64) -> TestSender.End? { self.ends[tag]?.last }
    var answered: Int { self.ends.values.count { if case .status = $0.last { true } else { false } } }
}

/// Keeps the lines that the pool logs by default.
struct KeptLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info
    private let kept = NIOLockedValueBox<[String]>([])

    var lines: [String] { self.kept.withLockedValue { $0 } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        self.kept.withLockedValue { $0.append("\(event.message)") }
    }
}

/// Certificates, and runs of a pool against a server.
struct Bed {
    /// The configuration of a run: its deadlines only guard against hanging, however slow the machine is, except those
    /// that a test is about.
    private static let patient = {
        var rules = ProviderPoolConfiguration(seed: 7)
        rules.connections.streamDeadline = .seconds(120)
        rules.connections.connectDeadline = .seconds(120)
        rules.connections.settingsDeadline = .seconds(120)
        rules.connections.pingDeadline = .seconds(120)
        return rules
    }()

    let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
    let authority: CertificateAuthority
    let server: TLSServerContext
    let client: TLSClientContext

    init(serverProtocols: [ALPNProtocol] = [.h2]) throws {
        self.authority = try CertificateAuthority(commonName: "test")
        let identity = try self.authority.issueServer(names: ["localhost"], addresses: ["127.0.0.1"])
        self.server = try TLSServerContext(
            certificatePEM: identity.certificatePEM,
            privateKeyPEM: identity.privateKeyPEM,
            protocols: serverProtocols
        )
        self.client = try TLSClientContext(
            trust: .authorities(pem: self.authority.certificatePEM, source: "test CA")
        )
    }

    /// Sends `requests` and waits until each has ended, or (`untilFailure`) until a connection failed.
    ///
    /// - Parameters:
    ///   - keeps: The connections that the pool keeps while there are no requests; nil: it is told nothing.
    ///   - start: Nothing is sent before it is done; nil: the requests are there from the beginning.
    func run(
        port: Int,
        requests: Int,
        bodyBytes: Int = 20,
        client: TLSClientContext? = nil,
        host: String = "127.0.0.1",
        untilFailure: Bool = false,
        resendsMax: Int = 0,
        log: KeptLog? = nil,
        retiresOn: UInt16? = nil,
        keeps: Int? = nil,
        start: EventLoopFuture<Void>? = nil,
        configure: (inout ProviderPoolConfiguration) -> Void = { _ in },
        onAllOpened: (@Sendable () -> Void)? = nil
    ) async throws -> Outcome {
        let loop = self.group.next()
        let done = loop.makePromise(of: Void.self)
        let outcome = loop.makePromise(of: Outcome.self)
        var configuration = Self.patient
        configure(&configuration)
        let context = client ?? self.client
        loop.execute { [configuration] in
            let sender = TestSender(requests: requests, bodyBytes: bodyBytes, done: done)
            let logger = Logger(label: "test") { _ in log ?? KeptLog() }
            let pool = ProviderPool(
                loop: loop,
                endpoint: HTTP2Endpoint(host: host, port: port),
                tls: context,
                configuration: configuration,
                source: sender,
                logger: logger
            )
            sender.pool = pool
            sender.resendsMax = resendsMax
            sender.retiresOn = retiresOn
            sender.onAllOpened = onAllOpened
            if untilFailure { sender.onFailure = { done.succeed() } }
            done.futureResult.assumeIsolated().whenComplete { _ in
                sender.onFailure = nil
                // In a later tick, because the end came during a read.
                loop.assumeIsolated().execute {
                    pool.close {
                        sender.pool = nil
                        outcome.succeed(
                            Outcome(
                                ends: sender.ends,
                                failures: sender.failures,
                                counters: pool.counters,
                                state: pool.state,
                                unannounced: sender.unannounced
                            )
                        )
                    }
                }
            }
            if let keeps { pool.keep(keeps) }
            guard let start else { return pool.demandChanged() }
            start.hop(to: loop).assumeIsolated().whenSuccess { pool.demandChanged() }
        }
        return try await outcome.futureResult.get()
    }

    func stop() async throws { try await self.group.shutdownGracefully() }
}
