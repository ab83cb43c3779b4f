import Campaigns

/// A planner's next step, from its facts and the time (design, sections 7 and 10).
///
/// Pure, and confined to the planner's task. The driver asks for the `next` step, does it, reports the result, and asks
/// again. A pass goes through its stages in order (`Stage`) and then waits; the ledger fences the writes.
public struct PlannerSteps: Sendable {
    /// The interval of renewal while a lease is of a campaign whose audience flows: other planners freeze what this one
    /// cuts, and senders take a window of shards in little more.
    public static let flowLeasePause = Duration.milliseconds(100)
    /// The pause between passes while nothing is left to do.
    public static let idlePause = Duration.milliseconds(100)
    /// The interval of renewal: leases last three seconds and are renewed well before.
    public static let leasePause = Duration.milliseconds(500)
    /// The interval of renewal while a lease is of a campaign under a rate.
    public static let pacedLeasePause = Duration.milliseconds(200)
    /// The pause after the ledger has failed.
    public static let failurePause = Duration.seconds(1)
    /// The pause before a campaign's failed run, audience or going live is tried again; other campaigns continue.
    public static let retryPause = Duration.seconds(5)
    /// The pause between two sweeps.
    public static let sweepPause = Duration.seconds(1)
    /// The age at which any planner may publish a shard without a confirm, whoever plans its campaign.
    public static let leftBehindAge = Duration.seconds(60)
    /// The shortest pause between polls of one campaign under a rate, so that fruitless polls cost little.
    public static let turnPause = Duration.milliseconds(50)
    /// The time for materialising audiences before everything else has its turn.
    public static let freezeSlice = Duration.milliseconds(50)
    /// The time for reading lists of in-app campaigns before everything else has its turn.
    public static let inAppSlice = Duration.milliseconds(20)
    /// The time by which a lease shows that its in-app campaign has gone live.
    public static let inAppPoll = Duration.seconds(1)

    /// The number of shards that a sender prefetches from its lane.
    let prefetch: Int

    var stage = Stage.holding
    /// The remaining steps of the stage, the next one first.
    private var todo: ArraySlice<Step> = []
    /// The steps that come before those, the next one last.
    private var first: [Step] = []
    /// The step in progress.
    var doing: Step?
    var begunAt: MonotonicInstant?
    var isHinted = true
    private var progressed: Set<UInt32> = []

    var leases: [LeasedCampaign] = []
    /// The leased ranges of audiences that flow, urgent campaigns first.
    var ranges: [LeasedAudience] = []
    /// The instant of the last leasing; nil: lease anew in the next pass.
    var leasedAt: MonotonicInstant?
    /// The instant of the next look at the leases of others.
    var lookAt: MonotonicInstant?
    /// True unless another planner sweeps for all.
    var isSweeper = true
    private var sweptAt: MonotonicInstant?
    /// The number of workers that send.
    var consumers = 1
    /// The accounts for which the live workers can send.
    var accounts = AppAccounts()
    /// The first shards of held campaigns.
    var prepared: [ShareKey: [ShardToPublish]] = [:]
    /// True if a campaign waits for the runs of a campaign that it supersedes.
    var isWaiting = false
    /// True if campaigns that are over have rows left to settle.
    var isEnding = false

    /// The instants of the next polls of campaigns under a rate.
    var nextTurns: [UInt32: MonotonicInstant] = [:]
    /// The instants at which a campaign's failed work is tried again.
    var retries: [UInt32: MonotonicInstant] = [:]
    /// The instants of the next polls of in-app campaigns that went live.
    var inAppRests: [UInt32: MonotonicInstant] = [:]
    /// The in-app campaigns whose lists are complete.
    var inAppReady: Set<UInt32> = []
    /// The campaign whose lists are being written: one after the other.
    var preparing: UInt32?
    /// The audiences and ranges that are being materialised.
    var freezing: Set<AudienceKey> = []
    /// About the devices that are left of audiences that are frozen as a whole, since their last turns: the ledger does
    /// not say.
    var lefts: [UInt32: Int64] = [:]
    /// The one that was worked on last.
    var lastFrozen: AudienceKey?
    var freezeEnd = MonotonicInstant(nanoseconds: 0)
    /// True if an audience had its turn in this pass: no hint keeps all of them waiting.
    var hasFrozen = false

