import Campaigns

/// What a planner does next, from what it knows and the time (design, section 7 and 10).
///
/// Pure, and confined to the planner's task. The driver asks for the `next` step, does it, tells what came of it, and asks
/// again. A pass goes through its stages in their order (`Stage`) and rests; what is written is fenced by the ledger.
public struct PlannerSteps: Sendable {
    /// Between passes, while nothing is left to do.
    public static let idlePause = Duration.milliseconds(100)
    /// Leases last three seconds and are renewed well before.
    public static let leasePause = Duration.milliseconds(500)
    /// The same while one of them is of a campaign under a rate.
    public static let pacedLeasePause = Duration.milliseconds(200)
    /// After the ledger has failed.
    public static let failurePause = Duration.seconds(1)
    /// Before a campaign whose run, audience or going live has failed is tried again; the others go on.
    public static let retryPause = Duration.seconds(5)
    /// Between two sweeps.
    public static let sweepPause = Duration.seconds(1)
    /// After this a shard without a confirm is anybody's, whoever plans its campaign.
    public static let leftBehindAge = Duration.seconds(60)
    /// Between looks at one campaign under a rate at least, so that nothing to give away costs little.
    public static let turnPause = Duration.milliseconds(50)
    /// How long audiences are materialised before everything else has its turn.
    public static let freezeSlice = Duration.milliseconds(50)
    /// How long lists of in-app campaigns are read before everything else has its turn.
    public static let inAppSlice = Duration.milliseconds(20)
    /// By then a lease says that its in-app campaign has gone live.
    public static let inAppLook = Duration.seconds(1)

    /// Shards that a sender takes from its lane ahead.
    let prefetch: Int

    var stage = Stage.holding
    /// Steps of the stage that are not done, the next one first.
    private var todo: ArraySlice<Step> = []
    /// What comes before those, the next one last.
    private var first: [Step] = []
    /// The step that the driver does.
    var doing: Step?
    var begunAt: MonotonicInstant?
    var isHinted = true
    private var progressed: Set<UInt32> = []

    var leases: [LeasedCampaign] = []
    /// nil: to be taken anew in the next pass.
    var leasedAt: MonotonicInstant?
    private var lookedBehindAt: MonotonicInstant?
    private var sweptAt: MonotonicInstant?
    /// Workers that send.
    var consumers = 1
    /// What the live workers can send for.
    var accounts = AppAccounts()
    /// The first shards of held campaigns.
    var prepared: [ShareKey: [ShardToPublish]] = [:]
    /// A campaign waits for the runs of one that it supersedes.
    var isWaiting = false
    /// Campaigns that are over have rows left to settle.
    var isEnding = false

    /// When campaigns under a rate are looked at again.
    var turnRests: [UInt32: MonotonicInstant] = [:]
    /// When what has failed of a campaign is tried again.
    var retries: [UInt32: MonotonicInstant] = [:]
    /// When an in-app campaign that went live is looked at again.
    var inAppRests: [UInt32: MonotonicInstant] = [:]
    /// In-app campaigns whose lists are there.
    var inAppReady: Set<UInt32> = []
    /// Whose lists are being written: one after the other.
    var preparing: UInt32?
    /// Whose audience is being materialised.
    var freezing: UInt32?
    private var freezeEnd = MonotonicInstant(nanoseconds: 0)

    /// Shares whose guard lets nothing more out in this pass.
    var guarded: Set<ShareKey> = []
    var isCutting = false
    var cadence = PlanningCadence()

    /// A planner that has just begun: it takes leases at once.
    public init(prefetch: Int) {
        self.prefetch = prefetch
    }

    /// What is to be done now.
    public mutating func next(_ look: Look) -> Step {
        isHinted = isHinted || look.isHinted
        progressed.formUnion(look.progressed)
        while true {
            while let step = first.popLast() ?? todo.popFirst() {
                guard isPossible(step, look) else { continue }
                doing = step
                return step
            }
            doing = nil
            if let step = goOn(look) { return step }
        }
    }

    /// Adds steps behind those of the stage.
    mutating func add(_ steps: some Sequence<Step>) { todo += steps }

    /// Adds a step that is done next.
    mutating func addFirst(_ step: Step) { first.append(step) }

    /// The step failed: what is of one campaign rests, and everything else goes on; else the pass is over.
    public mutating func failed(_ now: MonotonicInstant) {
        switch doing {
        case .makeRun(let lease), .beginInApp(let lease): rest(lease, now)
        case .freeze(let lease, _):
            freezing = nil
            rest(lease, now)
            addFirst(.forget(campaign: lease.facts.number))
        case .prepareInApp(let lease, _):
            preparing = nil
            rest(lease, now)
            addFirst(.forget(campaign: lease.facts.number))
        default:
            (first, todo) = ([], [])
            stage = .resting(until: now.advanced(by: Self.failurePause))
        }
    }

    private mutating func rest(_ lease: LeasedCampaign, _ now: MonotonicInstant) {
        retries[lease.facts.number] = now.advanced(by: Self.retryPause)
    }

    /// Whether the world still lets a step be done that was right when its stage began.
    private func isPossible(_ step: Step, _ look: Look) -> Bool {
        switch step {
        case .lookAtHeld, .publishFired, .lookForProbe, .probe, .lookForAside, .releaseAside, .giveTurns, .publishLeft,
            .republishLost, .lookAtWindow, .cut:
            look.isTaking
        case .freeze: look.now < freezeEnd
        default: true
        }
    }

