import Campaigns

/// Shards that no ledger knows, as messages of a stranger.
enum TestShard {
    static func stranger(_ tokens: [String], _ change: (inout Shard) -> Void = { _ in }) throws -> [UInt8] {
        var devices = DeviceBatch()
        for token in tokens { devices.append(token: TestDevices.bytes(token)) }
        let facts = Shard.Facts(
            app: PrivateFleet.app,
            campaignID: "stranger",
            provider: .apns,
            environment: nil,
            policy: DeliveryPolicy(),
            pushType: .alert,
            priority: 10,
            expiresAt: TestClock.now().advanced(by: .seconds(600)),
            collapseID: "",
            payload: Array("{}".utf8),
            traceParent: ""
        )
        var shard = Shard(
            id: ShardID(key: ShardKey(campaign: 4711, part: 0, ordinal: 0), path: ""),
            generation: 1,
            attempt: 1,
            facts: facts,
            firstIndex: 0,
            positions: [],
            devices: devices
        )
        change(&shard)
        return try shard.encoded()
    }
}