    /// The shares whose guard lets nothing more out in this pass.
    var guarded: Set<ShareKey> = []
    var isCutting = false
    var cadence = PlanningCadence()

    /// A planner that has just begun: it takes leases at once.
    public init(prefetch: Int) {
        self.prefetch = prefetch
    }

    /// Returns the next step.
    public mutating func next(_ observation: Observation) -> Step {
        isHinted = isHinted || observation.isHinted
        progressed.formUnion(observation.progressed)
        while true {
            while let step = first.popLast() ?? todo.popFirst() {
                guard isPossible(step, observation) else { continue }
                let step = shortened(step)
                doing = step
                return step
            }
            doing = nil
            if let step = goOn(observation) { return step }
        }
    }

    /// Adds steps after those of the stage.
    mutating func add(_ steps: some Sequence<Step>) { todo += steps }

    /// Adds a step that comes next.
    mutating func addFirst(_ step: Step) { first.append(step) }

    /// Handles a failed step: if it is one campaign's, only that campaign pauses; otherwise the pass is over.
    public mutating func failed(_ now: MonotonicInstant) {
        switch doing {
        case .makeRun(let lease), .beginInApp(let lease): rest(lease.facts, now)
        case .freeze(let audience, _):
            freezing.remove(audience.key)
            rest(audience.facts, now)
            addFirst(.leave(audience.key))
        case .prepareInApp(let lease, _):
            preparing = nil
            rest(lease.facts, now)
            addFirst(.forget(campaign: lease.facts.number))
        default:
            (first, todo) = ([], [])
            stage = .resting(until: now.advanced(by: Self.failurePause))
        }
    }

    private mutating func rest(_ campaign: CampaignFacts, _ now: MonotonicInstant) {
        retries[campaign.number] = now.advanced(by: Self.retryPause)
    }

    /// Returns true if a step that was right when its stage began is still possible.
    private func isPossible(_ step: Step, _ observation: Observation) -> Bool {
        switch step {
        case .readHeld, .publishFired, .checkProbe, .probe, .checkAside, .releaseAside, .giveTurns, .publishLeft,
            .republishLost, .readWindow, .cut:
            observation.isTaking
        case .freeze: observation.now < freezeEnd && !(isHinted && hasFrozen)
        default: true
        }
    }

    /// Returns the step as it is done after a hint: an audience has a page, and what was hinted at comes next.
    private func shortened(_ step: Step) -> Step {
        guard isHinted, case .freeze(let audience, _) = step else { return step }
        return .freeze(audience, upTo: .zero)
    }

    // MARK: - The stages

    /// Begins the next stage; returns a step if the planner waits.
    private mutating func goOn(_ observation: Observation) -> Step? {
        switch stage {
        case .resting(let until):
            stage = .holding
            return .rest(until: until)
        case .holding:
            // While shards are still to be cut, other processes make room too. Without a hint a pass takes at least
            // that long, because every claim and settlement makes room.
            if !isHinted, let end = begunAt?.advanced(by: cadence.rest), observation.now < end {
                return .rest(until: end)
            }
            begunAt = observation.now
            stage = .fired
            if isHinted { readHeld() }
        case .fired:
            stage = .progressed
            completeProgressed()
        case .progressed:
            stage = .leasing
            beginLeasing(observation)
        case .leasing, .asides:
            stage = .ending
            if isEnding, observation.isInTime { add([.endPiece]) }
        case .leased:
            stage = .preparing
            prepareHeld()
        case .preparing:
            stage = .superseding
            supersede(observation)
        case .superseding:
            stage = .asides
            releaseAsides(observation)
        case .ending:
            stage = .runs
            makeRuns(observation)
        case .runs:
            stage = .turns
            giveTurns(observation)
        case .turns:
            stage = .sweeping
            sweep(observation)
        case .sweeping:
            stage = .inApp
            beginInApp(observation)
        case .inApp:
            stage = .cutting
            beginCutting(observation)
        case .cutting:
            stage = .audiences
            freezeAudiences(observation)
        case .audiences: endPass(observation)
        }
        return nil
    }

