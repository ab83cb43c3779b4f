import Foundation

/// Whom the phone tells; calls come from the phone's own task, one after the other.
protocol PhoneListener: AnyObject, Sendable {
    func registered(_ result: RegistrationResult)
    /// Something for whoever builds the app; never a token, a secret or a payload.
    func log(_ text: String)
    func open(_ link: String, from push: PushMessage?)
    func choose(_ message: InAppMessage) async -> InAppChoice
    /// False: nobody can draw it.
    func show(_ message: InAppMessage) async -> Bool
    func hide(_ message: InAppMessage)
    func discarded(_ message: InAppMessage, _ reason: InAppDiscardReason)
    func noMatchingTrigger(_ event: AppEvent)
    /// False: nobody can draw it.
    func present(_ push: PushMessage, _ page: CampaignPage) async -> Bool
    /// Whether anybody draws such notifications inside the app.
    func hasNotifier(_ push: PushMessage) async -> Bool
    /// A notification is told of inside the app.
    func tell(_ push: PushMessage) async -> NotifierAnswer
    func hide(_ push: PushMessage)
    /// Its content waits for the network.
    func postponed(_ push: PushMessage)
    func contentChanged(_ push: PushMessage, _ state: RichContentState)
    func setBadge(_ count: Int)
    /// A notification of the phone's own, after a silent push; false: nobody shows it.
    func notify(_ notification: LocalNotification, _ content: RichContent) async -> Bool
    func session(_ id: UUID, _ change: SessionChange)
}

/// A session of the app began or ended.
public enum SessionChange: Sendable, Hashable, CaseIterable {
    case started, ended
}

/// How far content is that a push named.
public enum RichContentState: Sendable, Hashable {
    /// It is being fetched.
    case fetching
    /// It is there.
    case ready(RichContent)
    /// It could not be had.
    case failed(RichContentProblem)
}

/// What an app does with a data push; true says that it took it.
///
/// Throwing is as good as no handler: the push is dropped.
///
///     let handler: DataPushHandler = { push in try prices.update(push.bytes); return true }
public typealias DataPushHandler = @Sendable (DataPush) async throws -> Bool
