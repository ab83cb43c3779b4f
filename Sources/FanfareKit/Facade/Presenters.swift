/// The app's parts that draw messages, campaigns and notifications.
///
///     fanfare.presenters.links = { link in router.open(link) }
@MainActor public final class Presenters {
    /// By layout; one that is missing is drawn by `drawer`.
    public var inApp: [InAppMessage.Layout: any InAppPresenter] = [:]
    /// By the category for layout, or else the one of the buttons; the empty one is for all others, and else `drawer`.
    public var campaigns: [String: any CampaignPresenter] = [:]
    /// Notifiers inside the app, by the same; without one and a `drawer` the system shows them, in front too.
    public var notifiers: [String: any InAppNotifier] = [:]
    /// Draws what none of these is for, as far as `FanfareOptions.looks` says; on iOS the kit sets one of its own.
    public var drawer: (any LookDrawer)?
    /// The language of labels that a campaign leaves to its look, such as `es-ES`; nil: the person's.
    public var language: String?
    /// The edge at which notifications appear over what the app shows.
    public var notificationPosition: InAppMessage.Position = .bottom
    /// Opens links.
    public var links: (@MainActor (String) -> Void)?
    /// Sets the count on the icon.
    public var badge: (@MainActor (Int) -> Void)?
    /// Takes the app's notifications from the screen; called when the count becomes 0.
    public var clearNotifications: (@MainActor () -> Void)?
    /// Shows a notification of the phone's own after a silent push, with the content that was fetched.
    public var notification: (@MainActor (LocalNotification, RichContent) -> Void)?

    /// Views that were offered, the last one last.
    private var areas: [String] = []

    nonisolated init() {}

    /// Offers a view of the app's own as the place of notifications, as long as it is on the screen.
    ///
    ///     list.onAppear { fanfare.presenters.offerArea("news") }
    public func offerArea(_ name: String = "") { areas.append(name) }

    /// Takes such an offer back: the view leaves the screen.
    ///
    ///     list.onDisappear { fanfare.presenters.withdrawArea("news") }
    public func withdrawArea(_ name: String = "") {
        if let place = areas.lastIndex(of: name) { areas.remove(at: place) }
    }

    /// Where the next notification appears.
    var notificationPlace: NotificationPlace {
        areas.last.map { .area($0) } ?? .overlay(notificationPosition)
    }

    /// Who draws a notification inside the app.
    func notifier(_ push: PushMessage) -> (any InAppNotifier)? { notifiers[push.look ?? ""] ?? notifiers[""] }

    /// Who draws an announcement or a poll.
    func presenter(_ push: PushMessage) -> (any CampaignPresenter)? { campaigns[push.look ?? ""] ?? campaigns[""] }
}
