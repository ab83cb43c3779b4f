import Logging
import NIOCore
import Settings
import Synchronization
import Transport

/// Sends spans to a collector of OpenTelemetry (OTLP over HTTP/1.1 with JSON, `POST /v1/traces`), every two seconds.
///
/// It never delays a shard: `add` only puts a span into a bounded queue. If the collector does not answer, spans are
/// sent later; those without room are dropped and counted. May be used from any thread.
final class SpanRelay: Sendable {
    private let client: HTTP1Client
    private let worker: String
    private let logger: Logger
    private let buffer = Mutex(SpanBuffer())

    private static let pause = Duration.seconds(2)

    init(_ collector: Configuration.NetworkAddress, worker: String, loop: any EventLoop, logger: Logger) {
        client = HTTP1Client(host: collector.host, port: collector.port, loop: loop)
        self.worker = worker
        self.logger = logger
    }

    /// The number of spans dropped for lack of room.
    var dropped: Int { buffer.withLock(\.dropped) }

    /// Adds a span to be sent.
    func add(_ span: ShardSpan) { buffer.withLock { $0.add(span) } }

    /// Sends until the task is cancelled, and then once more.
    func run() async {
        var (isWell, told) = (true, 0)
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.pause)  // a cancelled sleep ends the loop
            let was = isWell
            isWell = await flush()
            if was, !isWell { logger.warning("spans wait: the collector does not take them") }
            let gone = dropped
            if gone > told { logger.warning("spans are given up", metadata: ["spans": "\(gone - told)"]) }
            told = gone
        }
    }

    /// Sends the waiting spans; returns true if the collector took them.
    private func flush() async -> Bool {
        while true {
            let spans = buffer.withLock { $0.take() }
            if spans.isEmpty { return true }
            let body = ShardSpan.body(spans, worker: worker)
            let header = HTTP1Client.Header("Content-Type", "application/json")
            do {
                let answer = try await client.send("POST", "/v1/traces", headers: [header], body: body)
                if answer.status == 429 || (502...504).contains(answer.status) {
                    buffer.withLock { $0.giveBack(spans) }
                    return false
                }
                // Spans that it will never accept are not sent again (OTLP, section "Failures").
                if answer.status >= 300 {
                    logger.warning("the collector refuses spans", metadata: ["status": "\(answer.status)"])
                }
            } catch {
                buffer.withLock { $0.giveBack(spans) }
                return false
            }
        }
    }
}
