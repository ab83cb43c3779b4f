/// An announcement or poll on the screen, and what is said of it.
///
/// It is displayed, and then exactly one of actioned, exited or answered ends it and lets the next one come; what is said
/// afterwards counts no more. A view that disappears and says nothing is exited after five seconds in front.
///
///     func present(_ campaign: PresentedCampaign) {
///         guard let announcement = campaign.announcement else { return campaign.dropped("NoAnnouncement") }
///         show(announcement) { campaign.actioned() }
///         campaign.displayed()
///     }
public struct PresentedCampaign: Sendable {
    /// The push that brought it.
    public let push: PushMessage
    /// What an announcement shows; nil of a poll.
    public let announcement: Announcement?
    /// What a poll asks; nil of an announcement.
    public let poll: Poll?
    /// Takes what is said, in the order in which it is said.
    let order: @Sendable (@escaping @Sendable (Phone) async -> Void) -> Void

    /// It is on the screen.
    ///
    ///     campaign.displayed()
    public func displayed() { say { await $0.viewDisplayed(push) } }

    /// The person acted: pressed the action button, or a button of this id.
    ///
    /// The action button opens the announcement's link, if it has one and the delegate does not refuse.
    ///
    ///     campaign.actioned()
    public func actioned(_ button: String? = nil) {
        let link = button == nil ? announcement?.actionLink : nil
        say { await $0.viewActioned(push, button: button, link: link) }
    }

    /// The person left.
    ///
    ///     campaign.exited()
    public func exited() { say { await $0.viewEnded(push, .exited) } }

    /// The person answered a poll: the choices of each question, by their ids.
    ///
    ///     campaign.answered(["who": ["real"]])
    public func answered(_ answers: [String: [String]]) { say { await $0.answered(push, answers) } }

    /// It cannot be shown, for a reason in a word.
    ///
    ///     campaign.dropped("NoLayout")
    public func dropped(_ reason: String) { say { await $0.viewEnded(push, .dropped(reason: reason)) } }

    /// Its view is gone; when nothing else is said, it counts as exited.
    ///
    ///     override func viewDidDisappear(_ animated: Bool) { campaign.disappeared() }
    public func disappeared() { say { await $0.viewDisappeared(push) } }

    /// Its view is there again.
    ///
    ///     override func viewDidAppear(_ animated: Bool) { campaign.appeared() }
    public func appeared() { say { await $0.viewAppeared(push) } }

    private func say(_ what: @escaping @Sendable (Phone) async -> Void) { order(what) }
}
