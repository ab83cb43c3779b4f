/// A message to be published.
public struct OutboundMessage: Sendable, Equatable {
    /// The exchange that routes it; at most 255 bytes.
    public var exchange: String
    /// The routing key; at most 255 bytes.
    public var routingKey: String
    /// Whether an unroutable message comes back as a return instead of vanishing with a confirm.
    public var mandatory: Bool
    /// The properties.
    ///
    /// `deliveryMode` is 2 (persistent) unless set otherwise.
    public var properties: MessageProperties
    /// The body; split into frames by the session.
    public var body: [UInt8]

    /// A persistent, mandatory message unless said otherwise.
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