    private mutating func completeProgressed() {
        // A campaign that is still being cut cannot be over, unless it has several providers.
        let cutting = leases.filter { $0.unplannedChunks > 0 && !$0.facts.hasShares }.map(\.facts.number)
        let campaigns = progressed.subtracting(cutting)
        progressed = []
        if !campaigns.isEmpty { add([.complete(campaigns)]) }
    }

    private mutating func beginLeasing(_ observation: Observation) {
        defer { isHinted = false }
        let pause =
            leases.contains(where: \.facts.isFlowing)
            ? Self.flowLeasePause : leases.contains(where: \.isPaced) ? Self.pacedLeasePause : Self.leasePause
        // Without a lease there is none to renew, and a look costs less than a write.
        let isDue = leasedAt.map { holdsLeases && observation.now.since($0) >= pause } ?? true
        if isHinted || isWaiting || isDue {
            lease(observation)
        } else if lookAt.map({ observation.now >= $0 }) ?? true {
            lookAt = observation.now.advanced(by: Self.leasePause)
            add([.lookForLeases])
        }
    }

    private var holdsLeases: Bool { !leases.isEmpty || !ranges.isEmpty }

    mutating func lease(_ observation: Observation) {
        leasedAt = observation.now
        if observation.isInTime { return add([.lease]) }
        guard holdsLeases else { return }
        (leases, ranges) = ([], [])
        add([.giveUpLeases])
    }

    private mutating func makeRuns(_ observation: Observation) {
        retries = retries.filter { $0.value > observation.now }
        add(
            leases.filter { $0.facts.isRunDue(at: observation.shared) && retries[$0.facts.number] == nil }.map(
                Step.makeRun
            )
        )
    }

    private mutating func giveTurns(_ observation: Observation) {
        let paced = leases.filter { $0.isPaced && $0.facts.mayPlan(at: observation.shared) }
        // Kept until its end, even if the campaign is paused for a moment.
        nextTurns = nextTurns.filter { $0.value > observation.now }
        // The shares of a campaign of several providers have one line, so one poll covers all of them.
        var seen: Set<UInt32> = []
        for lease in paced {
            let campaign = lease.facts.number
            guard nextTurns[campaign].map({ $0 <= observation.now }) ?? true, seen.insert(campaign).inserted else {
                continue
            }
            // Of all its leases, including those that may not be sent to now: that may be over when turns are given.
            let bulk = leases.filter { $0.facts.number == campaign && $0.urgency == .bulk }
            add([.giveTurns(lease, providers: Set(bulk.map(\.provider)))])
        }
    }

    private mutating func sweep(_ observation: Observation) {
        guard sweptAt.map({ observation.now.since($0) >= Self.sweepPause }) ?? true else { return }
        sweptAt = observation.now
        if isSweeper { add([.extendQuiet]) }
        for lease in leases {
            add([.publishLeft(campaign: lease.facts.number, age: Sweep.outboxAge), .republishLost(lease)])
        }
        guard isSweeper else { return }
        add([.publishLeft(campaign: nil, age: Self.leftBehindAge)])
        if observation.isInTime { add([.sweepLists]) }
    }

    private mutating func endPass(_ observation: Observation) {
        let isCutting =
            isCutting
            && leases.contains {
                $0.unplannedChunks > 0 && !$0.isPaced && !guarded.contains($0.key)
                    && accounts.has($0.facts.app, $0.provider)
            }
        let isWorking = !freezing.isEmpty || preparing != nil
        cadence.didPoll(isCutting: isCutting && !isWorking)
        let isBusy = isCutting || isWorking || isEnding
        var end = observation.now.advanced(by: isBusy ? cadence.rest : Self.idlePause)
        // A planner without a lease has nothing to do before it looks for one, unless somebody wakes it.
        if !isBusy, !holdsLeases, leasedAt != nil, let lookAt { end = max(end, lookAt) }
        stage = .resting(until: end)
    }
}
