/// What a session says when it logs in, and its limits.
public struct AMQPSessionConfiguration: Sendable {
    /// The user's name.
    public var user: String
    /// The user's password; never in logs or error texts.
    public var password: String
    /// The virtual host, `/` by default.
    public var virtualHost: String
    /// What operators see in the broker's list of connections.
    public var connectionName: String
    /// The wished heartbeat in seconds; the smaller of ours and the broker's counts, 0 of the broker means ours.
    public var heartbeat: UInt16
    /// The wished largest frame in bytes, 4,096 or more; the smaller of ours and the broker's counts.
    public var frameMax: UInt32
    /// How many bytes of a body are kept; the rest of a larger one is read and dropped (`InboundMessage.isTruncated`).
    public var bodyLimit: Int
    /// Whether the channel is put into confirm mode before the session reports that it is open.
    public var confirms: Bool

    /// A configuration; heartbeat 10 s (design, section 7), 128 KiB frames, bodies up to 8 MiB.
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
