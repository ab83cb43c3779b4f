import Foundation

/// The receiver of the phone's calls, which come from the phone's own task, one after the other.
protocol PhoneListener: AnyObject, Sendable {
    func registered(_ result: RegistrationResult)
    /// A line for the app's developers; never contains a token, a secret or a payload.
    func log(_ text: String)
    func open(_ link: String, from push: PushMessage?)
    func choose(_ message: InAppMessage) async -> InAppChoice
    /// Returns false when nobody can draw it.
    func show(_ message: InAppMessage) async -> Bool
    func hide(_ message: InAppMessage)
    func discarded(_ message: InAppMessage, _ reason: InAppDiscardReason)
    func noMatchingTrigger(_ event: AppEvent)
    /// Returns false when nobody can draw it.
    func present(_ push: PushMessage, _ page: CampaignPage) async -> Bool
    /// Returns true if anybody draws such notifications inside the app.
    func hasNotifier(_ push: PushMessage) async -> Bool
    /// Shows a notification inside the app.
    func tell(_ push: PushMessage) async -> NotifierAnswer
    func hide(_ push: PushMessage)
    /// Its content waits for the network.
    func postponed(_ push: PushMessage)
    func contentChanged(_ push: PushMessage, _ state: RichContentState)
    func setBadge(_ count: Int)
    /// Shows a local notification after a silent push; returns false when nobody can show it.
    func notify(_ notification: LocalNotification, _ content: RichContent) async -> Bool
    func session(_ id: UUID, _ change: SessionChange)
}

/// A session of the app began or ended.
public enum SessionChange: Sendable, Hashable, CaseIterable {
    case started, ended
}

/// The state of content that a push named.
public enum RichContentState: Sendable, Hashable {
    /// The content is being fetched.
    case fetching
    /// The content is available.
    case ready(RichContent)
    /// The content could not be fetched.
    case failed(RichContentProblem)
}

/// A function of the app that takes a data push and returns true when it accepted the push.
///
/// An error counts like a missing handler: the push is dropped.
///
///     let handler: DataPushHandler = { push in try prices.update(push.bytes); return true }
public typealias DataPushHandler = @Sendable (DataPush) async throws -> Bool