    // MARK: - The stages

    /// Begins the next stage; returns a step when the planner rests.
    private mutating func goOn(_ look: Look) -> Step? {
        switch stage {
        case .resting(let until):
            stage = .holding
            return .rest(until: until)
        case .holding:
            // While shards are still to be cut other processes make room too. Without a hint a pass takes that long at
            // least, because every claim and settlement makes room.
            if !isHinted, let end = begunAt?.advanced(by: cadence.rest), look.now < end { return .rest(until: end) }
            begunAt = look.now
            stage = .fired
            if isHinted { lookAtHeld() }
        case .fired:
            stage = .progressed
            completeProgressed()
        case .progressed:
            stage = .leasing
            beginLeasing(look)
        case .leasing, .asides:
            stage = .ending
            if isEnding, look.isInTime { add([.endPiece]) }
        case .leased:
            stage = .preparing
            prepareHeld()
        case .preparing:
            stage = .superseding
            supersede(look)
        case .superseding:
            stage = .asides
            releaseAsides(look)
        case .ending:
            stage = .runs
            makeRuns(look)
        case .runs:
            stage = .turns
            giveTurns(look)
        case .turns:
            stage = .sweeping
            sweep(look)
        case .sweeping:
            stage = .inApp
            beginInApp(look)
        case .inApp:
            stage = .audiences
            freezeAudiences(look)
        case .audiences:
            stage = .cutting
            beginCutting(look)
        case .cutting: endPass(look)
        }
        return nil
    }

    private mutating func completeProgressed() {
        // Nothing of a campaign that is still being cut can be over; of several providers one may be.
        let cutting = leases.filter { $0.unplannedChunks > 0 && !$0.facts.hasShares }.map(\.facts.number)
        let campaigns = progressed.subtracting(cutting)
        progressed = []
        if !campaigns.isEmpty { add([.complete(campaigns)]) }
    }

    private mutating func beginLeasing(_ look: Look) {
        defer { isHinted = false }
        let pause = leases.contains(where: \.isPaced) ? Self.pacedLeasePause : Self.leasePause
        if isHinted || isWaiting || leasedAt.map({ look.now.since($0) >= pause }) ?? true {
            lease(look)
        } else if lookedBehindAt.map({ look.now.since($0) >= Self.idlePause }) ?? true {
            lookedBehindAt = look.now
            add([.lookBehind])
        }
    }

    mutating func lease(_ look: Look) {
        leasedAt = look.now
        if look.isInTime { return add([.lease]) }
        guard !leases.isEmpty else { return }
        leases = []
        add([.giveUpLeases])
    }

    private mutating func makeRuns(_ look: Look) {
        retries = retries.filter { $0.value > look.now }
        add(
            leases.filter { $0.facts.isRunDue(at: look.shared) && retries[$0.facts.number] == nil }.map(Step.makeRun)
        )
    }

    private mutating func giveTurns(_ look: Look) {
        let paced = leases.filter { $0.isPaced && $0.facts.mayPlan(at: look.shared) }
        // Kept while it lasts, also when the campaign is paused for a moment.
        turnRests = turnRests.filter { $0.value > look.now }
        // The shares of a campaign of several providers have one line: a look is at all of them.
        var looked: Set<UInt32> = []
        for lease in paced {
            let campaign = lease.facts.number
            guard turnRests[campaign].map({ $0 <= look.now }) ?? true, looked.insert(campaign).inserted else {
                continue
            }
            // Of all its leases, also of those that may not be sent to now: that may be over when turns are given.
            let bulk = leases.filter { $0.facts.number == campaign && $0.urgency == .bulk }
            add([.giveTurns(lease, providers: Set(bulk.map(\.provider)))])
        }
    }

    private mutating func sweep(_ look: Look) {
        guard sweptAt.map({ look.now.since($0) >= Self.sweepPause }) ?? true else { return }
        sweptAt = look.now
        add([.extendQuiet])
        for lease in leases {
            add([.publishLeft(campaign: lease.facts.number, age: Sweep.outboxAge), .republishLost(lease)])
        }
        add([.publishLeft(campaign: nil, age: Self.leftBehindAge)])
        if look.isInTime { add([.sweepLists]) }
    }

    private mutating func freezeAudiences(_ look: Look) {
        let due = leases.filter { $0.facts.mayFreeze(at: look.shared) }
        if let campaign = freezing, !due.contains(where: { $0.facts.number == campaign }) {
            freezing = nil
            add([.forget(campaign: campaign)])
        }
        // One slice for all, so that turns and leases of other campaigns never wait for longer.
        freezeEnd = look.now.advanced(by: Self.freezeSlice)
        for lease in due where retries[lease.facts.number] == nil { add([.freeze(lease, upTo: Self.freezeSlice)]) }
    }

    private mutating func endPass(_ look: Look) {
        let isCutting =
            isCutting
            && leases.contains {
                $0.unplannedChunks > 0 && !$0.isPaced && !guarded.contains($0.key)
                    && accounts.has($0.facts.app, $0.provider)
            }
        let isWorking = freezing != nil || preparing != nil
        cadence.looked(isCutting: isCutting && !isWorking)
        let isBusy = isCutting || isWorking || isEnding
        stage = .resting(until: look.now.advanced(by: isBusy ? cadence.rest : Self.idlePause))
    }
}
