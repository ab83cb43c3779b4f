import Campaigns

/// Runs, turns, in-app campaigns and audiences: what a planner does for one campaign at a time.
extension PlannerSteps {
    /// Whether a run was made or passed over: then the next pass leases what was made.
    public mutating func madeRun(_ isAny: Bool) {
        if isAny { leasedAt = nil }
    }

    /// When the campaign is looked at again: after so many microseconds.
    public mutating func gaveTurns(rest: Int64, _ now: MonotonicInstant) {
        guard case .giveTurns(let lease, _) = doing else { return }
        turnRests[lease.facts.number] = now.advanced(by: max(Self.turnPause, .microseconds(rest)))
    }

    // MARK: In-app campaigns

    mutating func beginInApp(_ look: Look) {
        let waiting = leases.filter { $0.facts.isInApp && [.scheduled, .held].contains($0.facts.stage) }
        let campaigns = Set(waiting.map(\.facts.number))
        inAppReady.formIntersection(campaigns)
        inAppRests = inAppRests.filter { campaigns.contains($0.key) && $0.value > look.now }
        if let campaign = preparing, !campaigns.contains(campaign) {
            preparing = nil
            add([.forget(campaign: campaign)])
        }
        for lease in waiting {
            let campaign = lease.facts.number
            guard inAppRests[campaign] == nil, retries[campaign] == nil else { continue }
            if inAppReady.contains(campaign) {
                if lease.mayGoLive(at: look.shared) { add([.beginInApp(lease)]) }
            } else if preparing == nil || preparing == campaign {
                // Nobody else's lists before these are there: who begins again begins at the front.
                preparing = campaign
                add([.prepareInApp(lease, upTo: Self.inAppSlice)])
            }
        }
    }

    /// How far the lists of the in-app campaign are.
    public mutating func preparedInApp(_ work: Work, _ look: Look) {
        guard case .prepareInApp(let lease, _) = doing, work != .goesOn else { return }
        preparing = nil
        guard work == .done else { return }
        inAppReady.insert(lease.facts.number)
        if lease.mayGoLive(at: look.shared) { addFirst(.beginInApp(lease)) }
    }

    /// The in-app campaign was told to go live; its lease says later what has become of it.
    public mutating func beganInApp(_ now: MonotonicInstant) {
        guard case .beginInApp(let lease) = doing else { return }
        inAppRests[lease.facts.number] = now.advanced(by: Self.inAppLook)
    }

    // MARK: Audiences

    /// How far the audience is; once it is known the next pass leases the campaign with its chunks.
    public mutating func froze(_ work: Work) {
        guard case .freeze(let lease, _) = doing else { return }
        freezing = work == .goesOn ? lease.facts.number : nil
        if work == .done { leasedAt = nil }
    }
}

extension LeasedCampaign {
    /// Whether an in-app campaign's time has come.
    fileprivate func mayGoLive(at shared: Timestamp) -> Bool {
        facts.stage == .scheduled && facts.isDue(at: shared) && facts.pauseReasons.isEmpty
    }
}
