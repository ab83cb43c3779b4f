import AMQP
import Campaigns
import Delivery
import Store

/// The AMQP message of a job, as a producer publishes it (contract, section 2).
enum JobMessage {
    /// Returns the message of a valid job.
    ///
    /// `at` is the producer's instant: it replaces a missing `created_at`, in whole seconds.
    static func outbound(_ job: Job, body: [UInt8], at: Timestamp) -> OutboundMessage {
        let isUrgent = job.delivery.policy.urgency == .urgent
        return OutboundMessage(
            exchange: BrokerNames.campaigns,
            routingKey: job.app,
            mandatory: true,
            properties: MessageProperties(
                contentType: "application/json",
                type: JobDecoder.messageType,
                messageID: job.id,
                timestamp: UInt64(max(0, at.seconds)),
                headers: isUrgent ? [MessageHeader(BrokerNames.urgencyHeader, .string(Urgency.urgent.rawValue))] : []
            ),
            body: body
        )
    }

    /// Returns a parked job's message as its producer published it.
    ///
    /// Of its headers only `urgency` is set again: brokers before 4.0 interpret a copied `x-death`. The time spent
    /// parked counts, because `timestamp` stays.
    static func outbound(again message: ParkedMessage) -> OutboundMessage {
        let kept = JSONReader.read(Array(message.headers.utf8)).value
        let isUrgent = message.queue == BrokerNames.urgentCampaignsQueue
        return OutboundMessage(
            exchange: BrokerNames.campaigns,
            routingKey: message.app ?? "",
            mandatory: true,
            properties: MessageProperties(
                contentType: kept?["content_type"]?.string,
                type: kept?["type"]?.string,
                messageID: kept?["message_id"]?.string,
                timestamp: timestamp(kept),
                headers: isUrgent ? [MessageHeader(BrokerNames.urgencyHeader, .string(Urgency.urgent.rawValue))] : []
            ),
            body: message.body
        )
    }

    private static func timestamp(_ kept: JSONValue?) -> UInt64? {
        guard case .number(let number) = kept?["timestamp"] else { return nil }
        return number.integer.flatMap { UInt64(exactly: $0) }
    }
}
