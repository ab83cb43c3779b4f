import AMQP
import Campaigns
import Delivery
import NIOCore
import Store
import Transport

/// Publishes shards, parked messages and events: persistent, mandatory, confirmed.
///
/// Confined to the publisher's loop.
final class ShardPublisher {
    let loop: any EventLoop
    private let publisher: AMQPPublisher
    private let ledger: Ledger
    private var random = SystemRandomNumberGenerator()

    init(loop: any EventLoop, publisher: AMQPPublisher, ledger: Ledger) {
        self.loop = loop
        self.publisher = publisher
        self.ledger = ledger
    }

    /// Publishes a shard to its lane, or to the rung that it waits on.
    ///
    /// `completion` receives within ten seconds if the broker has it; if not, the row stays in the outbox.
    func publish(
        _ record: ShardRecord,
        body: [UInt8],
        lane: Lane,
        expiresAt: Timestamp,
        _ completion: @escaping (Bool) -> Void
    ) {
        var exchange = BrokerNames.work
        let now = ledger.now()
        if let rung = record.rung, let dueAt = record.dueAt, dueAt > now {
            let isLonger = Bool.random(using: &random)
            guard let queue = RungQueue.choose(rung, dueAt: dueAt, random: isLonger, now: now, expiresAt: expiresAt)
            else { return completion(false) }
            exchange = BrokerNames.retryExchange(queue.rung, queue.side)
        }
        let properties = MessageProperties(
            contentType: "application/x-protobuf",
            type: "fanfare.shard.v1",
            messageID: record.id.messageID(generation: record.generation),
            timestamp: UInt64(max(0, now.seconds))
        )
        publish(
            OutboundMessage(exchange: exchange, routingKey: lane.description, properties: properties, body: body),
            completion
        )
    }

    /// Publishes a shard of the ledger's outbox.
    func publish(_ shard: ShardToPublish, _ completion: @escaping (Bool) -> Void) {
        do {
            let body = try shard.body()
            publish(shard.record, body: body, lane: shard.lane, expiresAt: shard.facts.expiresAt, completion)
        } catch {
            preconditionFailure("shard \(shard.record.id) cannot be encoded: \(error)")
        }
    }

    /// Publishes several shards; `completion` receives those that were confirmed.
    func publish(_ shards: [OutgoingShard], _ completion: @escaping ([(key: ShardKey, generation: UInt32)]) -> Void) {
        let answers = Answers(left: shards.count)
        for shard in shards {
            shard.publish(to: self) { isConfirmed in
                if isConfirmed { answers.confirmed.append((shard.record.id.key, shard.record.generation)) }
                answers.left -= 1
                if answers.left == 0 { completion(answers.confirmed) }
            }
        }
    }

    private final class Answers {
        var left: Int
        var confirmed: [(key: ShardKey, generation: UInt32)] = []

        init(left: Int) {
            self.left = left
        }
    }

    /// Publishes any message; `completion` receives true when the broker has it.
    func publish(_ message: OutboundMessage, _ completion: @escaping (Bool) -> Void) {
        publisher.publish(message) { completion($0 == .confirmed) }
    }

    /// Publishes an event; `completion` receives the result.
    func publish(event message: OutboundMessage, _ completion: @escaping (PublishResult) -> Void) {
        publisher.publish(message, completion: completion)
    }
}
