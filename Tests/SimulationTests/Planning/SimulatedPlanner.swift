import Campaigns
import Delivery

/// A planner in the simulated world, which executes the shipping state machine step by step.
final class SimulatedPlanner {
    private unowned let world: PlannerWorld
    let worker: Int64
    private var steps = PlannerSteps(prefetch: PlannerWorld.prefetch)
    private var sleepsUntil: MonotonicInstant?
    private var isHinted = false
    private var progressed: Set<UInt32> = []
    /// True if it is of an earlier version, which cannot freeze an audience that flows.
    let isOld: Bool
    /// The ranges that it has open: the epochs of their leases, and the devices that it has walked over.
    private var walks: [AudienceKey: (epoch: UInt32, position: Int)] = [:]
    /// The campaign whose lists it is writing; another campaign begins at the front.
    private var writing: UInt32?
    /// The room for cuts at its last poll of the window.
    private var room: [Urgency: Int] = [:]
    /// True if its wall clock is far from the shared time.
    var isLost = false
    /// The last time at which it was frozen or could not renew its leases.
    var excusedAt: Timestamp?

    init(worker: Int64, isOld: Bool, world: PlannerWorld) {
        (self.worker, self.isOld, self.world) = (worker, isOld, world)
    }

    private var ledger: PlannedLedger { world.ledger }
    private var now: Timestamp { world.now }
    private var instant: MonotonicInstant { MonotonicInstant(nanoseconds: now.milliseconds * 1_000_000) }

    /// Handles a hint that campaigns may have changed.
    func hint() {
        isHinted = true
        sleepsUntil = nil
    }

    /// Notes that a shard of a campaign was settled here.
    func note(_ campaign: UInt32) {
        progressed.insert(campaign)
        sleepsUntil = nil
    }

    private func observation() -> PlannerSteps.Observation {
        PlannerSteps.Observation(
            now: instant,
            shared: now,
            isInTime: !isLost,
            isTaking: world.isTaking,
            isHinted: isHinted,
            progressed: progressed
        )
    }

    /// The duration of its sleep; nil when it is awake.
    var nap: Duration? {
        guard let sleepsUntil, instant < sleepsUntil else { return nil }
        return sleepsUntil.since(instant)
    }

    /// Executes its next step.
    func step() throws {
        let step = steps.next(observation())
        (isHinted, progressed, sleepsUntil) = (false, [], nil)
        if case .rest(let until) = step {
            sleepsUntil = until
            return
        }
        if !step.isMemoryOnly, world.fails() {
            excusedAt = now
            // The devices of the write that failed are read, and in no chunk.
            if case .freeze(let audience, _) = step { walks[audience.key]?.position += 1 }
            return steps.failed(instant)
        }
        try take(step)
    }

    private func take(_ step: PlannerSteps.Step) throws {
        switch step {
        case .rest, .extendQuiet, .sweepLists, .probe, .makeRun: break
        case .readHeld(let numbers):
            steps.didRead(held: held(numbers), observation())
        case .publishFired(let shards): try publishFired(shards)
        case .complete(let numbers): for number in numbers.sorted() { try ledger.complete(number) }
        case .lease:
            let leases = try ledger.lease(by: worker, isOld: isOld, now: now) { try world.lapsed($0) }
            let ranges = isOld ? [] : try ledger.leaseRanges(by: worker, now: now) { try world.lapsed($0) }
            steps.leased(
                leases,
                ranges: ranges,
                consumers: 1,
                accounts: PlannerWorld.accounts,
                isEnding: ledger.isEnding
            )
        case .giveUpLeases: ledger.releaseLeases(of: worker)
        case .lookForLeases:
            let isSweeper = world.sweeper == worker
            steps.didLook(
                ledger.outlook(of: worker, isOld: isOld, isSweeper: isSweeper, now: now),
                observation()
            )
        case .prepare(let lease, let count):
            steps.prepared(try ledger.cut(lease, count, by: worker, isHeld: true, now: now))
        case .release(let number): steps.released(world.release(number))
        case .checkProbe: steps.didCheckProbe(isDue: false)
        case .checkAside: steps.didCheckAside(isThere: true, observation())
        case .releaseAside(let lease, let limit):
            let shards = ledger.release(lease, limit: limit, now: now)
            world.publish(shards)
            steps.releasedAside(shards.count)
        case .endPiece: steps.endedPiece(isMore: ledger.endPiece(now: now))
        case .giveTurns(let lease, _): steps.gaveTurns(rest: try giveTurns(lease), instant)
        case .publishLeft(let campaign, let age): world.publishLeft(campaign, age)
        case .republishLost(let lease): world.republishLost(lease.facts.number)
        case .prepareInApp(let lease, _): steps.preparedInApp(try writeLists(lease), observation())
        case .beginInApp(let lease):
            if ledger.holds(lease, worker) { ledger.campaigns[lease.facts.number]?.facts.stage = .sending }
            steps.beganInApp(instant)
        case .freeze(let audience, _):
            let result = try freeze(audience)
            // The write may be done although its result is not heard of.
            if world.fails() { steps.failed(instant) } else { steps.froze(result) }
        case .forget(let campaign):
            if writing == campaign { writing = nil }
        case .leave(let audience): walks[audience] = nil
        case .readWindow: steps.didRead(window: window(), observation())
        case .cut(let lease, let count): try cut(lease, count)
        }
    }

    private func held(_ numbers: Set<UInt32>) -> [PlannerSteps.Held] {
        numbers.sorted().compactMap { number in
            ledger.campaigns[number].map { PlannerSteps.Held($0.facts, urgency: $0.urgency) }
        }
    }

