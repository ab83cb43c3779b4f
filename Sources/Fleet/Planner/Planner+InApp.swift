import Campaigns
import Delivery
import Logging
import Store

/// In-app campaigns: nothing of them is sent, but somebody has to say that their time has come.
extension Planner {
    /// What one pass hands to the next.
    struct InAppWork {
        fileprivate var open: [UInt32: InAppPreparation] = [:]
        /// Campaigns whose lists are there.
        fileprivate var ready: Set<UInt32> = []
        /// Not before this instant, because it failed, or because it has begun and the lease does not say so yet.
        fileprivate var after: [UInt32: ContinuousClock.Instant] = [:]
    }

    /// Prepares the lists of in-app campaigns and lets them go live when they are due; returns whether there is more to
    /// do at once.
    func beginInApp(_ leases: [LeasedCampaign], _ work: inout InAppWork) async throws -> Bool {
        let waiting = leases.filter { $0.facts.isInApp && [.scheduled, .held].contains($0.facts.stage) }
        let numbers = Set(waiting.map(\.facts.number))
        work.open = work.open.filter { numbers.contains($0.key) }
        work.ready.formIntersection(numbers)
        work.after = work.after.filter { numbers.contains($0.key) }
        for lease in waiting where work.after[lease.facts.number].map({ $0 <= .now }) ?? true {
            do {
                try await begin(lease, &work)
            } catch {
                // Whatever it is, the other campaigns go on.
                logger.error(
                    "an in-app campaign cannot go live now",
                    metadata: ["campaign": "\(lease.facts.id)", "error": "\(error)"]
                )
                work.open[lease.facts.number] = nil
                work.after[lease.facts.number] = .now + Self.failurePause
            }
        }
        return !work.open.isEmpty
    }

    private func begin(_ lease: LeasedCampaign, _ work: inout InAppWork) async throws {
        let (campaign, epoch, worker) = (lease.facts.number, lease.leaseEpoch, worker)
        guard try await prepare(lease, &work) else { return }
        guard lease.facts.stage == .scheduled, lease.facts.isDue(at: ledger.now()),
            lease.facts.pauseReasons.isEmpty
        else { return }
        let begins = try await ledger.write(.synced) {
            try $0.beginInApp(campaign: campaign, leaseEpoch: epoch, worker: worker, now: ledger.now())
        }
        work.after[campaign] = .now + Self.leaseLook
        guard begins else { return }
        logger.info("an in-app campaign is live", metadata: ["campaign": "\(lease.facts.id)"])
        outlet.eventsWritten()
    }

    /// Whether its lists are there.
    private func prepare(_ lease: LeasedCampaign, _ work: inout InAppWork) async throws -> Bool {
        let campaign = lease.facts.number
        if work.ready.contains(campaign) { return true }
        if work.open[campaign]?.leaseEpoch != lease.leaseEpoch {
            let lists = try await ledger.read { try $0.inAppLists(campaign: campaign) }
            guard !lists.isEmpty else {
                work.ready.insert(campaign)
                return true
            }
            work.open[campaign] = InAppPreparation(
                (campaign, lease.facts.app, lease.leaseEpoch),
                worker: worker,
                lists: lists,
                ledger: ledger
            )
        }
        guard let preparation = work.open[campaign] else { return false }
        switch try await preparation.step(upTo: Self.slice) {
        case .goesOn: return false
        case .done: work.ready.insert(campaign)
        case .fenced: break
        }
        work.open[campaign] = nil
        return work.ready.contains(campaign)
    }

    /// How long lists are read before everything else has its turn.
    private static let slice = Duration.milliseconds(20)
    /// After a failure.
    private static let failurePause = Duration.seconds(5)
    /// By then the lease says what has become of the campaign.
    private static let leaseLook = Duration.seconds(1)
}
