public import Campaigns

extension LoopRuns {
    /// A step for the driver.
    public enum Action: Sendable, Equatable {
        /// Have the connections of the run ask for its requests.
        case ask(slot: Int)
        /// Tell the endpoint of the run that it opens no stream any more (`EndpointFaults.runStopped`).
        case stopped(slot: Int)
        /// Tell the desk that every stream of the run is closed and none will be opened, until it is adopted.
        case tellOver(ShardKey)
        /// Let go of what is kept for this slot: another run may begin there.
        case freed(slot: Int, wasProbe: Bool)
    }

    /// A run that is over, on its way to the ledger.
    public struct Finished: Sendable {
        /// How it ended.
        public var end: ShardRun.End
        /// The shard.
        public var shard: Shard
        /// The epoch that its last write carries.
        public var epoch: UInt32
        /// What it says of the provider, when it was a breaker's probe.
        public var probe: Breaker.ProbeResult?
    }

    /// What one run hands to the ledger.
    public struct Save: Sendable {
        /// The shard.
        public var key: ShardKey
        /// The epoch that the write carries.
        public var epoch: UInt32
        /// What is known of its devices.
        public var progress: Progress
        /// Answers in it that the ledger does not have yet.
        public var answers: Int
        let slot: Int
        let number: UInt64

        init(_ place: Place, slot: Int) {
            (key, epoch, progress) = (place.run.shard.id.key, place.run.epoch, place.run.progress)
            (answers, self.slot, number) = (place.run.unsaved, slot, place.number)
        }
    }
}
