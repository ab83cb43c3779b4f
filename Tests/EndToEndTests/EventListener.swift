import AMQP
import Campaigns
import Delivery
import Servers
import Synchronization
import Transport

/// A private queue on `fanfare.events`, as a producer binds it to receive events about its jobs.
final class EventListener: Sendable {
    /// An event with the message's correlation id.
    struct Heard: Sendable {
        let correlationID: String?
        let json: JSONValue

        /// The JSON pointers of a refusal.
        var pointers: [String] { json["data"]?["errors"]?.array?.compactMap { $0["pointer"]?.string } ?? [] }
    }

    private let client: AMQPClient
    private let task: Task<Void, Never>
    private let heard: Box

    private final class Box: Sendable {
        let events = Mutex<[Heard]>([])
    }

    /// Receives events until it is closed.
    init(_ fleet: PrivateFleet) async throws {
        let client = try await AMQPClient.connect(fleet.endpoint, name: "ear", on: PrivateBroker.loop)
        try await client.call(.declareQueue(name: "ear", exclusive: true))
        try await client.call(.bindQueue(queue: "ear", exchange: BrokerNames.events, routingKey: "#"))
        try await client.call(.consume(queue: "ear", consumerTag: "ear", noAck: true))
        let box = Box()
        heard = box
        self.client = client
        task = Task {
            for await message in client.messages {
                guard let json = JSONReader.read(message.body).value else { continue }
                box.events.withLock {
                    $0.append(Heard(correlationID: message.properties.correlationID, json: json))
                }
            }
        }
    }

    /// Waits for the events of a type about one message, or with nil about an app.
    func events(_ type: String, of id: String?, count: Int = 1) async throws -> [Heard] {
        try await eventually("\(count) \(type) of \(id ?? "an app")", within: .seconds(30)) {
            let events = heard.events.withLock { $0 }
                .filter { $0.correlationID == id && $0.json["type"]?.string == type }
            return events.count >= count ? events : nil
        }
    }

    func close() async {
        await client.close()
        await task.value
    }
}
