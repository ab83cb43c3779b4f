import Campaigns
import FanfareKit

/// What is in front on a phone: the app's delegate, and what draws its messages and campaigns.
@MainActor final class PhoneEyes: FanfareDelegate, InAppPresenter, CampaignPresenter {
    weak var session: PhoneSession?
    /// The announcement or poll in front.
    private(set) var campaign: PresentedCampaign?
    /// The in-app message in front, and what says how it was closed.
    private(set) var message: (shown: FanfareKit.InAppMessage, close: @MainActor (InAppClosing) -> Void)?

    /// What the app says of each in-app message that could be shown.
    var choice = InAppChoice.now

    // MARK: - The delegate

    func fanfare(_ fanfare: FanfareKit.Fanfare, choiceFor message: FanfareKit.InAppMessage) -> InAppChoice {
        if choice == .later {
            session?.say(
                PhoneLine("later", "the in-app message \(message.id) is put off", ["campaign": .string(message.id)])
            )
        }
        return choice
    }

    func fanfare(_ fanfare: FanfareKit.Fanfare, noMatchingTrigger event: AppEvent) {
        // Sessions and clicks mostly have none; an event of the person's own is worth a line.
        switch event.kind {
        case .custom, .purchase: session?.say(PhoneLine(event))
        case .sessionStart, .pushClick: break
        }
    }

    func fanfare(_ fanfare: FanfareKit.Fanfare, postponed push: PushMessage) {
        let text = "\(push.kind.rawValue) \(push.campaign) waits for the network"
        session?.say(PhoneLine("postponed", text, ["campaign": .string(push.campaign)]))
    }

    func fanfare(_ fanfare: FanfareKit.Fanfare, didRegister result: RegistrationResult) {
        session?.say(PhoneLine(result))
    }

    func fanfare(
        _ fanfare: FanfareKit.Fanfare,
        didDiscard message: FanfareKit.InAppMessage,
        because reason: InAppDiscardReason
    ) {
        let text = "the in-app message \(message.id) is not shown: \(reason.rawValue)"
        session?.say(
            PhoneLine("discarded", text, ["campaign": .string(message.id), "reason": .string(reason.rawValue)])
        )
    }

    func fanfare(_ fanfare: FanfareKit.Fanfare, content state: RichContentState, of push: PushMessage) {
        if case .fetching = state { return }
        session?.say(PhoneLine(state, of: push))
    }

    func fanfare(_ fanfare: FanfareKit.Fanfare, log text: String) {
        session?.say(PhoneLine("log", "kit: \(text)", ["text": .string(text)]))
    }

    // MARK: - In-app messages

    func show(_ message: FanfareKit.InAppMessage, close: @escaping @MainActor (InAppClosing) -> Void) {
        self.message = (message, close)
        session?.say(PhoneLine(message))
    }

    func hide(_ message: FanfareKit.InAppMessage) {
        self.message = nil
        session?.say(PhoneLine("hidden", "the in-app message is gone", ["campaign": .string(message.id)]))
    }

    func close(_ closing: InAppClosing) -> PhoneSession.Outcome {
        guard let message else { return .impossible("no in-app message is in front; an event may bring one") }
        self.message = nil
        message.close(closing)
        return .done
    }

    func press(_ button: String) -> PhoneSession.Outcome {
        let ids = message?.shown.buttons.map(\.id) ?? []
        guard ids.contains(button) else {
            return .impossible("the in-app message has no button \(button); it has \(ids.joined(separator: ", "))")
        }
        return close(.button(button))
    }

    // MARK: - Announcements and polls

    func present(_ campaign: PresentedCampaign) {
        self.campaign = campaign
        session?.say(PhoneLine(campaign))
        campaign.displayed()
    }

    func act(_ button: String?) -> PhoneSession.Outcome { ended { $0.actioned(button) } }

    func leave() -> PhoneSession.Outcome { ended { $0.exited() } }

    func answer(_ answers: [String: [String]]) -> PhoneSession.Outcome {
        guard let poll = campaign?.poll else { return .impossible("no poll is in front; tap one's notification first") }
        for (id, choices) in answers {
            guard let question = poll.questions.first(where: { $0.id == id }) else {
                let ids = poll.questions.map(\.id).joined(separator: ", ")
                return .impossible("the poll has no question \(id); it has \(ids)")
            }
            let known = question.choices.map(\.id)
            if let unknown = choices.first(where: { !known.contains($0) }) {
                return .impossible("\(id) has no choice \(unknown); it has \(known.joined(separator: ", "))")
            }
            if !question.isMultiple, choices.count > 1 { return .impossible("\(id) takes one choice") }
        }
        return ended { $0.answered(answers) }
    }

    /// Answers with the choices that the poll comes with.
    func answerDefaults() -> PhoneSession.Outcome {
        guard let poll = campaign?.poll else { return .impossible("no poll is in front; tap one's notification first") }
        var answers: [String: [String]] = [:]
        for question in poll.questions {
            let choices = question.choices.filter(\.isDefault).map(\.id)
            if !choices.isEmpty { answers[question.id] = choices }
        }
        guard !answers.isEmpty else { return .impossible("the poll comes with no choices; answer QUESTION=CHOICE") }
        return ended { $0.answered(answers) }
    }

    private func ended(_ how: (PresentedCampaign) -> Void) -> PhoneSession.Outcome {
        guard let campaign else {
            return .impossible("no announcement or poll is in front; tap its notification first")
        }
        self.campaign = nil
        how(campaign)
        return .done
    }
}
