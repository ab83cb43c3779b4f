import AMQP
package import Campaigns
import Delivery
package import NIOCore
package import Store
package import Transport

/// Publishes jobs like any producer: mandatory, with confirms.
///
/// May be used from any task; does not reconnect after the connection is lost.
package final class CampaignProducer: Sendable {
    /// The reason why the broker did not take a job.
    package enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// There is no exchange for campaigns.
        case noExchange
        /// The exchange has no queue for the message.
        case returned(String)
        /// The queue is at its limit.
        case full
        /// The broker's user may not publish for this app.
        case forbidden(app: String)
        /// The broker did not say if it has the job.
        case unconfirmed
        /// The job cannot be written as AMQP.
        case unwritable(String)

        /// The problem and its fix, in one line.
        package var description: String {
            switch self {
            case .noExchange:
                "the broker has no exchange \(BrokerNames.campaigns): run fanfare topology apply"
            case .returned(let text):
                "the broker has no queue for campaigns (\(text)): run fanfare topology apply"
            case .full:
                "the broker's queue for campaigns is full and refused the job: see that workers take from it "
                    + "(fanfare status), then send it again"
            case .forbidden(let app):
                "the broker does not let this user publish campaigns of \(app): give it the permission to write to "
                    + "\(BrokerNames.campaigns), and the topic permission for \(app)"
            case .unconfirmed:
                "the broker did not confirm the job: it may have it; send it again, the same id is one campaign only"
            case .unwritable(let detail): "the job cannot be written as an AMQP message: \(detail)"
            }
        }
    }

    private let client: AMQPClient

    private init(_ client: AMQPClient) {
        self.client = client
    }

    /// Connects and checks that the exchange exists; throws `AMQPConnectError` or `Failure`.
    ///
    /// `name` is the connection's name in the broker's lists.
    package static func connect(
        _ endpoint: AMQPEndpoint,
        name: String = "fanfare campaign send",
        on loop: any EventLoop
    ) async throws -> CampaignProducer {
        let client = try await AMQPClient.connect(endpoint, name: name, on: loop)
        guard try await client.exchangeExists(BrokerNames.campaigns) else {
            await client.close()
            throw Failure.noExchange
        }
        return CampaignProducer(client)
    }

    /// Publishes a job and waits for the confirm; `body` is the bytes that `job` was decoded from.
    package func publish(_ job: Job, body: [UInt8], at: Timestamp) async throws(Failure) {
        try await publish(JobMessage.outbound(job, body: body, at: at))
    }

    /// Publishes a parked job unchanged and waits for the confirm; intake judges it again.
    package func publish(again message: ParkedMessage) async throws(Failure) {
        try await publish(JobMessage.outbound(again: message))
    }

    private func publish(_ message: OutboundMessage) async throws(Failure) {
        switch await client.publish(message) {
        case .confirmed: return
        case .returned(_, let text): throw .returned(text)
        case .nacked: throw .full
        case .connectionLost: throw await isAlive() ? .forbidden(app: message.routingKey) : .unconfirmed
        case .timedOut, .queueFull: throw .unconfirmed
        case .invalid(let error): throw .unwritable("\(error)")
        }
    }

    /// Returns true if the connection works and the exchange exists: one call to the broker.
    ///
    /// It tells a broker that forbids a publish, and closes only the channel, from one that is gone.
    package func isAlive() async -> Bool {
        do throws(AMQPConnectError) {
            return try await client.exchangeExists(BrokerNames.campaigns)
        } catch {
            return false
        }
    }

    /// Closes the connection cleanly.
    package func close() async { await client.close() }
}
