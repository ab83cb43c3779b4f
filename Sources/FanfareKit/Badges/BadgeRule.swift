/// What becomes of the count on the app's icon by itself.
///
///     options.badge = [.clearOnForeground]
public struct BadgeRule: OptionSet, Sendable, Hashable {
    /// The options as bits.
    public let rawValue: Int

    /// Options of these bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// At every start and return to the front the count is cleared, here and on the server, and with it the app's
    /// notifications.
    public static let clearOnForeground = BadgeRule(rawValue: 1)
    /// A push that arrives while the app is in front leaves no count.
    public static let clearOnPushInFront = BadgeRule(rawValue: 2)

    /// Whether the count goes now that the app came to the front.
    var clearsOnForeground: Bool { contains(.clearOnForeground) }

    /// Whether the count goes now that a push arrived.
    func clears(onPushWhileActive isActive: Bool) -> Bool { isActive && contains(.clearOnPushInFront) }
}
