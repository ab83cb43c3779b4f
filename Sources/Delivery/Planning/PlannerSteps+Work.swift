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
    ///
    /// - Parameters:
    ///   - work: The result.
    ///   - left: About the number of devices that were not looked at yet.
    public mutating func froze(_ work: Freezing, left: Int64 = 0) {
        guard case .freeze(let audience, _) = doing else { return }
        if audience.token.range == nil { lefts[audience.facts.number] = left }
        (lastFrozen, hasFrozen) = (audience.key, true)
        freezing.remove(audience.key)
        switch work {
        case .goesOn: freezing.insert(audience.key)
        case .passed:
            freezing.insert(audience.key)
            leasedAt = nil
            // Cutting comes before more freezing.
            freezeEnd = MonotonicInstant(nanoseconds: 0)
        case .flows:
            freezing.insert(AudienceKey(campaign: audience.facts.number, range: 0))
            leasedAt = nil
            freezeEnd = MonotonicInstant(nanoseconds: 0)
        case .done: leasedAt = nil
        case .fenced: break
        }
    }

    /// Gives each audience with a seat its part of a slice.
    mutating func freezeAudiences(_ observation: Observation) {
        // The shares of a campaign of several providers have one audience.
        var seen: Set<UInt32> = []
        let planned = leases.filter { $0.facts.stage == .planning && seen.insert($0.facts.number).inserted }
        lefts = lefts.filter { seen.contains($0.key) }
        let whole = planned.map { lease in
            var audience = lease.audience
            audience.left = lefts[lease.facts.number] ?? 0
            return audience
        }
        let due = (whole + ranges).filter {
            $0.facts.mayFreeze(at: observation.shared) && retries[$0.facts.number] == nil
        }
        let seated = FreezingSeats.seated(due, after: lastFrozen)
        for key in freezing.subtracting(seated.map(\.key)).sorted() {
            freezing.remove(key)
            add([.leave(key)])
        }
        // One slice for all, so that turns and leases of other campaigns never wait longer.
        (freezeEnd, hasFrozen) = (observation.now.advanced(by: Self.freezeSlice), false)
        add(seated.map { .freeze($0, upTo: Self.freezeSlice / max(1, seated.count)) })
    }
}

extension LeasedCampaign {
    /// Returns true if an in-app campaign's time has come.
    fileprivate func mayGoLive(at shared: Timestamp) -> Bool {
        facts.stage == .scheduled && facts.isDue(at: shared) && facts.pauseReasons.isEmpty
    }
}
