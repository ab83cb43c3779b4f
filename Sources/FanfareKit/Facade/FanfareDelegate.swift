public import Foundation

/// The app's ear for what the kit asks and tells; every call has an answer of its own, so that an app says only what it
/// cares about.
///
///     final class PushDelegate: FanfareDelegate {
///         func fanfare(_ fanfare: Fanfare, shouldOpen link: String, from push: PushMessage?) -> Bool { !isInCheckout }
///     }
@MainActor public protocol FanfareDelegate: AnyObject {
    /// A registration ended, well or not.
    func fanfare(_ fanfare: Fanfare, didRegister result: RegistrationResult)
    /// Decides whether a link of a tap, a button or a message is opened; the app may open it itself and say false.
    func fanfare(_ fanfare: Fanfare, shouldOpen link: String, from push: PushMessage?) -> Bool
    /// A message could be shown now.
    func fanfare(_ fanfare: Fanfare, choiceFor message: InAppMessage) -> InAppChoice
    /// A message will not be shown.
    func fanfare(_ fanfare: Fanfare, didDiscard message: InAppMessage, because reason: InAppDiscardReason)
    /// An event set no message off.
    func fanfare(_ fanfare: Fanfare, noMatchingTrigger event: AppEvent)
    /// A session of the app began, or ended because the app was away for longer than the time-out.
    func fanfare(_ fanfare: Fanfare, session: UUID, _ change: SessionChange)
    /// Content that a push names, opened or silent, is being fetched, is there, or failed.
    func fanfare(_ fanfare: Fanfare, content state: RichContentState, of push: PushMessage)
    /// An announcement or poll that was opened waits for the network; it is presented once its content is there, also
    /// after an end of the app, as long as its campaign lives.
    func fanfare(_ fanfare: Fanfare, postponed push: PushMessage)
    /// Something for whoever builds the app; never a token, a secret or a payload.
    func fanfare(_ fanfare: Fanfare, log text: String)
}

extension FanfareDelegate {
    /// Nothing is done with it.
    public func fanfare(_ fanfare: Fanfare, didRegister result: RegistrationResult) {}
    /// The link is opened.
    public func fanfare(_ fanfare: Fanfare, shouldOpen link: String, from push: PushMessage?) -> Bool { true }
    /// It is shown.
    public func fanfare(_ fanfare: Fanfare, choiceFor message: InAppMessage) -> InAppChoice { .now }
    /// Nothing is done with it.
    public func fanfare(
        _ fanfare: Fanfare,
        didDiscard message: InAppMessage,
        because reason: InAppDiscardReason
    ) {}
    /// Nothing is done with it.
    public func fanfare(_ fanfare: Fanfare, noMatchingTrigger event: AppEvent) {}
    /// Nothing is done with it.
    public func fanfare(_ fanfare: Fanfare, session: UUID, _ change: SessionChange) {}
    /// Nothing is done with it.
    public func fanfare(_ fanfare: Fanfare, content state: RichContentState, of push: PushMessage) {}
    /// Nothing is done with it.
    public func fanfare(_ fanfare: Fanfare, postponed push: PushMessage) {}
    /// Nothing is done with it.
    public func fanfare(_ fanfare: Fanfare, log text: String) {}
}

/// Draws in-app messages of one or more layouts.
///
///     fanfare.presenters.inApp[.modal] = ModalPresenter()
@MainActor public protocol InAppPresenter: AnyObject {
    /// Draws a message, and calls `close` once when it is gone from the screen.
    func show(_ message: InAppMessage, close: @escaping @MainActor (InAppClosing) -> Void)
    /// Takes a message from the screen whose duration is over; `close` need not be called any more.
    func hide(_ message: InAppMessage)
}

/// Draws announcements and polls of a category.
///
///     fanfare.presenters.campaigns["offers"] = OfferPresenter()
@MainActor public protocol CampaignPresenter: AnyObject {
    /// Draws it, and says of it what happens.
    func present(_ campaign: PresentedCampaign)
}
