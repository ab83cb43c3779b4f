import AMQP
import Campaigns
import Delivery

/// A job as the message that a producer publishes (contract, section 2).
enum JobMessage {
    /// The message of a job whose bytes were found good.
    ///
    /// `at` is the producer's instant: it stands in for a `created_at` that the job leaves out, in whole seconds.
    static func outbound(_ job: Job, body: [UInt8], at: Timestamp) -> OutboundMessage {
        let isUrgent = job.delivery.urgency == .urgent
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
}
