/// A message that the broker delivered to a consumer.
public struct InboundMessage: Sendable, Equatable {
    /// The queue that the consumer reads; empty when the session does not know the tag.
    public var queue: String
    /// The tag to acknowledge the message with, on the same channel only.
    public var deliveryTag: UInt64
    /// True if the message was delivered before and requeued: after a lost connection or broker, not after a rung.
    public var redelivered: Bool
    /// The exchange that the message was last published or dead-lettered to.
    public var exchange: String
    /// The routing key that the message came with.
    public var routingKey: String
    /// Its properties.
    public var properties: MessageProperties
    /// The body, or its first bytes up to the session's limit.
    public var body: [UInt8]
    /// The full size of the body in bytes; larger than `body.count` when the body was over the limit and cut.
    public var bodySize: UInt64

    /// True if the body exceeded the session's limit, so that only its beginning is here.
    public var isTruncated: Bool { UInt64(body.count) < bodySize }

    /// Creates a delivered message.
    public init(
        queue: String,
        deliveryTag: UInt64,
        redelivered: Bool,
        exchange: String,
        routingKey: String,
        properties: MessageProperties,
        body: [UInt8],
        bodySize: UInt64? = nil
    ) {
        self.queue = queue
        self.deliveryTag = deliveryTag
        self.redelivered = redelivered
        self.exchange = exchange
        self.routingKey = routingKey
        self.properties = properties
        self.body = body
        self.bodySize = bodySize ?? UInt64(body.count)
    }
}

/// A mandatory message that the broker could not route and returned; it precedes the confirm of its publish.
public struct ReturnedMessage: Sendable, Equatable {
    /// The reply code, 312 for no route.
    public var code: UInt16
    /// The broker's words, for example `NO_ROUTE`.
    public var text: String
    /// The exchange that the message was published to.
    public var exchange: String
    /// The routing key that the message was published with.
    public var routingKey: String
    /// The properties that the message was published with; `messageID` identifies the publish.
    public var properties: MessageProperties

    /// Creates a returned message.
    public init(code: UInt16, text: String, exchange: String, routingKey: String, properties: MessageProperties) {
        self.code = code
        self.text = text
        self.exchange = exchange
        self.routingKey = routingKey
        self.properties = properties
    }
}
