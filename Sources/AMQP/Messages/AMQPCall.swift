/// A command that the broker answers; answers come in the order of the calls.
public enum AMQPCall: Sendable, Equatable {
    /// Creates a durable exchange; succeeds if an identical one exists.
    case declareExchange(name: String, type: String, arguments: [MessageHeader] = [])
    /// Asks whether an exchange exists; the channel is closed with 404 when it does not.
    case checkExchange(name: String)
    /// Deletes an exchange; succeeds if there is none.
    case deleteExchange(name: String)
    /// Routes messages of one exchange to another.
    case bindExchange(source: String, destination: String, routingKey: String, arguments: [MessageHeader] = [])
    /// Creates a queue; succeeds if an identical one exists. An `exclusive` queue belongs to its connection and ends
    /// with it.
    case declareQueue(name: String, exclusive: Bool = false, arguments: [MessageHeader] = [])
    /// Asks whether a queue exists and how many messages it holds; the channel is closed with 404 when there is none.
    case checkQueue(name: String)
    /// Deletes a queue with its messages; succeeds if there is none.
    case deleteQueue(name: String)
    /// Removes all messages that are ready.
    case purgeQueue(name: String)
    /// Routes messages of an exchange to a queue.
    case bindQueue(queue: String, exchange: String, routingKey: String, arguments: [MessageHeader] = [])
    /// Removes a binding made by `bindQueue`.
    case unbindQueue(queue: String, exchange: String, routingKey: String, arguments: [MessageHeader] = [])
    /// Sets the number of unacknowledged messages that each consumer started after this may hold.
    case qos(prefetch: UInt16)
    /// Starts a consumer; without `noAck` each message must be acknowledged.
    case consume(queue: String, consumerTag: String, noAck: Bool = false)
    /// Ends a consumer; messages in flight still arrive before the answer.
    case cancel(consumerTag: String)
}
