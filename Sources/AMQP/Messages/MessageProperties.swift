/// The basic properties of a message that Fanfare reads or writes (AMQP 0-9-1, class basic).
public struct MessageProperties: Sendable, Equatable {
    /// The MIME type of the body.
    public var contentType: String?
    /// The type of the message, for example `fanfare.campaign.v1`.
    public var type: String?
    /// The id by which a repeated publish is recognized.
    public var messageID: String?
    /// The `messageID` that this message answers.
    public var correlationID: String?
    /// Seconds since 1970, by the publisher's clock.
    public var timestamp: UInt64?
    /// 2 is persistent, 1 is transient; absent is transient.
    public var deliveryMode: UInt8?
    /// The per-message time to live in milliseconds, as text because AMQP defines it so.
    ///
    /// Fanfare never sets it.
    public var expiration: String?
    /// The headers in wire order.
    ///
    /// Never copy the headers of a received message into a published one: brokers before 4.0 interpret a copied
    /// `x-death` and drop the message (`reference/reliability.md`, 0.8).
    public var headers: [MessageHeader]

    /// Creates properties; all are absent by default.
    public init(
        contentType: String? = nil,
        type: String? = nil,
        messageID: String? = nil,
        correlationID: String? = nil,
        timestamp: UInt64? = nil,
        deliveryMode: UInt8? = nil,
        expiration: String? = nil,
        headers: [MessageHeader] = []
    ) {
        self.contentType = contentType
        self.type = type
        self.messageID = messageID
        self.correlationID = correlationID
        self.timestamp = timestamp
        self.deliveryMode = deliveryMode
        self.expiration = expiration
        self.headers = headers
    }

    /// The first header with this name, compared byte by byte.
    public func header(_ name: String) -> HeaderValue? {
        headers.first { $0.name == name }?.value
    }
}
