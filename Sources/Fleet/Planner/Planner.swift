import Campaigns
import Delivery
import Logging
import NIOCore
import Store
import Transport

/// Cuts campaigns into shards, publishes what waits, ends what is over: one pass after the other until it is stopped.
///
/// Runs as one task. Decisions are `Window`'s, `AsideRelease`'s and `Sweep`'s; fencing is the ledger's.
struct Planner: Sendable {
    let worker: Int64
    let ledger: Ledger
    let apps: Set<String>
    /// The apps' own rates and frequency caps, as they are now.
    let limits: AppDirectory
    let outlet: PlannerOutlet
    let progress: ProgressedCampaigns
    let signal: WakeSignal
    /// The look at the ledger of what runs here.
    let poll: WakeSignal
    let endpoint: AMQPEndpoint
    let loop: any EventLoop
    let prefetch: Int
    let logger: Logger

    /// Between passes otherwise (design, section 7: ledger poll of the planner).
    private static let idlePause = Duration.milliseconds(100)
    /// Leases last three seconds and are renewed well before.
    private static let leasePause = Duration.milliseconds(500)
    /// The same while one of them is of a campaign under a rate.
    private static let pacedLeasePause = Duration.milliseconds(200)
    /// How long audiences are materialised before everything else has its turn; leases are renewed between.
    private static let freezeSlice = Duration.milliseconds(50)
    /// After a failure.
    private static let freezePause = Duration.seconds(5)
    private static let sweepPause = Duration.seconds(1)
    /// After this a shard without a confirm is anybody's, whoever plans its campaign.
    private static let leftBehindAge = Duration.seconds(60)

    /// What one pass hands to the next.
    private struct State {
        var leases: [LeasedCampaign] = []
        /// The first shards of held campaigns, of several providers by each.
        var prepared: [ShareKey: [ShardToPublish]] = [:]
        /// What the live workers can send for.
        var accounts = AppAccounts()
        /// Workers that send.
        var consumers = 1
        var cadence = PlanningCadence()
        var leasedAt = ContinuousClock.now - .seconds(60)
        /// When another planner's leases were looked at.
        var lookedBehindAt = ContinuousClock.now - .seconds(60)
        /// A campaign waits for the runs of one that it supersedes.
        var isWaiting = false
        /// Campaigns that are over have rows left to settle.
        var isEnding = false
        var sweptAt = ContinuousClock.now - .seconds(60)
        /// When campaigns under a rate are looked at again.
        var rests: PacedRests = [:]
        /// Campaigns whose audience this planner is materialising.
        var freezers: [UInt32: AudienceFreezer] = [:]
        /// Not before this instant, because it failed.
        var freezeAfter: [UInt32: ContinuousClock.Instant] = [:]
        /// The same for repeated campaigns whose run could not be made.
        var repeatAfter: RepeatRests = [:]
        var inApp = InAppWork()
    }

    /// Plans until the task is cancelled, then gives its leases back.
    func run() async {
        var state = State()
        while !Task.isCancelled {
            var isBusy = false
            let begun = ContinuousClock.now
            do {
                isBusy = try await pass(&state)
            } catch {
                logger.error("the planner waits for the ledger", metadata: ["error": "\(error)"])
                await signal.wait(upTo: .seconds(1))
            }
            // While shards are still to be cut other processes make room too. Without a hint a pass takes that long at
            // least, because every claim and settlement makes room.
            let rest = state.cadence.rest
            await signal.wait(upTo: isBusy ? rest : Self.idlePause)
            while !outlet.isHinted, !Task.isCancelled, begun + rest > .now {
                await signal.wait(upTo: begun + rest - .now)
            }
        }
        await outlet.markConfirmed()
        let worker = worker
        do {
            try await ledger.write(.normal) { try $0.releaseLeases(worker: worker) }
        } catch {
            logger.notice("leases were not given back; they end in three seconds", metadata: ["error": "\(error)"])
        }
    }

