import Logging
import NIOCore
import Store

/// Writes to the ledger from one event loop, retries every second until the ledger accepts, and counts pending work.
///
/// The log tells once of each reason for which the ledger does not accept.
///
/// Confined to its loop.
final class LedgerWriter {
    let loop: any EventLoop
    let ledger: Ledger
    private let health: HealthRecorder
    private let logger: Logger
    /// The number of writes, publishes and judgements that have not ended; a worker that stops waits for them.
    private(set) var pending = 0
    /// Called whenever something has ended.
    var ended: () -> Void = {}

    init(loop: any EventLoop, ledger: Ledger, health: HealthRecorder, logger: Logger) {
        self.loop = loop
        self.ledger = ledger
        self.health = health
        self.logger = logger
    }

    /// Counts work that is not a write of this writer; `end` must follow.
    func begin() { pending += 1 }

    /// Ends counted work; `follow` may begin more.
    func end(_ count: Int = 1, _ follow: () -> Void = {}) {
        pending -= count
        follow()
        ended()
    }

    /// Runs an action after a second, and counts as pending until then.
    func again(_ action: @escaping () -> Void) {
        begin()
        loop.assumeIsolated().scheduleTask(in: .seconds(1)) { self.end { action() } }
    }

    /// Writes and returns to the loop; until the ledger accepts, the delivery concerned stays unacked.
    func write<Value: Sendable>(
        _ durability: Ledger.Durability,
        _ what: StaticString,
        priority: Ledger.Priority = .atOnce,
        scope: Ledger.WriteScope = .ledger,
        _ body: @escaping @Sendable (LedgerTransaction) throws -> Value,
        then: @escaping (Value) -> Void = { _ in }
    ) {
        begin()
        let bound = NIOLoopBound((self, then), eventLoop: loop)
        ledger.submit(durability, priority: priority, scope: scope, body) { [loop] result in
            loop.execute {
                let (writer, then) = bound.value
                writer.end {
                    switch result {
                    case .success(let value):
                        if writer.health.wrote(.work) { writer.logger.notice("the ledger takes writes again") }
                        then(value)
                    case .failure(.closed): break
                    case .failure(let error):
                        if writer.health.failed(.work, error, at: writer.ledger.now()) {
                            writer.logger.error("the ledger does not take \(what)", metadata: ["error": "\(error)"])
                        }
                        writer.again {
                            writer.write(durability, what, priority: priority, scope: scope, body, then: then)
                        }
                    }
                }
            }
        }
    }
}
