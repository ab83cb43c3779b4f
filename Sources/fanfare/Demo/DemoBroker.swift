import Campaigns
import Delivery
import NIOPosix
import Operations
import Settings
import Transport

/// The broker of a demo, which nobody else may use.
enum DemoBroker {
    /// Connects, and throws if the broker is in use: nobody else may take the demo's campaign, nor the demo's workers
    /// theirs.
    static func connect(_ broker: Configuration) async throws -> AMQPClient {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        do {
            let client = try await AMQPClient.connect(broker.amqp, name: "fanfare demo", on: loop)
            // Nobody takes any more for a node that is down, whose consumers its queues keep until it is back.
            let live = try? await ManagementAPI(broker, loop: loop).liveConsumers()
            for queue in TopologyManifest.builtIn.queues {
                guard let counts = try await client.counts(of: queue.name) else { continue }
                let consumers = live?[queue.name] ?? Int(counts.consumers)
                if consumers > 0 { throw taken(broker, "somebody takes from its queue \(queue.name)") }
                if counts.ready > 0, queue.name != BrokerNames.parkedQueue {
                    throw taken(broker, "its queue \(queue.name) holds messages")
                }
            }
            return client
        } catch let error as AMQPConnectError {
            throw CommandFailure(error)
        }
    }

    private static func taken(_ broker: Configuration, _ reason: String) -> CommandFailure {
        CommandFailure(
            .usage,
            "the broker \(broker.amqp) is in use, \(reason): "
                + "give the demo a virtual host of its own (FANFARE_AMQP_URL); an interrupted demo leaves messages, too"
        )
    }
}
