import Foundation

extension Phone {
    /// An announcement or poll is to be shown, when its turn comes.
    func arrived(_ push: PushMessage) async { perform(turn.arrived(push)) }

    func viewDisplayed(_ push: PushMessage) { perform(turn.displayed(push)) }

    func viewEnded(_ push: PushMessage, _ end: CampaignTurn.End) {
        perform(turn.ended(push, end))
        pump()
    }

    func viewDisappeared(_ push: PushMessage) {
        perform(turn.disappeared(push, now: now))
        pump()
    }

    func viewAppeared(_ push: PushMessage) { perform(turn.appeared(push)) }

    func perform(_ effects: [CampaignTurn.Effect]) {
        for effect in effects {
            switch effect {
            case .present(let push): present(push)
            case .track(let push, let end): track(push, end)
            }
        }
    }

    private func present(_ push: PushMessage) {
        Task {
            guard case .success(let content) = await fetch(push) else {
                return viewEnded(push, .dropped(reason: "NoContent"))
            }
            guard await !listener.present(push, content) else { return }
            listener.log("nobody presents a \(push.kind.rawValue) of the category \(push.category ?? "(none)")")
            viewEnded(push, .dropped(reason: "NoPresenter"))
        }
    }

    private func track(_ push: PushMessage, _ end: CampaignTurn.End) {
        switch end {
        case .displayed: note(.displayed, .content, messageID: push.messageID)
        case .actioned(let action): note(.actioned, .content, messageID: push.messageID, action: action)
        case .exited: note(.exited, .content, messageID: push.messageID)
        case .dropped(let reason): note(.dropped, .content, messageID: push.messageID, reason: reason)
        // The answers themselves say it.
        case .answered: break
        }
    }
}
