/// A notification that the app posts itself, after a silent push brought its content.
///
///     fanfare.presenters.notification = { notification, content in post(notification.body, notification.userInfo) }
public struct LocalNotification: Sendable, Hashable {
    /// The identifier: a later notification of the same campaign replaces this one.
    public let id: String
    /// The first line; nil for none.
    public let title: String?
    /// The text.
    public let body: String
    /// The category of its buttons; nil for none.
    public let category: String?
    /// The file name of the sound that came as its content; nil for the app's default sound.
    public let sound: String?
    /// The user info of the push, so that a tap on the notification is a tap on the push.
    public let userInfo: [String: JSON]

    /// The fields that apps in the field read as the text of a notification.
    private static let names = ["richMessage", "_msg", "message", "body"]

    /// Creates the notification of a push and its content; nil when there is no text to show.
    init?(_ push: PushMessage, _ content: RichContent?) {
        let page = push.kind == .announcement || push.kind == .poll ? content?.json : nil
        let own = push.message ?? Self.names.lazy.compactMap { push.variables[$0]?.nonEmpty }.first
        let title = push.title ?? push.variables["title"]?.nonEmpty ?? page?["title"]?.nonEmpty
        // The text of a page may be HTML, which a notification does not show.
        let text = page?["format"]?.string == "html" ? nil : page?["body"]?.nonEmpty
        guard let body = push.body ?? own ?? text ?? title else { return nil }
        id = push.campaign
        self.title = body == title ? nil : title
        self.body = body
        category = push.category
        sound = content.flatMap(SoundStore.nameForNotification)
        userInfo = push.userInfo
    }
}
