import Campaigns

/// A run of a shard among all its runs: each claim has an epoch of its own.
struct RunID: Hashable, Sendable {
    var key: ShardKey
    var epoch: UInt32
}
