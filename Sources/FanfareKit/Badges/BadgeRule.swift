/// The rules by which the kit clears the count on the app's icon.
///
///     options.badge = [.clearOnForeground]
public struct BadgeRule: OptionSet, Sendable, Hashable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates the options of these bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Clears the count, on the device and on the server, and the app's notifications at every start and return to the
    /// front.
    public static let clearOnForeground = BadgeRule(rawValue: 1)
    /// A push that arrives while the app is in front leaves no count.
    public static let clearOnPushInFront = BadgeRule(rawValue: 2)

    /// True if the count is cleared when the app comes to the front.
    var clearsOnForeground: Bool { contains(.clearOnForeground) }

    /// Returns true if the count is cleared when a push arrives.
    func clears(onPushWhileActive isActive: Bool) -> Bool { isActive && contains(.clearOnPushInFront) }
}
