/// The app's parts that draw messages, campaigns and notifications.
///
///     fanfare.presenters.links = { link in router.open(link) }
@MainActor public final class Presenters {
    /// Presenters of messages by layout; `drawer` draws a layout that has none.
    public var inApp: [InAppMessage.Layout: any InAppPresenter] = [:]
    /// Presenters of announcements and polls.
    ///
    /// The key is the category for layout, or else the category of the buttons. The empty key is for all others;
    /// without it `drawer` draws them.
    public var campaigns: [String: any CampaignPresenter] = [:]
    /// Notifiers inside the app, by the same keys; without one and without a `drawer` the system shows them, even in
    /// front.
    public var notifiers: [String: any InAppNotifier] = [:]
    /// Draws everything that has no presenter, as far as `FanfareOptions.looks` says; on iOS the kit sets its own.
    public var drawer: (any LookDrawer)?
    /// The language of labels that a campaign leaves to its look, such as `es-ES`; nil for the person's.
    public var language: String?
    /// The edge at which notifications appear over the app's content.
    public var notificationPosition: InAppMessage.Position = .bottom
    /// Opens links.
    public var links: (@MainActor (String) -> Void)?
    /// Sets the count on the icon.
    public var badge: (@MainActor (Int) -> Void)?
    /// Removes the app's notifications from the screen; called when the count becomes 0.
    public var clearNotifications: (@MainActor () -> Void)?
    /// Shows a local notification after a silent push, with the content that was fetched.
    public var notification: (@MainActor (LocalNotification, RichContent) -> Void)?

    /// Views that were offered, the latest one last.
    private var areas: [String] = []

    nonisolated init() {}

    /// Offers a view of the app's own as the place of notifications, as long as it is on the screen.
    ///
    ///     list.onAppear { fanfare.presenters.offerArea("news") }
    public func offerArea(_ name: String = "") { areas.append(name) }

    /// Withdraws such an offer when the view leaves the screen.
    ///
    ///     list.onDisappear { fanfare.presenters.withdrawArea("news") }
    public func withdrawArea(_ name: String = "") {
        if let index = areas.lastIndex(of: name) { areas.remove(at: index) }
    }

    /// The place at which the next notification appears.
    var notificationPlace: NotificationPlace {
        areas.last.map { .area($0) } ?? .overlay(notificationPosition)
    }

    /// The notifier that draws a push inside the app.
    func notifier(_ push: PushMessage) -> (any InAppNotifier)? { notifiers[push.look ?? ""] ?? notifiers[""] }

    /// The presenter of an announcement or a poll.
    func presenter(_ push: PushMessage) -> (any CampaignPresenter)? { campaigns[push.look ?? ""] ?? campaigns[""] }
}
