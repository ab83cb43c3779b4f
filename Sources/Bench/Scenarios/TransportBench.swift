import Delivery
import HTTP2
import Logging
import NIOCore
import NIOPosix
import TLS
import Transport

/// Measures the cost of the transport alone: requests with APNs' shape over a ``ProviderPool``.
///
/// A request has a 74-byte path with distinct tokens, eleven header fields with a 200-byte `authorization` that is
/// never indexed, and a 200-byte body. CPU is the loop's thread's, between two samples in steady state. Compare with
/// `h2load` against the same server in the same minute.
struct TransportBench: Sendable {
    /// The measurements between the two samples.
    struct Result: Sendable {
        /// The number of requests answered.
        var requests: UInt64
        /// The CPU seconds of the loop's thread.
        var cpuSeconds: Double
        /// The elapsed seconds.
        var seconds: Double
        /// The number of requests of the whole run that were not answered with 200.
        var failures: UInt64
        /// The time from request to answer, of every hundredth request.
        var answerNanoseconds: [Int64]
    }

    /// The server.
    var endpoint: HTTP2Endpoint
    /// The number of requests of the whole run; the first and last tenth are not measured.
    var requests: Int
    /// The most connections.
    var connections: Int
    /// The most streams per connection.
    var streams = 1000

    /// Runs on its own loop.
    func run(tls: TLSClientContext, logger: Logger) async throws -> Result {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let promise = loop.makePromise(of: Result.self)
        loop.execute {
            let source = BenchSource(requests: self.requests, authority: "\(self.endpoint)") { promise.succeed($0) }
            var configuration = ProviderPoolConfiguration(seed: 1)
            configuration.connections.connectionsMax = self.connections
            configuration.connections.streamsMax = self.streams
            // The number of connections is fixed here, whatever the loop's load.
            let pool = ProviderPool(
                loop: loop,
                endpoint: self.endpoint,
                tls: tls,
                configuration: configuration,
                source: source,
                logger: logger
            )
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
    private var answerNanoseconds: [Int64] = []
    private var start: Sample?
    private var end: Sample?
    private let body: [UInt8]
    private let path = Array("/3/device/".utf8) + BenchSource.token
    private let id = Array("00000000-52a1-8c3e-9b7d-e41f6a08c2d5".utf8)
    private static let token = Array("7f3a9c04d1e8b65220fb91ce47ad38065cbe14f7920d6a83e5b17c48fd2a9036".utf8)

    private struct Sample {
        let answered: Int
        let cpu: Double
        let wall: Int64
    }

    init(requests: Int, authority: String, completed: @escaping (TransportBench.Result) -> Void) {
        self.requests = requests
        self.completed = completed
        self.answerNanoseconds.reserveCapacity(requests / 100 + 1)
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
                    "authorization",
                    "bearer " + String(repeating: "x", count: 193),
                    indexing: .never
                ),
            ],
            perRequestName: "apns-id"
        )
    }

    func openingBegan() {}

    func nextRequest(_ request: inout RequestWriter) -> Bool {
        guard self.opened < self.requests else { return false }
        let number = UInt64(self.opened)
        self.opened += 1
        request.tag = number
        request.setHeaders(self.headers)
        // Sixteen distinct digits; the token as a whole is incompressible.
        let digits = BenchSource.hexDigits(number &* 0x9E37_79B9_7F4A_7C15)
        let (path, id) = (self.path, self.id)
        request.setPath(capacity: path.count) { room in
            room.copyBytes(from: path)
            withUnsafeBytes(of: digits) { UnsafeMutableRawBufferPointer(rebasing: room[10..<26]).copyMemory(from: $0) }
            return path.count
        }
        request.setPerRequestValue(capacity: id.count) { room in
            room.copyBytes(from: id)
            withUnsafeBytes(of: digits.0) {
                UnsafeMutableRawBufferPointer(rebasing: room[0..<8]).copyMemory(from: $0)
            }
            return id.count
        }
        self.body.withUnsafeBytes { request.setBody($0) }
        return true
    }

    /// Returns the sixteen hexadecimal digits of a number, as two words of eight.
    private static func hexDigits(_ number: UInt64) -> (UInt64, UInt64) {
        (hexDigits(UInt32(truncatingIfNeeded: number)), hexDigits(UInt32(truncatingIfNeeded: number >> 32)))
    }

    private static func hexDigits(_ number: UInt32) -> UInt64 {
        // One nibble per byte, then '0' to '9' or 'a' to 'f' without a branch.
        var spread = UInt64(number)
        spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        spread = (spread | spread << 4) & 0x0F0F_0F0F_0F0F_0F0F
        let letters = ((spread &+ 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
        return spread &+ 0x3030_3030_3030_3030 &+ letters &* 0x27
    }

    func answered(tag: UInt64, answer: borrowing ProviderAnswer) {
        if answer.status != 200 { self.failures += 1 }
        if tag % 100 == 0 { self.answerNanoseconds.append(answer.nanoseconds) }
        self.ended += 1
    }

    func unanswered(tag: UInt64, reason: Unanswered) {
        self.failures += 1
        self.ended += 1
    }

    func connectionFailed(_ failure: ConnectionFailure) {
        // A bench does not wait for a server that does not run.
        guard self.opened == 0 else { return }
        self.opened = self.requests
        self.ended = self.requests
        self.failures = UInt64(self.requests)
    }

    func tickEnded() {
        if self.start == nil && self.ended >= self.requests / 10 { self.start = self.sample() }
        if self.end == nil && self.ended >= self.requests - self.requests / 10 { self.end = self.sample() }
        guard self.ended >= self.requests, let pool = self.pool, let start = self.start, let end = self.end else {
            return
        }
        self.pool = nil
        let result = TransportBench.Result(
            requests: UInt64(end.answered - start.answered),
            cpuSeconds: end.cpu - start.cpu,
            seconds: Double(end.wall - start.wall) / 1e9,
            failures: self.failures,
            answerNanoseconds: self.answerNanoseconds
        )
        pool.close { self.completed(result) }
    }

    private func sample() -> Sample {
        Sample(
            answered: self.ended,
            cpu: ProcessMetrics.cpuSecondsOfThisThread(),
            wall: Int64(clamping: NIODeadline.now().uptimeNanoseconds)
        )
    }
}
