import AMQP
import Transport

/// A producer in Swift concurrency: publishes every shard until the broker has confirmed it.
///
/// Its tasks, pauses and continuations run on the seeded executor.
struct Producer: Sendable {
    let loop: SimulatedLoop
    let endpoint: AMQPEndpoint
    let shards: [CourierShard]
    /// The longest pause between two shards, in milliseconds.
    let pause: Int
    let observer: Observer

    /// Publishes all shards, in two streams at once.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for half in 0..<2 {
                let own = shards.filter { $0.number % 2 == half }
                group.addTask { await publish(own, as: "producer \(half)") }
            }
        }
        observer.produced()
    }

    private func publish(_ shards: [CourierShard], as name: String) async {
        var unpublished = shards[...]
        while !unpublished.isEmpty {
            guard let client = try? await AMQPClient.connect(endpoint, name: name, on: loop) else {
                try? await Task.sleep(for: .milliseconds(Int.random(in: 200...1200)))
                continue
            }
            while let next = unpublished.first, await publish(next, with: client, name) {
                unpublished.removeFirst()
                try? await Task.sleep(for: .milliseconds(Int.random(in: 0...pause)))
            }
            await client.close()
        }
    }

    private func publish(_ shard: CourierShard, with client: AMQPClient, _ name: String) async -> Bool {
        let published = observer.publishBegan(shard.id, by: name, at: loop.runQueue.host.awakeTime)
        let result = await client.publish(
            OutboundMessage(
                exchange: "",
                routingKey: Courier.Names.work,
                properties: MessageProperties(type: "courier.shard", messageID: shard.id),
                body: shard.body
            )
        )
        observer.publishEnded(published, result.observed, at: loop.runQueue.host.awakeTime)
        return result == .confirmed
    }
}
