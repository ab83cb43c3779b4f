import Campaigns
import Delivery

/// Small shards, rows and campaigns for the tests of the state machines.
enum Fixtures {
    static let now = Timestamp(milliseconds: 1_800_000_000_000)
    static let key = ShardKey(campaign: 1, part: 0, ordinal: 0)

    static func after(_ seconds: Int64) -> Timestamp { now.advanced(by: .seconds(seconds)) }

    static func shard(
        _ count: Int = 5,
        expiresIn seconds: Int64 = 86_400,
        attempt: UInt32 = 1,
        dropUnknown: Bool = false,
        notBefore: Timestamp? = nil
    ) -> Shard {
        var devices = DeviceBatch()
        for index in 0..<count { devices.append(token: [UInt8(truncatingIfNeeded: index), 1]) }
        let facts = Shard.Facts(
            app: "news",
            campaignID: "derby",
            provider: .apns,
            environment: nil,
            policy: DeliveryPolicy(maxAttempts: 3, dropUnknown: dropUnknown),
            pushType: .alert,
            priority: 10,
            expiresAt: after(seconds),
            collapseID: "score",
            payload: []
        )
        return Shard(
            id: ShardID(key: key),
            generation: 1,
            attempt: attempt,
            facts: facts,
            notBefore: notBefore,
            firstIndex: 0,
            positions: [],
            devices: devices
        )
    }

    static func run(_ shard: Shard, progress: Progress? = nil) -> ShardRun {
        ShardRun(shard: shard, epoch: 1, progress: progress ?? Progress(count: shard.devices.count), now: now)
    }

    static func row(
        _ state: ShardState,
        generation: UInt32 = 1,
        epoch: UInt32 = 1,
        aside: AsideReason? = nil,
        rung: Rung? = nil,
        owner: Int64 = 7
    ) -> ShardRecord {
        ShardRecord(
            id: ShardID(key: key),
            state: state,
            generation: generation,
            epoch: epoch,
            owner: owner,
            attempt: 1,
            rung: rung,
            notBefore: nil,
            dueAt: nil,
            chunk: 0,
            positions: [],
            count: 5,
            progress: Progress(count: 5),
            aside: aside
        )
    }

    static func campaign(
        _ stage: CampaignStage = .sending,
        pausedBy: Set<AsideReason> = [],
        expiresIn seconds: Int64 = 60
    ) -> CampaignFacts {
        CampaignFacts(
            number: 1,
            app: "news",
            id: "derby",
            stage: stage,
            pausedBy: pausedBy,
            expiresAt: after(seconds)
        )
    }

    static let retry = Verdict.retry(reason: "Shutdown", retryAfter: nil, charged: true)

    static func request(
        _ mark: UInt16 = 0,
        attempt: UInt32 = 1,
        isProving: Bool = false,
        isStopped: Bool = false
    ) -> EndpointFaults.Request {
        EndpointFaults.Request(mark: mark, attempt: attempt, isProving: isProving, isStopped: isStopped)
    }

    /// Returns the run of a campaign's shard, as a loop has it.
    static func loopRun(
        _ ordinal: UInt32 = 0,
        progress: Progress? = nil,
        slot: Slot? = nil,
        dropUnknown: Bool = false,
        isProbe: Bool = false,
        isUnderRate: Bool = false
    ) -> ShardRun {
        var shard = shard(dropUnknown: dropUnknown)
        shard.id = ShardID(key: ShardKey(campaign: 1, part: 0, ordinal: ordinal))
        let progress = progress ?? Progress(count: shard.devices.count)
        return ShardRun(
            shard: shard,
            epoch: 1,
            progress: progress,
            slot: slot,
            isProbe: isProbe,
            isUnderRate: isUnderRate,
            now: now
        )
    }
}