    /// Returns whether shards are left to be cut.
    private func pass(_ state: inout State) async throws -> Bool {
        if outlet.isHinted { try await publishFired(&state.prepared) }
        // Nothing of a campaign that is still being cut can be over; of several providers one may be.
        let cutting = state.leases.filter { $0.unplannedChunks > 0 && !$0.facts.hasShares }.map(\.facts.number)
        try await complete(progress.take().subtracting(cutting))
        let isHinted = outlet.takeHint()
        let leasePause = state.leases.contains(where: isPaced) ? Self.pacedLeasePause : Self.leasePause
        if isHinted || state.isWaiting || ContinuousClock.now - state.leasedAt >= leasePause {
            try await lease(&state)
        } else if ContinuousClock.now - state.lookedBehindAt >= Self.idlePause {
            state.lookedBehindAt = .now
            if try await isLeftBehind() { try await lease(&state) }
        }
        if state.isEnding, isInTime { state.isEnding = try await endDue() }
        // The next pass leases what was made.
        if try await makeRuns(state.leases, &state.repeatAfter) { state.leasedAt -= Self.leasePause }
        try await giveTurns(state.leases, &state.rests)
        if ContinuousClock.now - state.sweptAt >= Self.sweepPause {
            state.sweptAt = .now
            try await sweep(state.leases)
        }
        let isPreparing = try await beginInApp(state.leases, &state.inApp)
        let isFreezing = try await freeze(&state) || isPreparing
        let isCutting = try await plan(&state)
        state.cadence.looked(isCutting: isCutting && !isFreezing)
        return isFreezing || isCutting || state.isEnding
    }

    /// Materialises audiences, some milliseconds a pass, in the order of the leases; returns whether there is more to do.
    private func freeze(_ state: inout State) async throws -> Bool {
        let due = state.leases.filter { $0.facts.mayFreeze(at: ledger.now()) }
        state.freezers = state.freezers.filter { open in due.contains { $0.facts.number == open.key } }
        let end = ContinuousClock.now + Self.freezeSlice
        for lease in due where state.freezeAfter[lease.facts.number].map({ $0 <= .now }) ?? true {
            // One slice for all, so that turns and leases of other campaigns never wait for longer.
            guard ContinuousClock.now < end else { break }
            do {
                try await freeze(lease, &state)
                state.freezeAfter[lease.facts.number] = nil
            } catch {
                // Whatever it is, the other campaigns go on.
                logger.error(
                    "an audience cannot be materialised now",
                    metadata: ["campaign": "\(lease.facts.id)", "error": "\(error)"]
                )
                state.freezers[lease.facts.number] = nil
                state.freezeAfter[lease.facts.number] = .now + Self.freezePause
            }
        }
        return !state.freezers.isEmpty
    }

    private func freeze(_ lease: LeasedCampaign, _ state: inout State) async throws {
        let campaign = lease.facts.number
        var freezer = state.freezers[campaign]
        if freezer == nil || freezer?.leaseEpoch != lease.leaseEpoch {
            freezer = try await AudienceFreezer.open(
                campaign: campaign,
                leaseEpoch: lease.leaseEpoch,
                worker: worker,
                apps: limits,
                ledger: ledger
            )
        }
        state.freezers[campaign] = freezer
        guard let freezer else { return }
        switch try await freezer.step(upTo: Self.freezeSlice) {
        case .written: break
        case .fenced: state.freezers[campaign] = nil
        case .frozen(let audience):
            logger.info("an audience is known", metadata: ["campaign": "\(lease.facts.id)", "audience": "\(audience)"])
            state.freezers[campaign] = nil
            // The next pass leases it with the chunks that it has now.
            state.leasedAt -= Self.leasePause
        case .empty:
            logger.notice("a campaign means nobody", metadata: ["campaign": "\(lease.facts.id)"])
            state.freezers[campaign] = nil
            state.leasedAt -= Self.leasePause
        }
    }

    // MARK: - Leases and ends

    private func lease(_ state: inout State) async throws {
        state.leasedAt = .now
        let (worker, apps) = (worker, apps)
        guard isInTime else { return try await giveUp(&state.leases) }
        let live: [WorkerRecord]
        (state.leases, live, state.isEnding) = try await ledger.write(.normal) { [ledger, limits] transaction in
            let now = ledger.now()
            let ended = try transaction.endDue(now: now)
            return (
                try transaction.leaseCampaigns(worker: worker, apps: apps, isPaced: limits.isPaced, now: now),
                try transaction.reader.liveWorkers(now: now), ended.isMore
            )
        }
        state.consumers = live.count { $0.roles.contains("sender") }
        state.accounts = live.reduce(into: limits.reported) { $0.formUnion($1.accounts) }
        try await complete(Set(state.leases.filter { $0.unplannedChunks == 0 }.map(\.facts.number)))
        try await publishFired(&state.prepared)
        try await prepare(&state)
        try await supersede(&state)
        // What the broker does not take waits in the ledger where it is.
        guard outlet.isTaking else { return }
        for lease in state.leases where state.accounts.has(lease.facts.app, lease.provider) {
            try await lease.facts.breaker.isOpen ? probe(lease) : release(lease)
        }
    }

    /// Whether another planner has not renewed a lease in time: its campaigns wait for nothing.
    private func isLeftBehind() async throws -> Bool {
        let (worker, apps) = (worker, apps)
        return try await ledger.read { [ledger] reader in
            try reader.hasLapsedLease(notOf: worker, apps: apps, now: ledger.now())
        }
    }

