import AMQP
import Delivery
import NIOCore
import Transport

/// The job of a simulated campaign, on its way to the broker.
struct CampaignJob: Sendable {
    let id: String
    let text: String
    /// True if it comes by the urgent intake.
    let isFast: Bool

    /// Publishes the job on a connection of its own; returns true once it is confirmed.
    func publish(to endpoint: AMQPEndpoint, on loop: SimulatedLoop, _ trace: Trace) async -> Bool {
        do {
            let client = try await AMQPClient.connect(endpoint, name: "producer", on: loop)
            let message = OutboundMessage(
                exchange: isFast ? BrokerNames.campaignsSplit : BrokerNames.campaigns,
                routingKey: FleetFiles.app,
                properties: MessageProperties(
                    contentType: "application/json",
                    type: "fanfare.campaign.v1",
                    messageID: id
                ),
                body: Array(text.utf8)
            )
            let result = await client.publish(message)
            trace.note("producer", "publishes \(id): \(result)")
            await client.close()
            return result == .confirmed
        } catch {
            trace.note("producer", "cannot connect: \(error)")
            return false
        }
    }
}