    private func publishFired(_ shards: [ShardToPublish]) throws {
        for shard in shards {
            let number = shard.record.id.key.campaign
            guard let campaign = ledger.campaigns[number] else { continue }
            if campaign.facts.stage == .held { throw Violation(description: "\(number) is held and goes out") }
            if shard.lane.urgency != campaign.urgency {
                throw Violation(description: "\(number) goes out in another lane than its own")
            }
        }
        world.publish(shards)
    }

    private func giveTurns(_ lease: LeasedCampaign) throws -> Int64 {
        let number = lease.facts.number
        guard ledger.holds(lease, worker), let campaign = ledger.campaigns[number] else { return 0 }
        if let turn = campaign.turn, turn.epoch == lease.leaseEpoch, now.since(turn.at) < turn.rest {
            throw Violation(description: "\(number) is asked for turns before its rest is over")
        }
        let shards = try ledger.cut(lease, 1, by: worker, isHeld: false, now: now) ?? []
        world.publish(shards)
        let rest = shards.isEmpty ? 200 : 100
        ledger.campaigns[number]?.turn = (lease.leaseEpoch, now, .milliseconds(rest))
        return Int64(rest) * 1000
    }

    private func freeze(_ audience: LeasedAudience) throws -> PlannerSteps.Freezing {
        let (number, token) = (audience.facts.number, audience.token)
        if ledger.campaigns[number]?.flow != nil {
            world.pass(.milliseconds(30))
            if isOld { return ledger.freezeWhole(token) ? .done : .fenced }
            guard token.range != nil else { return ledger.beginFlow(token, now: now) ? .flows : .fenced }
            let result = try flow(token)
            if result == .done || result == .fenced { walks[audience.key] = nil }
            if walks.count > FreezingSeats.most {
                throw Violation(description: "\(worker) has \(walks.count) audiences open")
            }
            return result
        }
        guard ledger.holds(token), let left = ledger.campaigns[number]?.freezing, left > 0 else {
            return .fenced
        }
        world.pass(.milliseconds(30))
        ledger.campaigns[number]?.freezing = left - 1
        guard left == 1 else { return .goesOn }
        ledger.campaigns[number]?.facts.stage = .scheduled
        return .done
    }

    /// Writes the next devices of a range.
    private func flow(_ token: LeaseToken) throws -> PlannerSteps.Freezing {
        let key = AudienceKey(token)
        if walks[key]?.epoch != token.epoch {
            guard let position = ledger.openRange(token) else { return .fenced }
            if token.epoch > 1, position > 0 { world.noteResumed() }
            walks[key] = (token.epoch, position)
        }
        guard let range = ledger.range(token), let walk = walks[key] else { return .fenced }
        let position = min(walk.position, range.end)
        let end = min(range.end, position + 1 + world.draw(3))
        let passes = end == range.end || world.draw(3) == 0
        guard ledger.write(position..<end, passes: passes, token) else { return .fenced }
        walks[key]?.position = end
        guard end == range.end else { return passes ? .passed : .goesOn }
        guard let campaign = ledger.campaigns[token.campaign] else { return .fenced }
        if campaign.cursor > 0 { world.noteOverlap() }
        if campaign.lease.owner != worker { world.noteShared() }
        return try ledger.finishRange(token) ? .done : .fenced
    }

    private func writeLists(_ lease: LeasedCampaign) throws -> PlannerSteps.Work {
        let number = lease.facts.number
        guard ledger.holds(lease, worker), let left = ledger.campaigns[number]?.lists else { return .fenced }
        if let writing, writing != number {
            throw Violation(description: "the lists of \(number) are begun before those of \(writing) are there")
        }
        world.pass(.milliseconds(10))
        ledger.campaigns[number]?.lists = max(0, left - 1)
        writing = left > 1 ? number : nil
        return left > 1 ? .goesOn : .done
    }

    // MARK: New shards

    private func window() -> [WindowUse] {
        let unclaimed = ledger.unclaimed()
        let uses = ledger.campaigns.values.map { campaign in
            WindowUse(
                campaign: campaign.facts.number,
                app: campaign.facts.app,
                lane: Lane(provider: .apns, urgency: campaign.urgency),
                isPaced: campaign.isPaced,
                firstAttempts: unclaimed[campaign.facts.number, default: 0],
                retries: 0
            )
        }
        let size = Window.size(consumers: 1, prefetch: PlannerWorld.prefetch)
        for urgency in Urgency.allCases {
            let out = uses.filter { $0.lane.urgency == urgency && !$0.isPaced }.map(\.firstAttempts).reduce(0, +)
            room[urgency] = max(0, size - out)
        }
        return uses
    }

    private func cut(_ lease: LeasedCampaign, _ count: Int) throws {
        room[lease.urgency, default: 0] -= count
        if room[lease.urgency, default: 0] < 0 {
            throw Violation(description: "more is cut than the window has room for")
        }
        if lease.isPaced { throw Violation(description: "\(lease.facts.number) is cut without a turn") }
        guard let shards = try ledger.cut(lease, count, by: worker, isHeld: false, now: now) else {
            steps.cut(.nothing)
            return
        }
        steps.cut(.planned(shards.count))
        world.publish(shards)
    }
}

extension PlannerSteps.Step {
    /// True if it cannot fail.
    fileprivate var isMemoryOnly: Bool {
        switch self {
        case .forget, .leave: true
        default: false
        }
    }
}
