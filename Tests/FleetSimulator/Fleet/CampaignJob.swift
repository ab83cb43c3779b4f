import AMQP
import Delivery
import NIOCore
import Transport

/// The jobs of the simulated campaigns: each has devices of its own, inline.
struct CampaignJob: Sendable {
    let endpoint: AMQPEndpoint
    /// The devices of each campaign.
    let devices: Int

    static func id(_ campaign: Int) -> String { "derby-\(campaign)" }

    /// Publishes a campaign's job on a connection of its own; returns true once it is confirmed.
    func publish(_ campaign: Int, on loop: SimulatedLoop, _ trace: Trace) async -> Bool {
        do {
            let client = try await AMQPClient.connect(endpoint, name: "producer", on: loop)
            let message = OutboundMessage(
                exchange: BrokerNames.campaigns,
                routingKey: FleetFiles.app,
                properties: MessageProperties(
                    contentType: "application/json",
                    type: "fanfare.campaign.v1",
                    messageID: Self.id(campaign)
                ),
                body: Array(text(of: campaign).utf8)
            )
            let result = await client.publish(message)
            trace.note("producer", "publishes \(Self.id(campaign)): \(result)")
            await client.close()
            return result == .confirmed
        } catch {
            trace.note("producer", "cannot connect: \(error)")
            return false
        }
    }

    private func text(of campaign: Int) -> String {
        let tokens = (campaign * devices..<(campaign + 1) * devices).map { "{\"token\":\"\(Self.token($0))\"}" }
        return "{\"id\":\"\(Self.id(campaign))\",\"app\":\"\(FleetFiles.app)\","
            + "\"audience\":{\"devices\":[\(tokens.joined(separator: ","))]},"
            + "\"content\":{\"title\":\"Kick-off!\",\"body\":\"The derby has begun.\"}}"
    }

    /// Returns a device token whose last digits are the device's number.
    private static func token(_ device: Int) -> String {
        let number = String(device, radix: 16)
        return String(repeating: "a", count: 56) + String(repeating: "0", count: 8 - number.count) + number
    }
}
