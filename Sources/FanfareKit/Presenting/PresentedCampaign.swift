/// An announcement or poll on the screen, with calls to report what happens to it.
///
/// It is displayed; then exactly one of actioned, exited or answered ends it and lets the next one come. Later reports
/// are ignored. A view that disappears without a report counts as exited after five seconds in front.
///
///     func present(_ campaign: PresentedCampaign) {
///         guard let announcement = campaign.announcement else { return campaign.dropped("NoAnnouncement") }
///         show(announcement) { campaign.actioned() }
///         campaign.displayed()
///     }
public struct PresentedCampaign: Sendable {
    /// The push that brought it.
    public let push: PushMessage
    /// The announcement's texts; nil for a poll.
    public let announcement: Announcement?
    /// The poll's questions; nil for an announcement.
    public let poll: Poll?
    /// Queues a report, in the order in which reports are made.
    let order: @Sendable (@escaping @Sendable (Phone) async -> Void) -> Void

    /// Reports that it is on the screen.
    ///
    ///     campaign.displayed()
    public func displayed() { say { await $0.viewDisplayed(push) } }

    /// Reports that the person pressed the action button, or the button of this id.
    ///
    /// The action button opens the announcement's link, if it has one and the delegate does not refuse.
    ///
    ///     campaign.actioned()
    public func actioned(_ button: String? = nil) {
        let link = button == nil ? announcement?.actionLink : nil
        say { await $0.viewActioned(push, button: button, link: link) }
    }

    /// Reports that the person left.
    ///
    ///     campaign.exited()
    public func exited() { say { await $0.viewEnded(push, .exited) } }

    /// Reports a person's answers to a poll: the choices of each question, by their ids.
    ///
    ///     campaign.answered(["who": ["real"]])
    public func answered(_ answers: [String: [String]]) { say { await $0.answered(push, answers) } }

    /// Reports that it cannot be shown, with a one-word reason.
    ///
    ///     campaign.dropped("NoLayout")
    public func dropped(_ reason: String) { say { await $0.viewEnded(push, .dropped(reason: reason)) } }

    /// Reports that its view disappeared; without another report it counts as exited.
    ///
    ///     override func viewDidDisappear(_ animated: Bool) { campaign.disappeared() }
    public func disappeared() { say { await $0.viewDisappeared(push) } }

    /// Reports that its view appeared again.
    ///
    ///     override func viewDidAppear(_ animated: Bool) { campaign.appeared() }
    public func appeared() { say { await $0.viewAppeared(push) } }

    private func say(_ what: @escaping @Sendable (Phone) async -> Void) { order(what) }
}
