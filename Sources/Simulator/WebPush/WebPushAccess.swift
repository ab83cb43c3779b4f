/// The permissions in the simulated world of Web Push.
public struct WebPushAccess: Sendable {
    /// The VAPID keys that subscriptions are restricted to, as points of 65 bytes (RFC 8292, section 4); empty for any
    /// key.
    public var publicKeys: [[UInt8]] = []
    /// The share of subscriptions, 0 to 1, whose messages are decrypted as a browser would do it.
    ///
    /// Each costs about a tenth of a millisecond. Messages to watched devices are always decrypted.
    public var decipheredShare = 1.0

    /// Creates a configuration that allows any key and decrypts everything.
    public init() {}
}
