import Delivery
import Glibc
import HTTP2
public import Logging
import NIOCore
import NIOPosix
public import TLS

/// Measures what the transport alone costs: requests with APNs' shape over a ``ProviderPool``.
///
/// A 74-byte path with distinct tokens, eleven header fields with a 200-byte `authorization` that is never indexed,
/// a 200-byte body. CPU is the loop's thread's, between two samples in steady state. Compare with
/// `h2load` against the same server in the same minute.
public struct TransportBench: Sendable {
    /// What was measured between the two samples.
    public struct Result: Sendable {
        /// Requests answered.
        public var requests: UInt64
        /// CPU of the loop's thread.
        public var cpuSeconds: Double
        /// Time that passed.
        public var seconds: Double
        /// Requests of the whole run that were not answered 200.
        public var failures: UInt64

        /// Microseconds of CPU for a request.
        public var microsecondsPerRequest: Double { self.cpuSeconds * 1e6 / Double(max(1, self.requests)) }
        /// Requests per second.
        public var rate: Double { Double(self.requests) / max(self.seconds, 1e-9) }
    }

    /// Where to.
    public var endpoint: ProviderEndpoint
    /// Requests of the whole run; the first and last tenth are not measured.
    public var requests: Int
    /// Connections at most.
    public var connections: Int
    /// Streams of a connection at most.
    public var streams = 1000

    /// A run against `endpoint`.
    public init(endpoint: ProviderEndpoint, requests: Int, connections: Int) {
        self.endpoint = endpoint
        self.requests = requests
        self.connections = connections
    }

    /// Runs on a loop of its own.
    public func run(tls: TLSClientContext, logger: Logger) async throws -> Result {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let promise = loop.makePromise(of: Result.self)
        loop.execute {
            let source = BenchSource(requests: self.requests, authority: "\(self.endpoint)") { promise.succeed($0) }
            var configuration = ProviderPoolConfiguration(seed: 1)
            configuration.connections.connectionsMax = self.connections
            configuration.connections.streamsMax = self.streams
            // Here the number of connections is given, whatever the loop's load.
            let pool = ProviderPool(
                loop: loop, endpoint: self.endpoint, tls: tls, configuration: configuration, source: source,
                logger: logger)
            source.pool = pool
            pool.demandChanged()
        }
        let result = try await promise.futureResult.get()
        try await group.shutdownGracefully()
        return result
    }
}

/// Fills requests as fast as streams become free.
final class BenchSource: RequestSource {
    var pool: ProviderPool?
    private let requests: Int
    private let headers: PreparedHeaders
    private let completed: (TransportBench.Result) -> Void
    private var opened = 0
    private var ended = 0
    private var failures: UInt64 = 0
    private var start: Sample?
    private var end: Sample?
    private let body: [UInt8]

    private struct Sample {
        let answered: Int
        let cpu: Int64
        let wall: Int64
    }

    init(requests: Int, authority: String, completed: @escaping (TransportBench.Result) -> Void) {
        self.requests = requests
        self.completed = completed
        self.body = Array(#"{"aps":{"alert":{"title":"Derby","body":""#.utf8) + [UInt8](repeating: 0x61, count: 159)
        self.headers = PreparedHeaders(
            authority: authority,
            fields: [
                HeaderField("apns-topic", "com.example.news"),
                HeaderField("apns-push-type", "alert"),
                HeaderField("apns-priority", "10"),
                HeaderField("apns-expiration", "1790000000", indexing: .nameOnly),
                HeaderField("apns-collapse-id", "derby-score", indexing: .nameOnly),
                HeaderField(
                    "authorization", "bearer " + String(repeating: "x", count: 193), indexing: .never),
            ],
            perRequestName: "apns-id"
        )
    }

    func nextRequest(_ request: inout RequestWriter) -> Bool {
        guard self.opened < self.requests else { return false }
        let number = UInt64(self.opened)
        self.opened += 1
        request.tag = number
        request.headers = self.headers
        request.setPath(capacity: 74) { room in
            room.copyBytes(from: "/3/device/".utf8)
            BenchSource.hex(number, into: room, from: 10, to: 74)
            return 74
        }
        request.setPerRequestValue(capacity: 36) { room in
            BenchSource.hex(number, into: room, from: 0, to: 36)
            for dash in [8, 13, 18, 23] { room[dash] = UInt8(ascii: "-") }
            return 36
        }
        self.body.withUnsafeBytes { request.setBody($0) }
        return true
    }

    /// Hexadecimal digits that look as random as a token's.
    private static func hex(_ number: UInt64, into room: UnsafeMutableRawBufferPointer, from: Int, to: Int) {
        var state = number &* 0x9E37_79B9_7F4A_7C15
        for index in from..<to {
            if (index - from) % 16 == 0 { state = (state ^ (state >> 29)) &* 0xBF58_476D_1CE4_E5B9 }
            let digit = UInt8(truncatingIfNeeded: state >> UInt64(4 * ((index - from) % 16))) & 15
            room[index] = digit < 10 ? 0x30 + digit : 0x57 + digit
        }
    }

    func answered(tag: UInt64, answer: borrowing ProviderAnswer) {
        if answer.status != 200 { self.failures += 1 }
        self.ended += 1
    }

    func unanswered(tag: UInt64, reason: Unanswered) {
        self.failures += 1
        self.ended += 1
    }

    func connectionFailed(_ failure: ConnectionFailure) {
        // A bench does not wait for a server that is not there.
        guard self.opened == 0 else { return }
        self.opened = self.requests
        self.ended = self.requests
        self.failures = UInt64(self.requests)
    }

    func turnEnded() {
        if self.start == nil && self.ended >= self.requests / 10 { self.start = self.sample() }
        if self.end == nil && self.ended >= self.requests - self.requests / 10 { self.end = self.sample() }
        guard self.ended >= self.requests, let pool = self.pool, let start = self.start, let end = self.end else {
            return
        }
        self.pool = nil
        let result = TransportBench.Result(
            requests: UInt64(end.answered - start.answered),
            cpuSeconds: Double(end.cpu - start.cpu) / 1e9,
            seconds: Double(end.wall - start.wall) / 1e9,
            failures: self.failures
        )
        pool.close { self.completed(result) }
    }

    private func sample() -> Sample {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Sample(
            answered: self.ended,
            cpu: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec),
            wall: Int64(clamping: NIODeadline.now().uptimeNanoseconds)
        )
    }
}
