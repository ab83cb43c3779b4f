/// What a session found in the bytes that it was given, in wire order.
public enum AMQPEvent: Sendable, Equatable {
    /// The channel is open (and in confirm mode where that was asked for): commands and publishes may follow.
    case opened
    /// The broker's answer to the oldest unanswered call.
    case reply(AMQPReply)
    /// A message for one of our consumers.
    case message(InboundMessage)
    /// A mandatory message that could not be routed; its confirm follows.
    case returned(ReturnedMessage)
    /// Publishes up to (`multiple`) or at this sequence number are safe with the broker.
    case confirmed(tag: UInt64, multiple: Bool)
    /// Publishes up to (`multiple`) or at this sequence number were refused.
    case refused(tag: UInt64, multiple: Bool)
    /// The broker ended a consumer by itself: its queue was deleted or moved.
    case consumerCancelled(consumerTag: String)
    /// The broker is in alarm and reads nothing that we publish.
    case blocked(reason: String)
    /// The alarm is over.
    case unblocked
    /// The broker closed the channel: all calls and publishes without answer are unknown, all deliveries go back.
    case channelClosed(code: UInt16, text: String)
    /// The broker closed the connection; our answer is in the output, then the socket can be closed.
    case connectionClosed(code: UInt16, text: String)
    /// The broker answered our closing of the connection; the socket can be closed.
    case closed
}

/// The broker's answer to a call.
public enum AMQPReply: Sendable, Equatable {
    /// Done, nothing more to say.
    case done
    /// A queue exists (or was created).
    case queue(name: String, messageCount: UInt32, consumerCount: UInt32)
    /// Messages were purged or deleted with their queue.
    case removed(messageCount: UInt32)
    /// A consumer was started or cancelled.
    case consumer(tag: String)
}
