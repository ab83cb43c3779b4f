import AMQP
import Campaigns
import Delivery
import Logging

/// Parking: what cannot be read or sent goes to the parked queue, confirmed, before its delivery is acked.
extension WorkCoordinator {
    /// Parks bytes that are not a shard.
    func park(_ message: InboundMessage, reason: String, detail: String, connection: UInt64) {
        let problem = Problem(pointer: "", code: reason, detail: detail)
        logger.warning("a message is parked", metadata: ["queue": "\(message.queue)", "reason": "\(reason)"])
        let facts = ParkedNotice.Facts(queue: message.queue, reason: reason, errors: [problem])
        park(facts, message.properties, message.body, ShardDelivery(message, connection: connection, generation: 0))
    }

    /// Parks a shard that the ledger does not know, or that broke the law.
    func park(_ shard: Shard, _ delivery: ShardDelivery, reason: String) {
        logger.warning("a shard is parked", metadata: ["shard": "\(shard.id)", "reason": "\(reason)"])
        let facts = ParkedNotice.Facts(
            queue: BrokerNames.workQueue(shard.lane),
            reason: reason,
            app: shard.facts.app,
            campaign: shard.facts.campaignID,
            devices: shard.devices.count
        )
        do {
            let body = try shard.encoded()
            park(facts, MessageProperties(type: "fanfare.shard.v1", messageID: shard.messageID), body, delivery)
        } catch {
            preconditionFailure("\(shard.id) cannot be encoded: \(error)")
        }
    }

    private func park(
        _ facts: ParkedNotice.Facts,
        _ properties: MessageProperties,
        _ body: [UInt8],
        _ delivery: ShardDelivery
    ) {
        counters.parked(facts.reason)
        publishParked(ParkedNotice.message(facts, properties: properties, body: body), delivery) { [self] in
            tell { shards, _ in shards.published(delivery) }
        }
    }

    /// Publishes until confirmed.
    ///
    /// It stops when the delivery is gone: then the broker redelivers the message, and its receiver parks it.
    func publishParked(_ message: OutboundMessage, _ delivery: ShardDelivery, _ confirmed: @escaping () -> Void) {
        writer.begin()
        publisher.publish(message) { [self] isConfirmed in
            writer.end {
                guard !isConfirmed else { return confirmed() }
                writer.again { [self] in
                    if delivery.connection == connection { publishParked(message, delivery, confirmed) }
                }
            }
        }
    }
}

extension ShardDelivery {
    /// Creates a delivery from a received message.
    init(_ message: InboundMessage, connection: UInt64, generation: UInt32, campaignQueue: String? = nil) {
        var returns = 0
        if case .integer(let count) = message.properties.header(BrokerNames.returnsHeader) { returns = Int(count) }
        self.init(
            connection: connection,
            tag: message.deliveryTag,
            generation: generation,
            redelivered: message.redelivered,
            campaignQueue: campaignQueue,
            returns: returns
        )
    }
}
