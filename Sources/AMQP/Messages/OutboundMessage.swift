/// A message to be published.
public struct OutboundMessage: Sendable, Equatable {
    /// The exchange that routes it; at most 255 bytes.
    public var exchange: String
    /// The routing key; at most 255 bytes.
    public var routingKey: String
    /// True if an unroutable message is returned instead of being confirmed and dropped.
    public var mandatory: Bool
    /// The properties.
    ///
    /// `deliveryMode` is 2 (persistent) unless set otherwise.
    public var properties: MessageProperties
    /// The body; split into frames by the session.
    public var body: [UInt8]

    /// Creates a message, persistent and mandatory by default.
    public init(
        exchange: String,
        routingKey: String,
        mandatory: Bool = true,
        properties: MessageProperties = MessageProperties(),
        body: [UInt8]
    ) {
        self.exchange = exchange
        self.routingKey = routingKey
        self.mandatory = mandatory
        self.properties = properties
        self.body = body
        if properties.deliveryMode == nil { self.properties.deliveryMode = 2 }
    }
}
