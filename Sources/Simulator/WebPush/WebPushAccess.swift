/// Who may send in the simulated world of Web Push.
public struct WebPushAccess: Sendable {
    /// The VAPID keys that subscriptions are restricted to, as points of 65 bytes (RFC 8292, section 4); empty for any.
    public var publicKeys: [[UInt8]] = []
    /// The share of subscriptions, 0 to 1, whose messages are deciphered as a browser would do it.
    ///
    /// It costs about a tenth of a millisecond each. Watched devices are always deciphered.
    public var decipheredShare = 1.0

    /// Any key, everything deciphered.
    public init() {}
}
