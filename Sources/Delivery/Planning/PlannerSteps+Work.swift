import Campaigns

/// Runs, turns, in-app campaigns and audiences: a planner's work for one campaign at a time.
extension PlannerSteps {
    /// Notes whether a run was made or passed over: then the next pass leases what was made.
    public mutating func madeRun(_ isAny: Bool) {
        if isAny { leasedAt = nil }
    }

    /// Takes the time until the campaign's next poll, in microseconds.
    public mutating func gaveTurns(rest: Int64, _ now: MonotonicInstant) {
        guard case .giveTurns(let lease, _) = doing else { return }
        nextTurns[lease.facts.number] = now.advanced(by: max(Self.turnPause, .microseconds(rest)))
    }

    // MARK: In-app campaigns

    mutating func beginInApp(_ observation: Observation) {
        let waiting = leases.filter { $0.facts.isInApp && [.scheduled, .held].contains($0.facts.stage) }
        let campaigns = Set(waiting.map(\.facts.number))
        inAppReady.formIntersection(campaigns)
        inAppRests = inAppRests.filter { campaigns.contains($0.key) && $0.value > observation.now }
        if let campaign = preparing, !campaigns.contains(campaign) {
            preparing = nil
            add([.forget(campaign: campaign)])
        }
        for lease in waiting {
            let campaign = lease.facts.number
            guard inAppRests[campaign] == nil, retries[campaign] == nil else { continue }
            if inAppReady.contains(campaign) {
                if lease.mayGoLive(at: observation.shared) { add([.beginInApp(lease)]) }
            } else if preparing == nil || preparing == campaign {
                // Only one campaign's lists at a time, because a restart begins at the front.
                preparing = campaign
                add([.prepareInApp(lease, upTo: Self.inAppSlice)])
            }
        }
    }

    /// Takes the progress of the in-app campaign's lists.
    public mutating func preparedInApp(_ work: Work, _ observation: Observation) {
        guard case .prepareInApp(let lease, _) = doing, work != .goesOn else { return }
        preparing = nil
        guard work == .done else { return }
        inAppReady.insert(lease.facts.number)
        if lease.mayGoLive(at: observation.shared) { addFirst(.beginInApp(lease)) }
    }

    /// Notes that the in-app campaign was told to go live; its lease later shows the result.
    public mutating func beganInApp(_ now: MonotonicInstant) {
        guard case .beginInApp(let lease) = doing else { return }
        inAppRests[lease.facts.number] = now.advanced(by: Self.inAppPoll)
    }

    // MARK: Audiences

    /// Takes the progress of the audience; the next pass leases the campaign with the chunks that may be cut.
    public mutating func froze(_ work: Freezing) {
        guard case .freeze(let lease, _) = doing else { return }
        switch work {
        case .goesOn: freezing = lease.facts.number
        case .passed:
            (freezing, leasedAt) = (lease.facts.number, nil)
            // Another audience would close this one for the rest of the slice.
            freezeEnd = MonotonicInstant(nanoseconds: 0)
        case .done: (freezing, leasedAt) = (nil, nil)
        case .fenced: freezing = nil
        }
    }
}

extension LeasedCampaign {
    /// Returns true if an in-app campaign's time has come.
    fileprivate func mayGoLive(at shared: Timestamp) -> Bool {
        facts.stage == .scheduled && facts.isDue(at: shared) && facts.pauseReasons.isEmpty
    }
}
