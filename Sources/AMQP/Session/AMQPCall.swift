/// A command that the broker answers; answers come in the order of the calls.
public enum AMQPCall: Sendable, Equatable {
    /// Creates an exchange, durable; fine when it exists alike.
    case declareExchange(name: String, type: String, arguments: [MessageHeader] = [])
    /// Asks whether an exchange exists; the channel is closed with 404 when it does not.
    case checkExchange(name: String)
    /// Deletes an exchange; fine when there is none.
    case deleteExchange(name: String)
    /// Routes messages of one exchange to another.
    case bindExchange(source: String, destination: String, routingKey: String, arguments: [MessageHeader] = [])
    /// Creates a queue; fine when it exists alike. `exclusive` ones belong to the connection and end with it.
    case declareQueue(name: String, exclusive: Bool = false, arguments: [MessageHeader] = [])
    /// Asks whether a queue exists and how full it is; the channel is closed with 404 when there is none.
    case checkQueue(name: String)
    /// Deletes a queue with its messages; fine when there is none.
    case deleteQueue(name: String)
    /// Removes all messages that are ready.
    case purgeQueue(name: String)
    /// Routes messages of an exchange to a queue.
    case bindQueue(queue: String, exchange: String, routingKey: String, arguments: [MessageHeader] = [])
    /// Takes back `bindQueue`.
    case unbindQueue(queue: String, exchange: String, routingKey: String, arguments: [MessageHeader] = [])
    /// How many unacknowledged messages each consumer that is started after this may hold.
    case qos(prefetch: UInt16)
    /// Starts a consumer; without `noAck` each message must be acknowledged.
    case consume(queue: String, consumerTag: String, noAck: Bool = false)
    /// Ends a consumer; messages in flight still arrive before the answer.
    case cancel(consumerTag: String)
}
