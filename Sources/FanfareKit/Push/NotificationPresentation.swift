/// The ways in which the system shows a push that arrives while the app is in front.
///
///     let shown = await fanfare.displayed(notification.request.content.userInfo)
///     return shown.contains(.banner) ? [.banner, .list] : []
public struct NotificationPresentation: OptionSet, Sendable, Hashable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates the options of these bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A banner at the top of the screen.
    public static let banner = NotificationPresentation(rawValue: 1)
    /// An entry in the list of notifications.
    public static let list = NotificationPresentation(rawValue: 2)
    /// The push's sound.
    public static let sound = NotificationPresentation(rawValue: 4)
    /// The push's count on the icon.
    public static let badge = NotificationPresentation(rawValue: 8)
    /// All of them.
    public static let all: NotificationPresentation = [.banner, .list, .sound, .badge]
}
