import AMQP
import Campaigns
import Delivery
import Logging
import NIOCore

/// What cannot be read or sent goes to the parked queue, confirmed, before its delivery is acked.
extension WorkDesk {
    /// Bytes that are no shard.
    func park(_ message: InboundMessage, reason: String, detail: String, connection: UInt64) {
        tally.parked(reason)
        logger.warning("a message is parked", metadata: ["queue": "\(message.queue)", "reason": "\(reason)"])
        var properties = message.properties
        properties.expiration = nil
        let problem = Problem(pointer: "", code: reason, detail: detail)
        let facts = ParkedNotice.Facts(queue: message.queue, reason: reason, errors: [problem])
        let delivery = ShardDelivery(
            connection: connection,
            tag: message.deliveryTag,
            generation: 0,
            redelivered: message.redelivered
        )
        publishParked(ParkedNotice.message(facts, properties: properties, body: message.body), delivery)
    }

    /// A shard that the ledger does not know, or that broke the law.
    func park(_ shard: Shard, _ delivery: ShardDelivery, reason: String) {
        tally.parked(reason)
        logger.warning("a shard is parked", metadata: ["shard": "\(shard.id)", "reason": "\(reason)"])
        let facts = ParkedNotice.Facts(
            queue: BrokerNames.workQueue(shard.lane),
            reason: reason,
            app: shard.facts.app,
            campaign: shard.facts.campaignID,
            devices: shard.devices.count
        )
        let properties = MessageProperties(type: "fanfare.shard.v1", messageID: shard.messageID)
        do {
            let body = try shard.encoded()
            publishParked(ParkedNotice.message(facts, properties: properties, body: body), delivery)
        } catch {
            preconditionFailure("\(shard.id) cannot be encoded: \(error)")
        }
    }

    private func publishParked(_ message: OutboundMessage, _ delivery: ShardDelivery) {
        pending += 1
        publisher.publish(message) { [self] isConfirmed in
            if isConfirmed {
                pending -= 1
                return published(delivery)
            }
            loop.assumeIsolated().scheduleTask(in: .seconds(1)) {
                self.pending -= 1
                // The delivery may be gone; then the broker gives the message to somebody who parks it.
                if delivery.connection == self.connection { self.publishParked(message, delivery) }
                self.checkIdle()
            }
        }
    }
}
