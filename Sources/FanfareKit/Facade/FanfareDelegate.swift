public import Foundation

/// The app's delegate, which the kit informs and asks; every call has a default, so an app implements only what it
/// needs.
///
///     final class PushDelegate: FanfareDelegate {
///         func fanfare(_ fanfare: Fanfare, shouldOpen link: String, from push: PushMessage?) -> Bool { !isInCheckout }
///     }
@MainActor public protocol FanfareDelegate: AnyObject {
    /// A registration ended, with success or not.
    func fanfare(_ fanfare: Fanfare, didRegister result: RegistrationResult)
    /// Decides if the kit opens a link of a tap, a button or a message; an app that opens it itself returns false.
    func fanfare(_ fanfare: Fanfare, shouldOpen link: String, from push: PushMessage?) -> Bool
    /// Decides about a message that could be shown now.
    func fanfare(_ fanfare: Fanfare, choiceFor message: InAppMessage) -> InAppChoice
    /// A message will not be shown.
    func fanfare(_ fanfare: Fanfare, didDiscard message: InAppMessage, because reason: InAppDiscardReason)
    /// An event triggered no message.
    func fanfare(_ fanfare: Fanfare, noMatchingTrigger event: AppEvent)
    /// A session of the app began, or ended because the app was away for longer than the time-out.
    func fanfare(_ fanfare: Fanfare, session: UUID, _ change: SessionChange)
    /// The fetch of a push's content, opened or silent, began, succeeded or failed.
    func fanfare(_ fanfare: Fanfare, content state: RichContentState, of push: PushMessage)
    /// An announcement or poll that was opened waits for the network.
    ///
    /// It is presented once its content is there, even in a later run of the app, as long as its campaign lives.
    func fanfare(_ fanfare: Fanfare, postponed push: PushMessage)
    /// A line for the app's developers; never contains a token, a secret or a payload.
    func fanfare(_ fanfare: Fanfare, log text: String)
}

extension FanfareDelegate {
    /// Does nothing.
    public func fanfare(_ fanfare: Fanfare, didRegister result: RegistrationResult) {}
    /// Returns true: the kit opens the link.
    public func fanfare(_ fanfare: Fanfare, shouldOpen link: String, from push: PushMessage?) -> Bool { true }
    /// Returns `.now`: the message is shown.
    public func fanfare(_ fanfare: Fanfare, choiceFor message: InAppMessage) -> InAppChoice { .now }
    /// Does nothing.
    public func fanfare(
        _ fanfare: Fanfare,
        didDiscard message: InAppMessage,
        because reason: InAppDiscardReason
    ) {}
    /// Does nothing.
    public func fanfare(_ fanfare: Fanfare, noMatchingTrigger event: AppEvent) {}
    /// Does nothing.
    public func fanfare(_ fanfare: Fanfare, session: UUID, _ change: SessionChange) {}
    /// Does nothing.
    public func fanfare(_ fanfare: Fanfare, content state: RichContentState, of push: PushMessage) {}
    /// Does nothing.
    public func fanfare(_ fanfare: Fanfare, postponed push: PushMessage) {}
    /// Does nothing.
    public func fanfare(_ fanfare: Fanfare, log text: String) {}
}

/// Draws in-app messages of one or more layouts.
///
///     fanfare.presenters.inApp[.modal] = ModalPresenter()
@MainActor public protocol InAppPresenter: AnyObject {
    /// Draws a message, and calls `close` once when it has left the screen.
    func show(_ message: InAppMessage, close: @escaping @MainActor (InAppClosing) -> Void)
    /// Removes a message whose duration is over from the screen; `close` need not be called any more.
    func hide(_ message: InAppMessage)
}

/// Draws announcements and polls of a category.
///
///     fanfare.presenters.campaigns["offers"] = OfferPresenter()
@MainActor public protocol CampaignPresenter: AnyObject {
    /// Draws a campaign, and reports to it what the person does.
    func present(_ campaign: PresentedCampaign)
}