    private func complete(_ campaigns: Set<UInt32>) async throws {
        guard !campaigns.isEmpty else { return }
        // Looked at first: a synced commit at every settlement would cost more than the settlement.
        let done = try await ledger.read { reader in try campaigns.filter { try reader.mayBeDone(campaign: $0) } }
        guard !done.isEmpty else { return }
        try await ledger.write(.synced) { transaction in
            let now = ledger.now()
            for campaign in done { _ = try transaction.completeIfDone(campaign: campaign, now: now) }
        }
        outlet.eventsWritten()
    }

    /// Lets one shard through an open breaker when it is time to look whether the provider is back.
    private func probe(_ lease: LeasedCampaign) async throws {
        let (campaign, epoch, worker) = (lease.facts.number, lease.leaseEpoch, worker)
        let share = lease.facts.share
        let isDue = try await ledger.read { try $0.isProbeDue(campaign: campaign, share: share, now: ledger.now()) }
        guard isDue else { return }
        let cap = limits.cap(of: lease.facts.app)
        let shards = try await ledger.write(.synced) {
            try $0.beginProbe(
                campaign: campaign,
                share: share,
                leaseEpoch: epoch,
                worker: worker,
                cap: cap,
                now: ledger.now()
            )
        }
        await outlet.publish(shards)
    }

    // MARK: - Held campaigns

    /// Has the first shards of each held campaign in memory, so that nothing but a hint is between `fire` and the broker.
    private func prepare(_ state: inout State) async throws {
        let held = state.leases.filter { $0.facts.stage == .held && !$0.facts.isInApp }
        // One that got another urgency meanwhile goes to another lane.
        let urgencies = Dictionary(held.map { ($0.key, $0.urgency) }) { first, _ in first }
        state.prepared = state.prepared.filter { prepared in
            urgencies[prepared.key].map { urgency in prepared.value.allSatisfy { $0.facts.urgency == urgency } }
                ?? false
        }
        // Under a rate the first shards wait for their turns like all others.
        for lease in held where state.prepared[lease.key] == nil && !isPaced(lease) {
            let (campaign, epoch, worker) = (lease.facts.number, lease.leaseEpoch, worker)
            let share = lease.facts.share
            let window = Window.free(consumers: max(1, state.consumers), prefetch: prefetch, unclaimed: 0)
            let cap = limits.cap(of: lease.facts.app)
            let result = try await ledger.write(.normal) {
                try $0.prepare(
                    campaign: campaign,
                    share: share,
                    leaseEpoch: epoch,
                    worker: worker,
                    shardsMax: window,
                    cap: cap,
                    now: ledger.now()
                )
            }
            if case .planned(let shards) = result { state.prepared[lease.key] = shards }
        }
    }

    /// Publishes the first shards of campaigns that were fired: their rows are on their way since that commit.
    private func publishFired(_ prepared: inout [ShareKey: [ShardToPublish]]) async throws {
        guard !prepared.isEmpty, outlet.isTaking else { return }
        let numbers = Set(prepared.keys.map(\.campaign))
        let fired = try await ledger.read { reader in
            try reader.campaigns(numbers).filter { $0.stage != .held }.flatMap { try reader.shares(of: $0) }
        }
        for campaign in fired {
            guard var shards = prepared.removeValue(forKey: ShareKey(campaign)),
                campaign.mayPlan(at: ledger.now())
            else { continue }
            for index in shards.indices {
                shards[index].record.state = .unpublished
                // What counts from the release has begun with it.
                shards[index].facts.expiresAt = campaign.expiresAt
            }
            outlet.eventsWritten()
            await outlet.publish(shards)
        }
    }

    /// Lets campaigns take the place of older ones, and begin when those have stopped (design, section 9).
    private func supersede(_ state: inout State) async throws {
        state.isWaiting = false
        for index in state.leases.indices {
            let facts = state.leases[index].facts
            guard !facts.isReleased, facts.mayRelease(at: ledger.now()) else { continue }
            let (result, marked) = try await ledger.write(.synced) { [ledger] transaction in
                let now = ledger.now()
                return try transaction.release(campaign: facts.number, shared: now, now: now)
            }
            state.leases[index].facts.isReleased = result == .released
            if result == .waits { state.isWaiting = true }
            if marked {
                logger.notice("older campaigns are superseded", metadata: ["campaign": "\(facts.app)/\(facts.id)"])
                outlet.eventsWritten()
                // Other workers look within 500 ms.
                poll.wake()
            }
        }
    }

    // MARK: - New shards

