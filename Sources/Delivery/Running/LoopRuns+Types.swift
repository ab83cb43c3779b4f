public import Campaigns

extension LoopRuns {
    /// A step for the driver.
    public enum Action: Sendable, Equatable {
        /// Let the connections of the run ask for its requests.
        case ask(runIndex: Int)
        /// Tell the endpoint of the run that it opens no more streams (`EndpointFaults.runStopped`).
        case stopped(runIndex: Int)
        /// Tell the coordinator that every stream of the run is closed and none will be opened, until it is adopted.
        case tellOver(ShardKey)
        /// Release what is kept for this index: another run may begin there.
        case freed(runIndex: Int, wasProbe: Bool)
    }

    /// A run that is over, on its way to the ledger.
    public struct Finished: Sendable {
        /// The run's end.
        public var end: ShardRun.End
        /// The shard.
        public var shard: Shard
        /// The epoch that its last write carries.
        public var epoch: UInt32
        /// The run's result about the provider, if it was a breaker's probe.
        public var probe: Breaker.ProbeResult?
    }

    /// The data that one run hands to the ledger.
    public struct Save: Sendable {
        /// The shard.
        public var key: ShardKey
        /// The epoch that the write carries.
        public var epoch: UInt32
        /// The progress of its devices.
        public var progress: Progress
        /// The number of its answers that the ledger does not have yet.
        public var answers: Int
        let runIndex: Int
        let number: UInt64

        init(_ entry: Entry, runIndex: Int) {
            (key, epoch, progress) = (entry.run.shard.id.key, entry.run.epoch, entry.run.progress)
            (answers, self.runIndex, number) = (entry.run.unsaved, runIndex, entry.number)
        }
    }
}
