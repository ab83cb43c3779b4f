/// A session's login data and limits.
public struct AMQPSessionConfiguration: Sendable {
    /// The user's name.
    public var user: String
    /// The user's password; never in logs or error texts.
    public var password: String
    /// The virtual host, `/` by default.
    public var virtualHost: String
    /// The name that operators see in the broker's list of connections.
    public var connectionName: String
    /// The proposed heartbeat in seconds.
    ///
    /// The smaller of ours and the broker's applies; a 0 from the broker means ours.
    public var heartbeat: UInt16
    /// The proposed largest frame in bytes, 4,096 or more; the smaller of ours and the broker's applies.
    public var frameMax: UInt32
    /// The number of bytes of a body that are kept; the rest is read and dropped (`InboundMessage.isTruncated`).
    public var bodyLimit: Int
    /// True if the channel is put into confirm mode before the session reports that it is open.
    public var confirms: Bool

    /// Creates a configuration; heartbeat 10 s (design, section 7), 128 KiB frames, bodies up to 8 MiB.
    public init(
        user: String,
        password: String,
        virtualHost: String = "/",
        connectionName: String,
        heartbeat: UInt16 = 10,
        frameMax: UInt32 = 131_072,
        bodyLimit: Int = 8 << 20,
        confirms: Bool = false
    ) {
        self.user = user
        self.password = password
        self.virtualHost = virtualHost
        self.connectionName = connectionName
        self.heartbeat = heartbeat
        self.frameMax = max(frameMax, 4096)
        self.bodyLimit = bodyLimit
        self.confirms = confirms
    }
}
