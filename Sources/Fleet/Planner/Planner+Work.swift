import Campaigns
import Delivery
import Logging
import Operations
import PushProviders
import Settings
import Store

/// Runs, turns, audiences and in-app campaigns.
extension Planner {
    /// Makes the run that is due, or skips it; returns true if the campaign has moved on.
    func makeRun(_ lease: LeasedCampaign) async throws -> Bool {
        let intake = Intake(ledger: ledger, apps: limits, worker: worker)
        let result = try await RunMaker(intake: intake, ledger: ledger).step(lease.token, now: ledger.now())
        if case .made = result {
            logger.info("a repeated campaign has a new run", metadata: ["campaign": "\(lease.facts.id)"])
            dispatcher.eventsWritten()
        }
        return result.map { $0 != .fenced } ?? false
    }

    /// Gives turns to a campaign's waiting shards; returns the time until there are more to give, in microseconds.
    func giveTurns(_ lease: LeasedCampaign, _ providers: Set<ProviderName>) async throws -> Int64 {
        let app = lease.facts.app
        let (appPace, cap) = (limits.pace(of: app), limits.cap(of: app))
        var quotas: [ProviderName: ProviderQuota] = [:]
        for provider in providers { quotas[provider] = limits.quota(app: app, provider: provider) }
        // As for a cut: the messages follow.
        let step = try await ledger.write(.synced) { [ledger, quotas] transaction in
            try transaction.givePacedTurns(
                lease.token,
                appPace: appPace,
                quotas: quotas,
                cap: cap,
                now: ledger.now()
            )
        }
        if !step.shards.isEmpty { dispatcher.eventsWritten() }
        await dispatcher.publish(step.shards)
        return step.rest
    }

    // MARK: Audiences

    func freeze(
        _ audience: LeasedAudience,
        _ limit: Duration,
        _ open: inout OpenWork
    ) async throws -> PlannerSteps.Freezing {
        let key = audience.key
        if open.audiences[key]?.lease != audience.token {
            open.audiences[key] = nil
            guard let freezer = try await openAudience(audience, &open) else { return .fenced }
            open.audiences[AudienceKey(freezer.lease)] = freezer
            if freezer.lease != audience.token { return .flows }
        }
        guard let freezer = open.audiences[key] else { return .fenced }
        let result = try await freezer.step(FreezingSlice(upTo: limit)) { dispatcher.isHinted }
        let isOpen = result == .written || result == .passed
        if !isOpen {
            open.audiences[key] = nil
            // The end of the planning may be the end of the campaign.
            dispatcher.eventsWritten()
        }
        switch result {
        case .written: return .goesOn
        case .passed: return .passed
        case .fenced: return .fenced
        case .rangeOver: break
        case .frozen(let size):
            let metadata: Logger.Metadata = [
                "campaign": "\(audience.facts.id)", "audience": "\(size)",
                "devices_read": "\(freezer.rowsRead.devices)", "index_rows_read": "\(freezer.rowsRead.index)",
            ]
            logger.info("an audience is known", metadata: metadata)
        case .empty: logger.notice("a campaign's audience is empty", metadata: ["campaign": "\(audience.facts.id)"])
        }
        return .done
    }

    private func openAudience(_ audience: LeasedAudience, _ open: inout OpenWork) async throws -> AudienceFreezer? {
        let token = audience.token
        // Its audience is an upload that is not complete: the ledger says when there is something to freeze.
        guard try await ledger.read({ try $0.awaitedUpload(of: token.campaign) }) == nil else { return nil }
        let found = try await OpenedAudience.open(token, apps: limits, ledger: ledger, known: &open.filters)
        guard let opened = found else { return nil }
        if let estimate = opened.audience.estimate, let flow = opened.audience.flow {
            let metadata: Logger.Metadata = [
                "campaign": "\(audience.facts.id)", "range": "\(flow.range + 1) of \(flow.ranges)",
                "audience_so_far": "\(opened.audience.devices)",
                "estimate": "\(estimate.devices)", "estimate_error": "\(estimate.error)",
                "exclusion_read_in": "\(opened.exclusionTime)",
            ]
            logger.info("an audience is frozen and sent at once", metadata: metadata)
        }
        return AudienceFreezer(opened, apps: limits, ledger: ledger)
    }

    // MARK: In-app campaigns

    func prepareInApp(
        _ lease: LeasedCampaign,
        _ limit: Duration,
        _ open: inout OpenWork
    ) async throws -> PlannerSteps.Work {
        if open.lists?.lease != lease.token {
            let lists = try await ledger.read { try $0.inAppLists(campaign: lease.facts.number) }
            guard !lists.isEmpty else { return .done }
            open.lists = InAppPreparation(lease.token, app: lease.facts.app, lists: lists, ledger: ledger)
        }
        guard let preparation = open.lists else { return .goesOn }
        let work = try await preparation.step(upTo: limit)
        if work != .goesOn { open.lists = nil }
        return work
    }

    func beginInApp(_ lease: LeasedCampaign) async throws {
        guard try await ledger.write(.synced, { try $0.beginInApp(lease.token, now: ledger.now()) }) else { return }
        logger.info("an in-app campaign is live", metadata: ["campaign": "\(lease.facts.id)"])
        dispatcher.eventsWritten()
    }
}
