public import Foundation

/// A notification, announcement or poll that is told of inside the app instead of by the system, and what is said of it.
///
/// A notifier that draws it says nothing of that: it is displayed. Then exactly one of actioned, exited or dropped ends it
/// and lets the next one come; what is said afterwards counts no more. A view that disappears and says nothing is exited
/// after five seconds in front.
///
///     func show(_ notification: InAppNotification) -> Bool {
///         banner.show(notification.title, notification.body, at: notification.place) { notification.actioned() }
///         return true
///     }
public struct InAppNotification: Sendable, Identifiable {
    /// The push that brought it, or would have.
    public let push: PushMessage
    /// The first line; nil for none.
    public let title: String?
    /// The second line; nil for none.
    public let subtitle: String?
    /// The text; nil for none.
    public let body: String?
    /// The place at which it appears.
    public let place: NotificationPlace
    /// Takes what is said, in the order in which it is said.
    let order: @Sendable (@escaping @Sendable (Phone) async -> Void) -> Void

    /// The campaign.
    public var id: String { push.campaign }
    /// An image, sound or film to show with it.
    public var media: URL? { push.media }

    init(
        _ push: PushMessage,
        at place: NotificationPlace,
        order: @escaping @Sendable (@escaping @Sendable (Phone) async -> Void) -> Void
    ) {
        self.push = push
        // A data message of FCM has its texts beside the others.
        let texts = LocalNotification(push, nil)
        title = texts?.title
        subtitle = push.subtitle
        body = texts?.body
        self.place = place
        self.order = order
    }

    /// The person tapped it, or pressed a button of this id: its link is opened, or the announcement or poll presented.
    ///
    ///     notification.actioned("LIKE")
    public func actioned(_ button: String? = nil) { say { await $0.notificationActioned(push, button: button) } }

    /// The person closed it.
    ///
    ///     notification.exited()
    public func exited() { say { await $0.notificationEnded(push, .exited) } }

    /// It cannot be shown after all, for a reason in a word.
    ///
    ///     notification.dropped("NoRoom")
    public func dropped(_ reason: String) { say { await $0.notificationEnded(push, .dropped(reason: reason)) } }

    /// Its view is gone; when nothing else is said, it counts as exited.
    ///
    ///     banner.onDisappear { notification.disappeared() }
    public func disappeared() { say { await $0.notificationDisappeared(push) } }

    /// Its view is there again.
    ///
    ///     banner.onAppear { notification.appeared() }
    public func appeared() { say { await $0.notificationAppeared(push) } }

    private func say(_ what: @escaping @Sendable (Phone) async -> Void) { order(what) }
}

/// The place of a notification that is told of inside the app.
public enum NotificationPlace: Sendable, Hashable {
    /// Over what the app shows, at this edge.
    case overlay(InAppMessage.Position)
    /// In the view of the app's own that was offered under this name; there is no overlay then.
    case area(String)
}

/// Draws notifications that are told of inside the app.
///
/// Without one for a push, the kit's own look of it is drawn where there is a drawer; else the system shows it, in
/// front too.
///
///     fanfare.presenters.notifiers[""] = BannerNotifier()
@MainActor public protocol InAppNotifier: AnyObject {
    /// Draws a notification and returns true; false declines it, which counts as dropped, and so does an error.
    func show(_ notification: InAppNotification) throws -> Bool
    /// Takes a notification from the screen of which nothing need be said any more.
    func hide(_ notification: InAppNotification)
}
