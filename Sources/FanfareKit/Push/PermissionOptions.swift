/// The permissions that the kit asks a person for.
///
///     options.permission = [.alert, .sound, .provisional]
public struct PermissionOptions: OptionSet, Sendable, Hashable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates the options of these bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Notifications with text.
    public static let alert = PermissionOptions(rawValue: 1)
    /// A count on the icon.
    public static let badge = PermissionOptions(rawValue: 2)
    /// Sounds.
    public static let sound = PermissionOptions(rawValue: 4)
    /// Quiet notifications, without asking the person first.
    public static let provisional = PermissionOptions(rawValue: 8)
    /// Alert, badge and sound.
    public static let standard: PermissionOptions = [.alert, .badge, .sound]
}
