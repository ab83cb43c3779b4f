import Foundation

extension Fanfare {
    /// The language of the labels that a campaign leaves to its look.
    @MainActor private var language: String {
        presenters.language ?? Locale.preferredLanguages.first ?? Locale.current.identifier
    }

    /// The drawer of these looks; nil when the options exclude them or nobody draws, and the kit does without.
    @MainActor func drawer(_ part: FanfareOptions.Looks) -> (any LookDrawer)? {
        options.looks.contains(part) ? presenters.drawer : nil
    }

    @MainActor func look(_ message: InAppMessage) -> Look { Look(message, language: language) { asset($0) } }

    @MainActor func look(_ notification: InAppNotification) -> Look {
        Look(notification, categories: options.categories, language: language)
    }

    /// Draws a message; returns false when nobody can.
    @MainActor func draw(_ message: InAppMessage, closed: @escaping @MainActor (InAppClosing) -> Void) -> Bool {
        guard let drawer = drawer(.messages) else { return false }
        return drawer.show(look(message)) { [weak self] end in
            switch end {
            case .actioned(let button): closed(button.map { .button($0) } ?? .tapped)
            case .followed(let link):
                self?.follow(link, from: nil)
                closed(.button(Self.linkAction))
            case .answered, .exited: closed(.dismissed)
            }
        }
    }

    /// Draws an announcement or a poll; returns false when nobody can.
    @MainActor func draw(_ campaign: PresentedCampaign) -> Bool {
        guard let drawer = drawer(.campaigns), let look = Look(campaign, language: language) else { return false }
        let isDrawn = drawer.show(look) { [weak self] end in
            switch end {
            case .actioned(let button): campaign.actioned(button)
            case .followed(let link):
                self?.follow(link, from: campaign.push)
                campaign.actioned(Self.linkAction)
            case .answered(let answers): campaign.answered(answers)
            case .exited: campaign.exited()
            }
        }
        if isDrawn { campaign.displayed() }
        return isDrawn
    }

    /// Draws a notification inside the app; returns nil when nobody can.
    @MainActor func draw(_ notification: InAppNotification) -> NotifierAnswer? {
        guard let drawer = drawer(.notifications) else { return nil }
        let isDrawn = drawer.show(look(notification)) { end in
            switch end {
            case .actioned(let button): notification.actioned(button)
            // A notification has neither a page nor questions.
            case .followed, .answered, .exited: notification.exited()
            }
        }
        return isDrawn ? .drawn : .declined
    }

    /// The name by which an event reports a link of a page.
    private static let linkAction = "link"

    private func follow(_ link: String, from push: PushMessage?) {
        if options.automation.contains(.links) { phone.listener.open(link, from: push) }
    }
}
