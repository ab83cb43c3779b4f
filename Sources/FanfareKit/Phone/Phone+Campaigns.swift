import Foundation

extension Phone {
    static let heldFile = "campaigns.json"

    /// Queues an announcement or poll to be shown when its turn comes.
    func arrived(_ push: PushMessage) async { perform(campaignQueue.arrived(push)) }

    func viewDisplayed(_ push: PushMessage) { perform(campaignQueue.displayed(push)) }

    /// Handles the button that acts, or a button of the presenter's own.
    func viewActioned(_ push: PushMessage, button: String?, link: String?) {
        guard campaignQueue.current == push else { return }
        if let link, setting.options.automation.contains(.links) { listener.open(link, from: push) }
        viewEnded(push, .actioned(button ?? TrackedEvent.plainAction))
    }

    func viewEnded(_ push: PushMessage, _ end: CampaignQueue.End) {
        perform(campaignQueue.ended(push, end))
        pump()
    }

    func viewDisappeared(_ push: PushMessage) {
        perform(campaignQueue.disappeared(push, now: now))
        pump()
    }

    func viewAppeared(_ push: PushMessage) { perform(campaignQueue.appeared(push)) }

    func perform(_ effects: [CampaignQueue.Effect]) {
        for effect in effects {
            switch effect {
            case .present(let push): present(push)
            case .track(let push, let end): track(push, end)
            }
        }
        keepHeld()
    }

    /// Asks again for the contents that could not be fetched, if the app is in front.
    func retryCampaigns() {
        campaignRetry = nil
        guard engine.isActive else { return }
        perform(campaignQueue.retry())
    }

    /// Lets a campaign wait for the network, and tells the app once.
    private func postpone(_ push: PushMessage) {
        if !campaignQueue.held.contains(push) { listener.postponed(push) }
        perform(campaignQueue.postponed(push))
        campaignRetry = now + campaignBackoff.failed(chance: setting.chance())
        pump()
    }

    private func keepHeld() {
        let held = campaignQueue.held.map(\.userInfo)
        guard held != keptHeld else { return }
        keptHeld = held
        do {
            try storage.write(held, Self.heldFile)
        } catch {
            listener.log("campaigns that wait for the network cannot be kept: \(error)")
        }
    }

    private func present(_ push: PushMessage) {
        launch { phone in await phone.fetchAndPresent(push) }
    }

    private func fetchAndPresent(_ push: PushMessage) async {
        let content: RichContent
        switch await fetch(push) {
        case .success(let fetched): content = fetched
        case .failure(.unavailable), .failure(.notRegistered): return postpone(push)
        case .failure: return viewEnded(push, .dropped(reason: "NoContent"))
        }
        campaignBackoff.worked()
        guard let page = CampaignPage(push, content) else {
            listener.log("the content of a \(push.kind.rawValue) cannot be read")
            return viewEnded(push, .dropped(reason: "Unreadable"))
        }
        guard await !listener.present(push, page) else { return }
        listener.log("no presenter for a \(push.kind.rawValue) of the category \(push.look ?? "(none)")")
        viewEnded(push, .dropped(reason: "NoPresenter"))
    }

    private func track(_ push: PushMessage, _ end: CampaignQueue.End) {
        switch end {
        case .displayed: note(.displayed, .content, of: push)
        case .actioned(let action): note(.actioned, .content, of: push, action: action)
        case .exited: note(.exited, .content, of: push)
        case .dropped(let reason): note(.dropped, .content, of: push, reason: reason)
        // The answers themselves are the record.
        case .answered: break
        }
    }
}
