import Campaigns
import Delivery

/// An audience that is sent while it is frozen: the devices of a registry in its order, in chunks.
///
/// The campaign's `chunks` is how many the cursor has passed; those behind it are the ones that a crash leaves over.
struct PlannedFlow {
    /// The number of devices in the registry.
    let registry: Int
    /// The devices of each chunk that is written.
    var chunks: [Range<Int>] = []
    /// The devices that the cursor has passed.
    var position = 0
    /// The worker whose lease knows that it flows.
    var holder: Int64 = 0
    private var met: Set<Int> = []

    init(registry: Int) {
        self.registry = registry
    }

    /// Notes that a chunk is cut: nobody is meant twice.
    mutating func cut(_ ordinal: Int, of campaign: UInt32) throws {
        guard ordinal < chunks.count, chunks[ordinal].upperBound <= position else {
            throw Violation(description: "chunk \(ordinal) of \(campaign) is cut before the cursor has passed it")
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
    /// Begins or goes on with an audience that flows; returns the position of its cursor, or nil when another planner
    /// has it or it is over.
    func openFlow(_ lease: LeasedCampaign, by worker: Int64) throws -> Int? {
        let number = lease.facts.number
        guard holds(lease, worker), var campaign = campaigns[number], var flow = campaign.flow,
            campaign.facts.endedAs == nil
        else { return nil }
        if !campaign.facts.isFlowing {
            // One that an earlier version has frozen as a whole is known by now.
            guard campaign.facts.stage == .planning else { return nil }
            (campaign.facts.stage, campaign.facts.isFlowing, flow.holder) = (.scheduled, true, worker)
        }
        for ordinal in campaign.chunks..<flow.chunks.count
        where cut.contains(ShardKey(campaign: number, part: 0, ordinal: UInt32(ordinal))) {
            throw Violation(description: "chunk \(ordinal) of \(number) is cut, and is removed")
        }
        flow.chunks.removeLast(flow.chunks.count - campaign.chunks)
        campaign.flow = flow
        campaigns[number] = campaign
        return flow.position
    }

    /// Writes a chunk, which the cursor may pass; returns false when another planner has it or it is over.
    func write(
        _ devices: Range<Int>,
        passes: Bool,
        _ lease: LeasedCampaign,
        by worker: Int64
    ) -> Bool {
        let number = lease.facts.number
        guard holds(lease, worker), var campaign = campaigns[number], campaign.facts.isFlowing,
            campaign.facts.endedAs == nil
        else { return false }
        campaign.flow?.chunks.append(devices)
        if passes {
            campaign.chunks = campaign.flow?.chunks.count ?? 0
            campaign.flow?.position = devices.upperBound
        }
        campaigns[number] = campaign
        return true
    }

    /// Ends the planning of an audience that is complete.
    func finishFlow(_ lease: LeasedCampaign, by worker: Int64) throws -> Bool {
        let number = lease.facts.number
        guard holds(lease, worker), let campaign = campaigns[number], campaign.facts.isFlowing,
            campaign.flow?.position == campaign.flow?.registry
        else { return false }
        campaigns[number]?.facts.isFlowing = false
        try complete(number)
        return true
    }

    /// Freezes an audience as an earlier version does: as a whole, before anything is sent.
    func freezeWhole(_ lease: LeasedCampaign, by worker: Int64) -> Bool {
        let number = lease.facts.number
        guard holds(lease, worker), var campaign = campaigns[number], var flow = campaign.flow,
            campaign.facts.stage == .planning, campaign.facts.endedAs == nil
        else { return false }
        flow.chunks = stride(from: 0, to: flow.registry, by: 5).map { $0..<min($0 + 5, flow.registry) }
        flow.position = flow.registry
        (campaign.flow, campaign.chunks, campaign.facts.stage) = (flow, flow.chunks.count, .scheduled)
        campaigns[number] = campaign
        return true
    }
}
