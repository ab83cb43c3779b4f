/// A notification that the phone shows itself, after a silent push brought its content.
///
///     fanfare.presenters.notification = { notification, content in post(notification.body, notification.userInfo) }
public struct LocalNotification: Sendable, Hashable {
    /// What tells it from others: a later one of the same campaign takes its place.
    public let id: String
    /// The first line; nil for none.
    public let title: String?
    /// The text.
    public let body: String
    /// The category whose buttons it shows.
    public let category: String?
    /// The name of the sound that came as its content, as the system finds it; nil for the app's usual one.
    public let sound: String?
    /// What the push brought, so that a tap on it is a tap on the push.
    public let userInfo: [String: JSON]

    /// Names that a producer would take for the text of a notification, of those that apps in the field read.
    private static let names = ["richMessage", "_msg", "message", "body"]

    /// The notification of a push and its content; nil when there is no text to show.
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
