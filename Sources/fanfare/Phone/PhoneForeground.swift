import Campaigns
import FanfareKit

/// The phone's foreground: the app's delegate, and the drawer of the kit's looks of messages and campaigns.
///
/// The app has no presenter of its own.
@MainActor final class PhoneForeground: FanfareDelegate, LookDrawer {
    /// A look in the foreground, with the closure that ends it.
    typealias Shown = (look: Look, end: @MainActor (Look.End) -> Void)

    weak var session: PhoneSession?
    /// The announcement or poll in the foreground.
    private(set) var campaign: Shown?
    /// The in-app message in the foreground.
    private(set) var message: Shown?

    /// The app's choice for each in-app message that could be shown.
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
        // Sessions and clicks usually have no message; the person's own events are worth a line.
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

    // MARK: - Looks

    func show(_ look: Look, end: @escaping @MainActor (Look.End) -> Void) -> Bool {
        switch look.kind {
        case .announcement, .poll: campaign = (look, end)
        case .message: message = (look, end)
        // The phone's notifier handles these.
        case .notification: return false
        }
        session?.say(look)
        return true
    }

    func hide(_ look: Look) {
        guard look.id == message?.look.id else { return }
        message = nil
        session?.say(PhoneLine("hidden", "the in-app message is gone", ["campaign": .string(look.campaign)]))
    }

    // MARK: - In-app messages

    func tap() -> PhoneSession.Outcome {
        if let look = message?.look, look.tap == nil, !look.buttons.isEmpty {
            return .impossible("the in-app message is not tapped but pressed; it has \(Self.ids(look))")
        }
        return closed(.actioned(nil))
    }

    func press(_ button: String) -> PhoneSession.Outcome {
        if let look = message?.look, !look.buttons.contains(where: { $0.id == button }) {
            return .impossible("the in-app message has no button \(button); it has \(Self.ids(look))")
        }
        return closed(.actioned(button))
    }

    func closed(_ how: Look.End) -> PhoneSession.Outcome {
        guard let message else { return .impossible("no in-app message is in front; an event may bring one") }
        self.message = nil
        message.end(how)
        return .done
    }

    private static func ids(_ look: Look) -> String {
        look.buttons.isEmpty ? "none" : look.buttons.map(\.id).joined(separator: ", ")
    }

    // MARK: - Announcements and polls

    /// Presses the button that acts, or the app's own button.
    func act(_ button: String?) -> PhoneSession.Outcome {
        if let look = campaign?.look, button == nil, !look.buttons.contains(where: { $0.step == .action(nil) }) {
            return .impossible(
                look.kind == .poll
                    ? "a poll has no button that acts; answer it"
                    : "it opens nothing and has no button that acts; leave"
            )
        }
        return ended(.actioned(button))
    }

    func answer(_ answers: [String: [String]]) -> PhoneSession.Outcome {
        guard let look = campaign?.look, look.kind == .poll else {
            return .impossible("no poll is in front; tap one's notification first")
        }
        for (id, choices) in answers {
            guard let question = look.questions.first(where: { $0.id == id }) else {
                let ids = look.questions.map(\.id).joined(separator: ", ")
                return .impossible("the poll has no question \(id); it has \(ids)")
            }
            let known = question.choices.map(\.id)
            if let unknown = choices.first(where: { !known.contains($0) }) {
                return .impossible("\(id) has no choice \(unknown); it has \(known.joined(separator: ", "))")
            }
            if !question.isMultiple, choices.count > 1 { return .impossible("\(id) takes one choice") }
        }
        return ended(.answered(answers))
    }

    /// Answers with the poll's default choices.
    func answerDefaults() -> PhoneSession.Outcome {
        guard let look = campaign?.look, look.kind == .poll else {
            return .impossible("no poll is in front; tap one's notification first")
        }
        guard let end = look.end(of: .answer, FanfareKit.PollForm(look.questions)) else {
            return .impossible("the poll comes with no choices; answer QUESTION=CHOICE")
        }
        return ended(end)
    }

    func ended(_ how: Look.End) -> PhoneSession.Outcome {
        guard let campaign else {
            return .impossible("no announcement or poll is in front; tap its notification first")
        }
        self.campaign = nil
        campaign.end(how)
        return .done
    }
}
