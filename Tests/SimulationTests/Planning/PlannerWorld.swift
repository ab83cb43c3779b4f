import Campaigns
import Delivery
import Seeds

/// Several campaigns, three planners, a broker, senders that settle whatever they get, and the faults.
final class PlannerWorld {
    static let prefetch = 2
    static let accounts = AppAccounts(["news": [.apns]])
    private static let stepsWithFaults = 3_000
    private static let stepsMax = 20_000
    /// Longer than a message waits for its confirm, and shorter than the age of what a dead planner leaves behind.
    private static let outboxTimeout = (Sweep.outboxAge + PlannerSteps.leftBehindAge * 3) / 4
    /// The number of steps, of all planners, in which one publishes an old message: a round of its stages.
    private static let stepsOfLate = 40

    struct Report {
        var crashes = 0
        var failures = 0
        var fired = 0
        var lapsed = 0
        var lost = 0
        var superseded = 0
        /// Audiences that were sent while they were frozen, and those that another planner went on with.
        var overlapped = 0
        var resumed = 0
        /// Audiences of which several planners froze ranges.
        var shared = 0
    }

    let ledger = PlannedLedger()
    private(set) var now = Timestamp(milliseconds: 1_800_000_000_000)
    private(set) var isTaking = true
    private(set) var report = Report()
    private var random: SeededRandom
    private var hasFaults = true
    /// The instant from which no faults occur any more.
    private var isWellSince: Timestamp?
    /// The step at which a message had waited too long.
    private var lateSince: [ShardKey: Int] = [:]
    private var planners: [SimulatedPlanner] = []
    private var workers: Int64 = 0
    private var standsUntil: [Int64: Timestamp] = [:]
    /// The messages in the queue.
    private var queue: ArraySlice<ShardKey> = []

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        for number in 1...UInt32(4 + random.below(4)) { accept(number) }
        for _ in 0..<3 { planners.append(newPlanner()) }
    }

    private func newPlanner() -> SimulatedPlanner {
        workers += 1
        return SimulatedPlanner(worker: workers, isOld: hasFaults && random.below(4) == 0, world: self)
    }

    private func accept(_ number: UInt32) {
        var facts = CampaignFacts(
            number: number,
            app: "news",
            id: "derby-\(number)",
            stage: .scheduled,
            pausedBy: [],
            expiresAt: now.advanced(by: .seconds(random.below(8) == 0 ? 20 : 90_000))
        )
        var campaign = PlannedLedger.Campaign(facts: facts)
        campaign.chunks = 1 + random.below(60)
        campaign.urgency = random.below(4) == 0 ? .urgent : .bulk
        switch random.below(7) {
        case 0:
            facts.stage = .planning
            campaign.freezing = 1 + random.below(6)
        case 5:
            (facts.stage, campaign.chunks) = (.planning, 0)
            campaign.flow = PlannedFlow(registry: 20 + random.below(80), count: 1 + random.below(4))
            campaign.isPaced = random.below(4) == 0
        case 1: facts.stage = .held
        case 2: campaign.isPaced = true
        case 3:
            (facts.isInApp, campaign.chunks) = (true, 0)
            campaign.lists = 1 + random.below(6)
            facts.sendAt = now.advanced(by: .seconds(random.below(3)))
        case 4 where number > 1: facts.isReleased = false
        default: facts.sendAt = now.advanced(by: .seconds(random.below(5)))
        }
        campaign.facts = facts
        ledger.campaigns[number] = campaign
    }

    // MARK: The run

    func run() throws -> Report {
        for step in 0..<Self.stepsMax {
            if step == Self.stepsWithFaults { stopFaults() }
            if ledger.campaigns.values.allSatisfy(\.isOver) { return report }
            pass(.milliseconds(random.below(4)))
            try operatorStep()
            sendersStep()
            try plannerStep()
            try checkOutbox(step)
            // Without faults, often only messages that wait for a lost one's timeout are left.
            if !hasFaults, random.below(50) == 0 { pass(.seconds(10)) }
        }
        let left = ledger.campaigns.values.filter { !$0.isOver }
        throw Violation(description: "not alive: \(left.map(\.facts))")
    }

    /// Advances one of the planners that are awake; while none is, time passes.
    private func plannerStep() throws {
        let awake = planners.indices.filter { index in
            standsUntil[planners[index].worker].map { $0 <= now } ?? true && planners[index].nap == nil
        }
        guard !awake.isEmpty else { return pass(planners.compactMap(\.nap).min() ?? .milliseconds(100)) }
        let index = awake[random.below(awake.count)]
        if hasFaults, random.chance(0.001) {
            report.crashes += 1
            return planners[index] = newPlanner()
        }
        if hasFaults, random.chance(0.0005) {
            standsUntil[planners[index].worker] = now.advanced(by: .seconds(1 + random.below(6)))
            planners[index].excusedAt = standsUntil[planners[index].worker]
            return
        }
        if hasFaults, random.chance(0.0005) { planners[index].isLost.toggle() }
        try planners[index].step()
    }

    private func stopFaults() {
        (hasFaults, isTaking, isWellSince) = (false, true, now)
        for index in planners.indices {
            planners[index].isLost = false
            // The upgrade is over.
            if planners[index].isOld { planners[index] = newPlanner() }
        }
        for number in ledger.campaigns.keys {
            ledger.campaigns[number]?.facts.pausedBy = []
            if ledger.campaigns[number]?.facts.stage == .held { fire(number) }
        }
    }

    /// Checks that a message without a confirm is published again long before its shard counts as lost.
    ///
    /// Time jumps by seconds, so a planner must also have had some steps.
    private func checkOutbox(_ step: Int) throws {
        guard let isWellSince, now.since(isWellSince) > Self.outboxTimeout else { return }
        let late = ledger.rows.values.filter { row in
            row.record.state == .unpublished && now.since(row.since) > Self.outboxTimeout
                && ledger.campaigns[row.record.id.key.campaign]?.isOver == false
        }.map(\.record.id.key)
        lateSince = Dictionary(uniqueKeysWithValues: late.map { ($0, lateSince[$0] ?? step) })
        if let key = late.first(where: { step - (lateSince[$0] ?? step) > Self.stepsOfLate }) {
            throw Violation(description: "\(key) waits for a confirm and is left where it is")
        }
    }

    /// The planner that sweeps for all: the one that has lived longest.
    var sweeper: Int64? { planners.map(\.worker).min() }

    func pass(_ span: Duration) { now = now.advanced(by: span) }

    func draw(_ count: Int) -> Int { random.below(count) }
    func noteOverlap() { report.overlapped += 1 }
    func noteResumed() { report.resumed += 1 }
    func noteShared() { report.shared += 1 }

    /// Returns true if the ledger fails now.
    func fails() -> Bool {
        guard hasFaults, random.chance(0.01) else { return false }
        report.failures += 1
        return true
    }

    private func operatorStep() throws {
        guard hasFaults else { return }
        let number = UInt32(1 + random.below(ledger.campaigns.count))
        if random.chance(0.001) { isTaking.toggle() }
        if random.chance(0.002), ledger.campaigns[number]?.facts.stage == .held { fire(number) }
        if random.chance(0.001), let facts = ledger.campaigns[number]?.facts, facts.stage.isLive, !facts.isInApp {
            ledger.campaigns[number]?.facts.pausedBy = facts.pausedBy.isEmpty ? [.paused] : []
            hint()
        }
        if random.chance(0.0002), ledger.campaigns[number]?.facts.stage == .sending,
            ledger.campaigns[number]?.facts.isInApp == false
        {
            ledger.campaigns[number]?.facts.stage = .cancelled
            ledger.campaigns[number]?.facts.endedAs = .cancelled
        }
        if random.chance(0.001), ledger.campaigns[number]?.facts.stage == .held {
            ledger.campaigns[number]?.urgency = .urgent
        }
        for campaign in ledger.campaigns.values {
            guard let firedAt = campaign.firedAt else { continue }
            if !isTaking || campaign.facts.asideReason != nil || campaign.isOver || !isHoldersDay(campaign) {
                ledger.campaigns[campaign.facts.number]?.firedAt = nil
            } else if now.since(firedAt) > .seconds(2) {
                throw Violation(description: "\(campaign.facts.number) was fired and does not go out")
            }
        }
    }

    /// Returns true if the planner that holds a campaign is well.
    private func isHoldersDay(_ campaign: PlannedLedger.Campaign) -> Bool {
        guard let planner = planners.first(where: { $0.worker == campaign.lease.owner }) else { return false }
        return !planner.isLost && planner.excusedAt.map { now.since($0) > .seconds(6) } ?? true
    }

    private func fire(_ number: UInt32) {
        guard let campaign = ledger.campaigns[number] else { return }
        report.fired += 1
        ledger.campaigns[number]?.facts.stage = .scheduled
        for row in ledger.rows.values where row.record.id.key.campaign == number && row.record.aside == .held {
            guard campaign.facts.pausedBy.isEmpty else { continue }
            var record = row.record
            (record.state, record.aside) = (.unpublished, nil)
            ledger.put(record, now: now)
            if hasFaults { ledger.campaigns[number]?.firedAt = now }
        }
        hint()
    }

    private func hint() { for planner in planners { planner.hint() } }

    // MARK: The broker and the senders

    /// Publishes shards; sometimes a message or its confirm is lost.
    func publish(_ shards: [ShardToPublish]) {
        guard isTaking else { return }
        for shard in shards {
            let key = shard.record.id.key
            ledger.campaigns[key.campaign]?.firedAt = nil
            if hasFaults, random.chance(0.02) {
                report.lost += 1
                if random.below(2) == 0 { continue }
            } else {
                queue.append(key)
                if hasFaults, random.chance(0.05) { continue }
            }
            guard var record = ledger.rows[key]?.record, record.state == .unpublished else { continue }
            record.state = .out
            ledger.put(record, now: now)
        }
    }

    private func sendersStep() {
        guard random.chance(0.3), let key = queue.popFirst() else { return }
        guard let row = ledger.rows[key], let facts = ledger.campaigns[key.campaign]?.facts else { return }
        guard [.unpublished, .out].contains(row.record.state) else { return }
        if facts.asideReason != nil, facts.ending(at: now) == nil {
            var record = row.record
            (record.state, record.aside, record.generation) = (.aside, .paused, record.generation + 1)
            ledger.put(record, now: now)
        } else {
            ledger.settle(key)
        }
        planners[random.below(planners.count)].note(key.campaign)
    }

    func publishLeft(_ campaign: UInt32?, _ age: Duration) {
        let left = ledger.rows.values.filter { row in
            row.record.state == .unpublished && (campaign ?? row.record.id.key.campaign) == row.record.id.key.campaign
                && row.since.advanced(by: age) <= now
        }
        publish(left.sorted { $0.record.id.key < $1.record.id.key }.map { ledger.message($0.record) })
    }

    func republishLost(_ campaign: UInt32) {
        for row in ledger.rows.values.sorted(by: { $0.record.id.key < $1.record.id.key })
        where row.record.id.key.campaign == campaign {
            let action = Sweep.action(
                for: row.record,
                outboxWrittenAt: nil,
                since: row.since,
                lane: queue.isEmpty ? .empty : .unknown,
                now: now
            )
            guard action == .publishAnew, row.record.state == .out else { continue }
            ledger.put(row.record.publishedAnew(), now: now)
            publish([ledger.message(row.record.publishedAnew())])
        }
    }

    // MARK: What planners must not do

    /// Checks a lease that has run out: its planner must be dead or have an excuse.
    ///
    /// A lost clock is no excuse, because then the planner gives up its leases.
    func lapsed(_ lease: PlannerLease) throws {
        report.lapsed += 1
        guard let planner = planners.first(where: { $0.worker == lease.owner }), hasFaults else { return }
        if let excusedAt = planner.excusedAt, now.since(excusedAt) < .seconds(10) { return }
        throw Violation(description: "planner \(lease.owner) lives and has not renewed \(lease)")
    }

    func release(_ number: UInt32) -> ReleaseResult {
        guard let campaign = ledger.campaigns[number] else { return .notDue }
        if campaign.facts.isReleased { return .released }
        guard campaign.facts.mayRelease(at: now) else { return .notDue }
        let markedAt = campaign.markedAt ?? now
        ledger.campaigns[number]?.markedAt = markedAt
        let older = number - 1
        if ledger.campaigns[older]?.facts.supersededBy == nil {
            ledger.campaigns[older]?.facts.supersededBy = number
            report.superseded += 1
        }
        guard Supersession.mayBegin(markedAt: markedAt, running: 1, now: now) else { return .waits }
        ledger.campaigns[number]?.facts.isReleased = true
        return .released
    }
}
