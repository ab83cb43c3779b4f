import AMQP
import Campaigns
import Delivery
import Logging
import NIOCore
import Store

/// Carries campaign messages from the broker's loop to the intake tasks, and verdicts back.
///
/// Confined to the loop of the worker's AMQP connections; messages of one queue are handled one after the other.
final class IntakeCoordinator {
    private let work: WorkCoordinator
    private let queues: [String: AsyncStream<Item>.Continuation]
    /// The messages of each queue, one task each.
    let streams: [AsyncStream<Item>]
    /// Called when a campaign was accepted, so that the planner polls at once.
    var accepted: () -> Void = {}

    struct Item: Sendable {
        var message: InboundMessage
        var connection: UInt64
    }

    init(work: WorkCoordinator, queues names: [String]) {
        self.work = work
        let pairs = names.map { ($0, AsyncStream<Item>.makeStream()) }
        queues = Dictionary(uniqueKeysWithValues: pairs.map { ($0.0, $0.1.continuation) })
        streams = pairs.map(\.1.stream)
    }

    func received(_ message: InboundMessage, connection: UInt64) {
        let result = queues[message.queue]?.yield(Item(message: message, connection: connection))
        // A worker that stops first decides about the messages it has taken; otherwise urgent shards would begin when
        // everything is closed.
        if case .enqueued = result { work.writer.begin() }
    }

    /// Ends the tasks after the messages that were taken.
    func finish() {
        for queue in queues.values { queue.finish() }
    }

    private static let fix = "fix what the error says, then fanfare parked replay"

    /// Runs the task of one queue; `decided` gets each message with its verdict.
    static func run(
        _ stream: AsyncStream<Item>,
        _ intake: Intake,
        logger: Logger,
        decided: @Sendable (Intake.Verdict, Item) -> Void
    ) async {
        for await item in stream {
            var tries = IntakeTries()
            while !Task.isCancelled {
                do {
                    let verdict = try await intake.handle(item.message)
                    decided(verdict, item)
                    break
                } catch let error as ShardError {
                    // The devices cannot be written as a list; no ledger would help.
                    let problem = Problem(pointer: "/audience/devices", code: .value, detail: error.description)
                    let facts = ParkedNotice.Facts(
                        queue: item.message.queue,
                        reason: error.reason,
                        errors: [problem],
                        app: item.message.routingKey
                    )
                    decided(.refused(facts), item)
                    break
                } catch {
                    let isOfLedger = (error as? LedgerError)?.isOfLedger ?? false
                    switch tries.failed(isOfLedger: isOfLedger, now: MonotonicInstant(of: .now())) {
                    case .again(let pause):
                        // The acceptance waits, unacked, for a ledger that does not answer.
                        logger.error("a campaign waits for the ledger", metadata: ["error": "\(error)"])
                        try? await Task.sleep(for: pause)
                        continue
                    case .park: logger.error("the ledger never takes a campaign", metadata: ["error": "\(error)"])
                    }
                    let facts = ParkedNotice.Facts(
                        queue: item.message.queue,
                        reason: "LedgerError",
                        errors: [Problem(pointer: "", code: .ledgerError, detail: "\(error)", fix: Self.fix)],
                        app: item.message.routingKey
                    )
                    decided(.refused(facts), item)
                    break
                }
            }
        }
    }

    /// Carries out a verdict; on the loop.
    func decided(_ verdict: Intake.Verdict, _ item: Item) {
        work.writer.end { act(on: verdict, item) }
    }

    private func act(on verdict: Intake.Verdict, _ item: Item) {
        if let second = item.message.properties.timestamp {
            let urgency: Urgency = item.message.queue == BrokerNames.urgentCampaignsQueue ? .urgent : .bulk
            work.counters.judged(urgency, published: Int64(clamping: second), now: work.ledger.now())
        }
        let delivery = ShardDelivery(
            item.message,
            connection: item.connection,
            generation: 1,
            campaignQueue: item.message.queue
        )
        switch verdict {
        case .accepted:
            work.ack(delivery)
            accepted()
        case .refused(let facts): park(facts, item, delivery)
        case .claimed(let shards):
            work.runClaimed(shards, delivery)
            accepted()
        case .reclaim(let shards): work.reclaim(shards, delivery)
        }
    }

    private func park(_ facts: ParkedNotice.Facts, _ item: Item, _ delivery: ShardDelivery) {
        let notice = ParkedNotice.message(facts, properties: item.message.properties, body: item.message.body)
        work.publishParked(notice, delivery) { [work] in work.ack(delivery) }
    }
}
