/// What the system shows of a push that arrives while the app is in front.
///
///     let shown = await fanfare.displayed(notification.request.content.userInfo)
///     return shown.contains(.banner) ? [.banner, .list] : []
public struct NotificationPresentation: OptionSet, Sendable, Hashable {
    /// The options as bits.
    public let rawValue: Int

    /// Options of these bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// It slides in from above.
    public static let banner = NotificationPresentation(rawValue: 1)
    /// It is kept in the list of notifications.
    public static let list = NotificationPresentation(rawValue: 2)
    /// It is heard.
    public static let sound = NotificationPresentation(rawValue: 4)
    /// The count on the icon becomes the push's.
    public static let badge = NotificationPresentation(rawValue: 8)
    /// All of them.
    public static let all: NotificationPresentation = [.banner, .list, .sound, .badge]
}
