import Campaigns
import Delivery

/// An audience that is sent while it is frozen: the devices of a registry in its order, in ranges and chunks.
struct PlannedFlow {
    /// A range of the registry, with a cursor and a lease of its own.
    struct Range {
        /// The first device, and the device after its last.
        let first: Int
        let end: Int
        /// The devices that the cursor has passed lie before this one.
        var position: Int
        /// The devices of each chunk behind the cursor: those that a crash leaves over.
        var written: [Swift.Range<Int>] = []
        var lease = PlannerLease(owner: 0, epoch: 0, until: Timestamp(milliseconds: 0))
        var isOver = false
    }

    /// The number of devices in the registry.
    let registry: Int
    /// The number of ranges into which it is divided at the start.
    let count: Int
    var ranges: [Range] = []
    /// The devices of each chunk that a cursor has passed, in the order in which they are cut.
    var chunks: [Swift.Range<Int>] = []
    /// The worker whose lease knows that it flows.
    var holder: Int64 = 0
    private var met: Set<Int> = []

    init(registry: Int, count: Int) {
        (self.registry, self.count) = (registry, count)
    }

    /// Divides the registry; the worker has the first range.
    mutating func begin(by worker: Int64, now: Timestamp) {
        ranges = AudienceRanges.ranges(of: Int64(registry), count: count).map { range in
            Range(first: Int(range.lowerBound), end: Int(range.upperBound), position: Int(range.lowerBound))
        }
        if let lease = ranges[0].lease.taken(by: worker, isPaced: false, now: now) { ranges[0].lease = lease }
        holder = worker
    }

    /// Notes that a chunk is cut: nobody is meant twice.
    mutating func cut(_ ordinal: Int, of campaign: UInt32) throws {
        guard ordinal < chunks.count else {
            throw Violation(description: "chunk \(ordinal) of \(campaign) is cut before a cursor has passed it")
        }
        for device in chunks[ordinal] where !met.insert(device).inserted {
            throw Violation(description: "device \(device) of \(campaign) is cut twice")
        }
    }

    func checkEverybodyIsCut(_ campaign: UInt32) throws {
        guard met.count < registry else { return }
        throw Violation(description: "\(campaign) is complete, and \(registry - met.count) devices are left")
    }
}

extension PlannedLedger {
    /// Renews or takes ranges and returns a worker's; `lapsed` is called for each lease that has run out.
    func leaseRanges(
        by worker: Int64,
        now: Timestamp,
        lapsed: (PlannerLease) throws -> Void
    ) throws -> [LeasedAudience] {
        var last: [RangeLease] = []
        for number in campaigns.keys.sorted() {
            guard let campaign = campaigns[number], campaign.facts.isFlowing, campaign.facts.mayFreeze(at: now) else {
                continue
            }
            for (range, state) in (campaign.flow?.ranges ?? []).enumerated() where !state.isOver {
                let isUrgent = campaign.urgency == .urgent
                last.append(RangeLease(campaign: number, range: range, isUrgent: isUrgent, lease: state.lease))
            }
        }
        last.sort { $0.isUrgent && !$1.isUrgent }
        var leased: [LeasedAudience] = []
        for range in RangeLease.taken(last, by: worker, now: now) {
            guard let campaign = campaigns[range.campaign], let state = campaign.flow?.ranges[range.range] else {
                continue
            }
            if ![0, worker].contains(state.lease.owner) { try lapsed(state.lease) }
            campaigns[range.campaign]?.flow?.ranges[range.range].lease = range.lease
            leased.append(
                LeasedAudience(
                    facts: campaign.facts,
                    urgency: campaign.urgency,
                    token: LeaseToken(
                        campaign: range.campaign,
                        range: range.range,
                        epoch: range.lease.epoch,
                        worker: worker
                    ),
                    left: Int64(state.end - state.position)
                )
            )
        }
        return leased
    }

    /// Lets an audience flow; returns false when another planner has it or it is over.
    func beginFlow(_ token: LeaseToken, now: Timestamp) -> Bool {
        guard holds(token), let campaign = campaigns[token.campaign], campaign.flow != nil,
            // One that an earlier version has frozen as a whole is known by now.
            campaign.facts.endedAs == nil, !campaign.facts.isFlowing, campaign.facts.stage == .planning
        else { return false }
        campaigns[token.campaign]?.flow?.begin(by: token.worker, now: now)
        campaigns[token.campaign]?.facts.stage = .scheduled
        campaigns[token.campaign]?.facts.isFlowing = true
        return true
    }

    /// Goes on with a range; returns the position of its cursor, or nil when another planner has it or it is over.
    func openRange(_ token: LeaseToken) -> Int? {
        guard let range = range(token) else { return nil }
        campaigns[token.campaign]?.flow?.ranges[token.range ?? 0].written = []
        return range.position
    }

    /// The range of a token whose worker holds its lease; nil when another planner has it or it is over.
    func range(_ token: LeaseToken) -> PlannedFlow.Range? {
        guard let campaign = campaigns[token.campaign], campaign.facts.isFlowing, campaign.facts.endedAs == nil,
            let number = token.range, let range = campaign.flow?.ranges[number], !range.isOver,
            range.lease.owner == token.worker, range.lease.epoch == token.epoch
        else { return nil }
        return range
    }

    /// Writes a chunk, which the cursor may pass; returns false when another planner has the range or it is over.
    func write(_ devices: Range<Int>, passes: Bool, _ token: LeaseToken) -> Bool {
        guard let number = token.range, range(token) != nil, var flow = campaigns[token.campaign]?.flow else {
            return false
        }
        flow.ranges[number].written.append(devices)
        if passes {
            flow.chunks += flow.ranges[number].written
            flow.ranges[number].written = []
            flow.ranges[number].position = devices.upperBound
            campaigns[token.campaign]?.chunks = flow.chunks.count
        }
        campaigns[token.campaign]?.flow = flow
        return true
    }

    /// Ends a range that is complete, and with the last one the planning.
    func finishRange(_ token: LeaseToken) throws -> Bool {
        guard let number = token.range, let range = range(token), range.position == range.end else { return false }
        campaigns[token.campaign]?.flow?.ranges[number].isOver = true
        guard campaigns[token.campaign]?.flow?.ranges.allSatisfy(\.isOver) == true else { return true }
        campaigns[token.campaign]?.facts.isFlowing = false
        try complete(token.campaign)
        return true
    }

    /// Freezes an audience as an earlier version does: as a whole, before anything is sent.
    func freezeWhole(_ token: LeaseToken) -> Bool {
        guard holds(token), var campaign = campaigns[token.campaign], var flow = campaign.flow,
            campaign.facts.stage == .planning, campaign.facts.endedAs == nil
        else { return false }
        flow.chunks = stride(from: 0, to: flow.registry, by: 5).map { $0..<min($0 + 5, flow.registry) }
        (campaign.flow, campaign.chunks, campaign.facts.stage) = (flow, flow.chunks.count, .scheduled)
        campaigns[token.campaign] = campaign
        return true
    }
}