    private func plan(_ state: inout State) async throws -> Bool {
        guard outlet.isTaking else { return false }
        let leases = state.leases
        let accounts = state.accounts
        let open = leases.indices.filter {
            leases[$0].unplannedChunks > 0 && !isPaced(leases[$0])
                && leases[$0].facts.mayPlan(at: ledger.now())
                && accounts.has(leases[$0].facts.app, leases[$0].provider)
        }
        guard !open.isEmpty else { return false }
        let use = try await ledger.read { try $0.windowUse() }
        var isGuarded: Set<ShareKey> = []
        for lane in Set(open.map { leases[$0].lane }) {
            let ours = open.filter { leases[$0].lane == lane }
            let candidates = ours.map { index in
                let lease = leases[index]
                let mine = use.first { $0.campaign == lease.facts.number && $0.lane == lane }
                return Window.Candidate(
                    campaign: lease.facts.number,
                    app: lease.facts.app,
                    unclaimed: mine?.firstAttempts ?? 0,
                    remaining: lease.unplannedChunks,
                    waitingRetries: mine?.retries ?? 0
                )
            }
            // Turns are given away ahead: a high rate would fill the window and keep everybody else out.
            let inLine = use.filter { $0.lane == lane && !isPaced($0) }
            let unclaimed = inLine.reduce(0) { $0 + $1.firstAttempts }
            // What has a turn must not stand in line behind a long window.
            let isShared = leases.contains { $0.lane == lane && isPaced($0) }
            let size = Window.size(
                consumers: max(1, state.consumers),
                prefetch: isShared ? Window.prefetchBesidePaced : prefetch
            )
            let free = max(0, size - unclaimed)
            state.cadence.saw(free: free, of: size)
            let shares = Window.share(free, among: candidates)
            for index in ours {
                let result = try await cut(&state.leases[index], shares[leases[index].facts.number] ?? 0)
                if result == .guarded { isGuarded.insert(leases[index].key) }
            }
        }
        // The guard decides when shards are settled, and that wakes us.
        return state.leases.contains {
            $0.unplannedChunks > 0 && !isPaced($0) && !isGuarded.contains($0.key)
                && accounts.has($0.facts.app, $0.provider)
        }
    }

    @discardableResult
    private func cut(_ lease: inout LeasedCampaign, _ count: Int) async throws -> PlanResult {
        guard count > 0 else { return .planned([]) }
        let (campaign, epoch, worker) = (lease.facts.number, lease.leaseEpoch, worker)
        let (cap, share) = (limits.cap(of: lease.facts.app), lease.facts.share)
        let result = try await ledger.write(.normal) {
            try $0.plan(
                campaign: campaign,
                share: share,
                leaseEpoch: epoch,
                worker: worker,
                shardsMax: count,
                cap: cap,
                now: ledger.now()
            )
        }
        switch result {
        case .planned(let shards):
            // Fewer at the campaign's end, and under the guard.
            lease.unplannedChunks = max(0, lease.unplannedChunks - max(1, shards.count))
            if lease.facts.stage == .scheduled {
                // Its first shards: the ledger has the event that it has started.
                lease.facts.stage = .sending
                outlet.eventsWritten()
            }
            await outlet.publish(shards)
        case .fenced, .waits: lease.unplannedChunks = 0
        case .guarded: break
        }
        return result
    }

    // MARK: - The sweep

    private func sweep(_ leases: [LeasedCampaign]) async throws {
        try await extendQuiet()
        if outlet.isTaking { try await publishLeft(leases) }
        guard isInTime else { return }
        try await ledger.write(.normal) { transaction in
            let now = ledger.now()
            _ = try transaction.sweepLists(now: now)
            _ = try transaction.learnDeadTokens()
            try transaction.dropOldEvents(now: now)
        }
    }

    private func publishLeft(_ leases: [LeasedCampaign]) async throws {
        for lease in leases {
            let campaign = lease.facts.number
            let now = ledger.now()
            let before = now.advanced(by: .zero - Sweep.outboxAge)
            let left = try await ledger.read {
                try $0.unpublished(olderThan: before, campaign: campaign, now: now, limit: 100)
            }
            if !left.isEmpty {
                logger.notice("shards without a confirm are published again", metadata: ["count": "\(left.count)"])
                await outlet.publish(left)
            }
            try await republishLost(lease)
        }
        try await sweepLeftBehind()
    }

    /// Shards that wait for a confirm and whose campaign no planner has: they would fill their lane's window for all.
    private func sweepLeftBehind() async throws {
        let now = ledger.now()
        let before = now.advanced(by: .zero - Self.leftBehindAge)
        let left = try await ledger.read { try $0.unpublished(olderThan: before, campaign: nil, now: now, limit: 100) }
        await outlet.publish(left)
    }
}
