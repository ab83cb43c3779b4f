import Foundation

extension Look {
    /// Creates the look of an announcement or a poll over the whole screen; nil when the campaign has neither.
    ///
    /// Empty labels are filled in the person's language. An announcement without a link and without an action label has
    /// only the button that leaves it.
    ///
    ///     guard let look = Look(campaign, language: "es") else { return campaign.dropped("NoLayout") }
    public init?(_ campaign: PresentedCampaign, language: String) {
        let words = LookWords(language: language)
        if let announcement = campaign.announcement {
            self.init(.announcement, campaign.push.campaign, .full)
            html = announcement.isHTML ? announcement.body : nil
            title = announcement.title
            text = announcement.isHTML ? nil : announcement.body
            if announcement.actionLink != nil || announcement.actionLabel != nil {
                buttons.append(Self.action(announcement.actionLabel ?? words.more, .action(nil)))
            }
            buttons.append(Self.exit(announcement.exitLabel ?? words.close))
        } else if let poll = campaign.poll {
            self.init(.poll, campaign.push.campaign, .full)
            title = poll.title
            text = poll.body
            questions = poll.questions
            buttons = [
                Self.action(poll.actionLabel ?? words.send, .answer), Self.exit(poll.exitLabel ?? words.close),
            ]
        } else {
            return nil
        }
        // A page of HTML contains its own images.
        image = html == nil ? Self.image(campaign.push.media) : nil
        read(in: language)
    }

    private static func action(_ label: String, _ step: Step) -> Button {
        Button(id: "action", label: label, step: step, weight: .first)
    }

    private static func exit(_ label: String) -> Button {
        Button(id: "exit", label: label, step: .exit, weight: .plain)
    }
}
