public import Foundation

/// A notification, announcement or poll that the app itself shows instead of the system, with calls to report its end.
///
/// Once a notifier has drawn it, it counts as displayed. Then exactly one of actioned, exited or dropped ends it and
/// lets the next one come; later reports are ignored. A view that disappears without a report counts as exited after
/// five seconds in front.
///
///     func show(_ notification: InAppNotification) -> Bool {
///         banner.show(notification.title, notification.body, at: notification.place) { notification.actioned() }
///         return true
///     }
public struct InAppNotification: Sendable, Identifiable {
    /// The push that brought it, or would have brought it.
    public let push: PushMessage
    /// The first line; nil for none.
    public let title: String?
    /// The second line; nil for none.
    public let subtitle: String?
    /// The text; nil for none.
    public let body: String?
    /// The place at which it appears.
    public let place: NotificationPlace
    /// Queues a report, in the order in which reports are made.
    let order: @Sendable (@escaping @Sendable (Phone) async -> Void) -> Void

    /// The campaign's id.
    public var id: String { push.campaign }
    /// An image, sound or film to show with it.
    public var media: URL? { push.media }

    init(
        _ push: PushMessage,
        at place: NotificationPlace,
        order: @escaping @Sendable (@escaping @Sendable (Phone) async -> Void) -> Void
    ) {
        self.push = push
        // A data message of FCM has its texts outside the usual fields.
        let texts = LocalNotification(push, nil)
        title = texts?.title
        subtitle = push.subtitle
        body = texts?.body
        self.place = place
        self.order = order
    }

    /// Reports that the person tapped it or the button of this id: opens its link, or presents the announcement or
    /// poll.
    ///
    ///     notification.actioned("LIKE")
    public func actioned(_ button: String? = nil) { say { await $0.notificationActioned(push, button: button) } }

    /// Reports that the person closed it.
    ///
    ///     notification.exited()
    public func exited() { say { await $0.notificationEnded(push, .exited) } }

    /// Reports that it cannot be shown after all, with a one-word reason.
    ///
    ///     notification.dropped("NoRoom")
    public func dropped(_ reason: String) { say { await $0.notificationEnded(push, .dropped(reason: reason)) } }

    /// Reports that its view disappeared; without another report it counts as exited.
    ///
    ///     banner.onDisappear { notification.disappeared() }
    public func disappeared() { say { await $0.notificationDisappeared(push) } }

    /// Reports that its view appeared again.
    ///
    ///     banner.onAppear { notification.appeared() }
    public func appeared() { say { await $0.notificationAppeared(push) } }

    private func say(_ what: @escaping @Sendable (Phone) async -> Void) { order(what) }
}

/// The place of a notification that is shown inside the app.
public enum NotificationPlace: Sendable, Hashable {
    /// Over the app's content, at this edge.
    case overlay(InAppMessage.Position)
    /// In the app's own view that was offered under this name; there is no overlay then.
    case area(String)
}

/// Draws notifications inside the app.
///
/// A push without a notifier gets the kit's own look where there is a drawer; otherwise the system shows it, even in
/// front.
///
///     fanfare.presenters.notifiers[""] = BannerNotifier()
@MainActor public protocol InAppNotifier: AnyObject {
    /// Draws a notification and returns true; false declines it and, like an error, counts as dropped.
    func show(_ notification: InAppNotification) throws -> Bool
    /// Removes a notification from the screen; nothing need be reported of it any more.
    func hide(_ notification: InAppNotification)
}
