/// An event that a session found in the bytes it received; events come in wire order.
public enum AMQPEvent: Sendable, Equatable {
    /// The channel is open (and in confirm mode where configured): commands and publishes may follow.
    case opened
    /// The broker's answer to the oldest unanswered call.
    case reply(AMQPReply)
    /// A message for one of our consumers.
    case message(InboundMessage)
    /// A mandatory message that could not be routed; its confirm follows.
    case returned(ReturnedMessage)
    /// The broker has confirmed the publish with this sequence number, or all up to it (`multiple`).
    case confirmed(tag: UInt64, multiple: Bool)
    /// The broker has refused the publish with this sequence number, or all up to it (`multiple`).
    case refused(tag: UInt64, multiple: Bool)
    /// The broker cancelled a consumer on its own: its queue was deleted or moved.
    case consumerCancelled(consumerTag: String)
    /// The broker is in alarm and reads none of our publishes.
    case blocked(reason: String)
    /// The alarm is over.
    case unblocked
    /// The broker closed the channel: unanswered calls and publishes have an unknown result, and all deliveries are
    /// requeued.
    case channelClosed(code: UInt16, text: String)
    /// The broker closed the connection; once our answer, which is in the output, is sent, the socket can be closed.
    case connectionClosed(code: UInt16, text: String)
    /// The broker answered our close of the connection; the socket can be closed.
    case closed
}

/// The broker's answer to a call.
public enum AMQPReply: Sendable, Equatable {
    /// The call succeeded; the answer holds no data.
    case done
    /// A queue exists or was created.
    case queue(name: String, messageCount: UInt32, consumerCount: UInt32)
    /// Messages were purged or deleted with their queue.
    case removed(messageCount: UInt32)
    /// A consumer was started or cancelled.
    case consumer(tag: String)
}
