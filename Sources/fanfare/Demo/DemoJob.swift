import AMQP
import Campaigns
import Delivery
import Operations
import Transport

/// The demo's job, published as any producer would: JSON over AMQP, nothing of ours.
struct DemoJob: Sendable {
    /// The app of the simulator's `apps.yaml`.
    static let app = "news"
    /// The ledger is new, so the id may be the same in every run.
    static let id = "derby-kickoff"
    /// The name under which the devices are uploaded.
    static let list = "subscribers"

    /// The campaign's time to live in seconds; long enough for the retries of 5 s.
    let ttl: Int
    let createdAt: Timestamp

    /// The published text, to the byte.
    var text: String {
        """
        {
          "id": "\(Self.id)",
          "app": "\(Self.app)",
          "created_at": "\(createdAt.rfc3339)",
          "audience": {"list": "\(Self.list)"},
          "content": {"title": "Kick-off!", "body": "The derby has begun.", "sound": "default", "data": {"match": 7}},
          "delivery": {"ttl": \(ttl)}
        }
        """
    }

    /// Publishes with a confirm and as mandatory, so that a job that no queue takes is returned.
    func publish(_ client: AMQPClient) async throws {
        let properties = MessageProperties(
            contentType: "application/json",
            type: "fanfare.campaign.v1",
            messageID: Self.id,
            timestamp: UInt64(max(0, createdAt.seconds)),
            deliveryMode: 2
        )
        let message = OutboundMessage(
            exchange: BrokerNames.campaigns,
            routingKey: Self.app,
            properties: properties,
            body: Array(text.utf8)
        )
        let result = await client.publish(message)
        guard result == .confirmed else {
            throw CommandFailure(.unavailable, "the broker did not confirm the job: \(result)")
        }
    }
}
