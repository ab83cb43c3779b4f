import AMQP
import Campaigns
import Delivery
import Logging
import NIOCore
import Store

/// Carries tracking batches from the broker to the ledger and acks what is committed (role `tracking`).
///
/// Batches that come during a transaction share the next one. Confined to the worker's loop.
final class TrackingCoordinator {
    /// The unacknowledged messages: the most that one transaction takes.
    static let prefetch: UInt16 = 256
    /// The entries of a transaction at which no more messages join it, so that senders' commits do not wait long.
    private static let entriesMax = 2_000

    /// A message with its entries.
    private struct Arrival {
        var entries: [TrackingBatch.Entry]
        var tag: UInt64
        var connection: UInt64
    }

    private let loop: any EventLoop
    private let ledger: Ledger
    private let work: WorkCoordinator
    private let retention: Retention
    private let logger: Logger
    private var waiting: [Arrival] = []
    private var isWriting = false
    private(set) var counters = TrackingCounters()
    var ack: (_ tag: UInt64, _ connection: UInt64) -> Void = { _, _ in }

    init(loop: any EventLoop, ledger: Ledger, work: WorkCoordinator, retention: Retention, logger: Logger) {
        self.loop = loop
        self.ledger = ledger
        self.work = work
        self.retention = retention
        self.logger = logger
    }

    func received(_ message: InboundMessage, connection: UInt64) {
        do throws(TrackingBatch.Failure) {
            guard !message.isTruncated else { throw .malformed("more than \(TrackingBatch.bytesMax) bytes") }
            let batch = try TrackingBatch(encoded: message.body)
            waiting.append(Arrival(entries: batch.entries, tag: message.deliveryTag, connection: connection))
            work.writer.begin()
            write()
        } catch {
            work.park(message, reason: error.reason, detail: error.description, connection: connection)
        }
    }

    /// Notes that the connection is gone: the broker redelivers waiting messages; those being written may come again.
    func disconnected() {
        work.writer.end(waiting.count) { waiting.removeAll() }
    }

    private func write() {
        guard !isWriting, !waiting.isEmpty else { return }
        var (batch, count): ([Arrival], Int) = ([], 0)
        for arrival in waiting {
            guard batch.isEmpty || count + arrival.entries.count <= Self.entriesMax else { break }
            batch.append(arrival)
            count += arrival.entries.count
        }
        waiting.removeFirst(batch.count)
        isWriting = true
        let arrivals = batch
        commit(arrivals)
    }

    private func commit(_ arrivals: [Arrival]) {
        let (entries, retention) = (arrivals.flatMap(\.entries), retention)
        let done = NIOLoopBound(Done(coordinator: self, arrivals: arrivals), eventLoop: loop)
        ledger.submit(.synced, priority: .withOthers) { [ledger] transaction in
            try transaction.track(entries, retention, now: ledger.now())
        } completion: { [loop] result in
            loop.execute { done.value.coordinator.written(done.value.arrivals, result) }
        }
    }

    private struct Done {
        let coordinator: TrackingCoordinator
        let arrivals: [Arrival]
    }

    private func written(_ arrivals: [Arrival], _ result: Result<TrackingResult, LedgerError>) {
        switch result {
        case .success(let counts):
            counters.wrote(counts)
            for arrival in arrivals { ack(arrival.tag, arrival.connection) }
            end(arrivals)
        case .failure(.closed): end(arrivals)
        case .failure(let error):
            logger.error("tracking reports wait for the ledger", metadata: ["error": "\(error)"])
            loop.assumeIsolated().scheduleTask(in: .seconds(1)) {
                // If the connection is gone, another worker gets the message too, and it still counts once.
                self.commit(arrivals)
            }
        }
    }

    private func end(_ arrivals: [Arrival]) {
        isWriting = false
        work.writer.end(arrivals.count) { write() }
    }
}
