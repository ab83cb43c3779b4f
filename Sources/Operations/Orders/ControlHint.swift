import AMQP
package import Delivery
package import NIOCore
import Synchronization
package import Transport

/// Tells all workers to poll the ledger now, or to read their files again: a hint, never an order (design, section 6).
///
/// It connects while its owner does something else. Without a broker, or without permission to publish the hint,
/// workers see the change within half a second anyway. May be used from any task.
package final class ControlHint: Sendable {
    private let client = Mutex<AMQPClient?>(nil)
    private let signal = WakeSignal()
    private let connecting = Mutex<Task<Void, Never>?>(nil)

    /// Starts to connect.
    package init(_ endpoint: AMQPEndpoint, on loop: any EventLoop) {
        let task = Task {
            defer { signal.wake() }
            do throws(AMQPConnectError) {
                let client = try await AMQPClient.connect(
                    endpoint,
                    name: "fanfare hint",
                    on: loop,
                    confirmTimeout: .seconds(2),
                    callTimeout: .seconds(2)
                )
                self.client.withLock { $0 = client }
            } catch {
                // The ledger has all that matters.
            }
        }
        connecting.withLock { $0 = task }
    }

    /// Waits until it is connected, or cannot be, or the time is over; call it once, before `send`.
    package func ready(within time: Duration) async {
        await signal.wait(upTo: time)
    }

    /// Tells all workers of an order to read their files again; without a broker only those that look for it know.
    package func reload(_ order: ReloadOrder) async {
        guard let client = client.withLock({ $0 }) else { return }
        _ = await client.publish(Self.message("\(order.number)", type: Self.reloadType))
    }

    /// Publishes the hint; returns when the broker has it, or at once without a broker.
    package func send(at campaign: String) async {
        guard let client = client.withLock({ $0 }) else { return }
        _ = await client.publish(Self.message(campaign))
    }

    /// Closes the connection.
    package func close() async {
        await client.withLock({ $0 })?.close()
    }

    /// The type of a message about a reload: with an order's number a hint to poll, as every other message is.
    ///
    /// Without a number it is an earlier version's, which knows no order in the ledger, and asks for the reload itself.
    package static let reloadType = "fanfare.reload.v1"

    /// Returns the message, which is not mandatory: a worker that is not there needs no hint.
    static func message(_ campaign: String, type: String = "fanfare.hint.v1") -> OutboundMessage {
        OutboundMessage(
            exchange: BrokerNames.control,
            routingKey: "",
            mandatory: false,
            properties: MessageProperties(type: type, deliveryMode: 1),
            body: Array(campaign.utf8)
        )
    }
}
