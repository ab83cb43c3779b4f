import Campaigns
import Delivery
import Logging
import NIOCore
import Operations
import Settings
import Store

/// Cuts campaigns into shards, publishes those that wait, and ends campaigns, as `PlannerSteps` says.
///
/// Runs as one task. It decides nothing: the ledger fences, and the machine decides everything else.
struct Planner: Sendable {
    let worker: Int64
    let ledger: Ledger
    /// The apps, with their present rates and frequency caps.
    let limits: AppDirectory
    let dispatcher: PlannerDispatcher
    let progress: ProgressedCampaigns
    let signal: WakeSignal
    /// The signal that wakes the ledger poll of this worker.
    let poll: WakeSignal
    let lostShards: LostShards
    let prefetch: Int
    let logger: Logger

    /// The work that is open between two steps: some audiences, and the lists of one in-app campaign.
    struct OpenWork {
        var audiences: [AudienceKey: AudienceFreezer] = [:]
        var filters = KnownFilters()
        var lists: InAppPreparation?
    }

    /// Plans until the task is cancelled, then gives its leases back.
    func run() async {
        var steps = PlannerSteps(prefetch: prefetch)
        var open = OpenWork()
        while !Task.isCancelled {
            let step = steps.next(observation())
            do {
                try await take(step, &steps, &open)
            } catch {
                log(error, at: step)
                steps.failed(now)
            }
        }
        await dispatcher.markConfirmed()
        do {
            try await releaseLeases()
        } catch {
            logger.notice("leases were not given back; they end in three seconds", metadata: ["error": "\(error)"])
        }
    }

    private func take(_ step: PlannerSteps.Step, _ steps: inout PlannerSteps, _ open: inout OpenWork) async throws {
        switch step {
        case .rest(let until): await signal.wait(upTo: until.since(now))
        case .readHeld(let numbers): steps.didRead(held: try await held(numbers), observation())
        case .publishFired(let shards):
            dispatcher.eventsWritten()
            await dispatcher.publish(shards)
        case .complete(let campaigns): try await complete(campaigns)
        case .lease: open.filters.forgetOthers(than: try await lease(&steps))
        case .giveUpLeases: try await releaseLeases()
        case .lookForLeases: steps.didLook(try await leaseOutlook(), observation())
        case .prepare(let lease, let shardsMax): steps.prepared(try await prepare(lease, shardsMax))
        case .release(let campaign): steps.released(try await release(campaign))
        case .checkProbe(let lease): steps.didCheckProbe(isDue: try await isProbeDue(lease))
        case .probe(let lease): try await probe(lease)
        case .checkAside(let lease): steps.didCheckAside(isThere: try await hasAside(lease), observation())
        case .releaseAside(let lease, let limit): steps.releasedAside(try await releaseAside(lease, limit))
        case .endPiece: steps.endedPiece(isMore: try await endPiece())
        case .makeRun(let lease): steps.madeRun(try await makeRun(lease))
        case .giveTurns(let lease, let providers):
            let rest = try await giveTurns(lease, providers)
            steps.gaveTurns(rest: rest, now)
        case .extendQuiet: try await extendQuiet()
        case .publishLeft(let campaign, let age): try await publishLeft(campaign, age)
        case .republishLost(let lease): try await republishLost(lease)
        case .sweepLists: try await sweepLists()
        case .prepareInApp(let lease, let limit):
            steps.preparedInApp(try await prepareInApp(lease, limit, &open), observation())
        case .beginInApp(let lease):
            try await beginInApp(lease)
            steps.beganInApp(now)
        case .freeze(let audience, let limit):
            let work = try await freeze(audience, limit, &open)
            steps.froze(work, left: open.audiences[audience.key]?.left ?? 0)
        case .leave(let audience): open.audiences[audience] = nil
        case .forget(let campaign):
            if open.lists?.lease.campaign == campaign { open.lists = nil }
        case .readWindow: steps.didRead(window: try await windowUse(), observation())
        case .cut(let lease, let shardsMax):
            let (cut, shards) = try await self.cut(lease, shardsMax)
            if steps.cut(cut) { dispatcher.eventsWritten() }
            await dispatcher.publish(shards)
        }
    }

    /// Returns the facts that the machine gets before each step.
    private func observation() -> PlannerSteps.Observation {
        PlannerSteps.Observation(
            now: now,
            shared: ledger.now(),
            isInTime: ledger.standing.verdict != .lost,
            isTaking: dispatcher.isTaking,
            isHinted: dispatcher.takeHint(),
            progressed: progress.take()
        )
    }

    /// The apps whose campaigns this planner may lease: those known now, because a reload brings new ones.
    var apps: Set<String> { Set(limits.names) }

    private var now: MonotonicInstant { MonotonicInstant(of: .now()) }

    private func log(_ error: any Error, at step: PlannerSteps.Step) {
        let (what, campaign): (Logger.Message, CampaignFacts?) =
            switch step {
            case .makeRun(let lease): ("a run cannot be made now", lease.facts)
            case .freeze(let audience, _): ("an audience cannot be materialised now", audience.facts)
            case .prepareInApp(let lease, _), .beginInApp(let lease):
                ("an in-app campaign cannot go live now", lease.facts)
            default: ("the planner waits for the ledger", nil)
            }
        var metadata: Logger.Metadata = ["error": "\(error)"]
        if let campaign { metadata["campaign"] = "\(campaign.id)" }
        logger.error(what, metadata: metadata)
    }
}
