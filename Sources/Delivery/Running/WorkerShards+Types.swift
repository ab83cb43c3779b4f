public import Campaigns

extension WorkerShards {
    /// A worker's limits, as far as its shards need them.
    public struct Setting: Sendable {
        /// Returns the number of a queue's messages that may be unacked on one consumer.
        public var prefetch: @Sendable (_ queue: String) -> Int
        /// Returns the time after which a provider's stream is given up, so that a former run has none open.
        public var streamDeadline: @Sendable (ProviderName) -> Duration

        /// The limits of a worker.
        public init(
            prefetch: @escaping @Sendable (_ queue: String) -> Int,
            streamDeadline: @escaping @Sendable (ProviderName) -> Duration
        ) {
            self.prefetch = prefetch
            self.streamDeadline = streamDeadline
        }
    }

    /// The instant of a fact.
    public struct Moment: Sendable, Equatable {
        /// The instant on the ledger's clock.
        public var shared: Timestamp
        /// The instant on the process's own clock, for durations.
        public var instant: MonotonicInstant

        /// An instant.
        public init(_ shared: Timestamp, _ instant: MonotonicInstant) {
            (self.shared, self.instant) = (shared, instant)
        }
    }

    /// A step for the driver.
    public enum Action: Sendable, Equatable {
        /// Claim the shard in the ledger, then call `claimAnswered`.
        case claim(Order)
        /// Start a run on a loop; a run of the same shard on that loop is forgotten.
        case start(Start)
        /// Continue the run under this epoch: `ShardRun.adopted`.
        case adopt(ShardKey, epoch: UInt32, isLeaseLost: Bool, loop: Int)
        /// Let the run open no more streams.
        case stop(ShardKey, ShardRun.Stop, loop: Int)
        /// Take the run from its loop if it is over, then call `tookOver`.
        case takeOver(ShardKey, loop: Int)
        /// Write the end of the run that was taken over, then call `ended`.
        case write(ShardKey, epoch: UInt32)
        /// Tell the loop that the ledger has the run's end: `LoopRuns.endCommitted`.
        case endCommitted(ShardKey, epoch: UInt32, loop: Int)
        /// Publish what the ledger's last answer left to publish, then call `published` with this delivery.
        ///
        /// Call it when every confirm has come or is lost; the sweeper handles unconfirmed messages.
        case publish(thenAck: ShardDelivery?)
        /// Ack the message on the connection that delivered it.
        case ack(ShardDelivery)
        /// Publish the shard to the parked queue until it is confirmed, then call `published`.
        case park(Shard, ShardDelivery, reason: String)
        /// Write that the claim of this epoch is given up, so that the message's next receiver need not wait for its
        /// run.
        case giveUp(ShardKey, epoch: UInt32)
        /// Consume the queue once more, with its prefetch, until the connection ends.
        case widen(queue: String)
        /// Call `woke` at this instant.
        case wake(at: MonotonicInstant)
        /// Write which of these runs are stopped (`LoopRuns.stopped`): the campaign that supersedes theirs waits.
        case tellStopped([ShardKey])
    }

    /// A claim, as far as it is known here.
    public struct Order: Sendable, Equatable {
        /// The shard.
        public var shard: Shard
        /// The message.
        public var delivery: ShardDelivery
        /// The value of `Claim.adopting`.
        public var adopting: UInt32?
        /// The value of `Claim.isAlone`.
        public var isAlone: Bool
        /// The value of `Claim.overdue`.
        public var overdue: UInt32?
        /// The value of `Claim.judgesSilence`.
        public var judgesSilence: Bool
    }

    /// A run that begins.
    public struct Start: Sendable, Equatable {
        /// The shard, with the campaign's present expiry.
        public var shard: Shard
        /// The shard's row, as this run has it.
        public var record: ShardRecord
        /// True if its campaign has a rate of its own.
        public var isPaced: Bool
        /// True if it probes for a breaker whether the provider is healthy again.
        public var isProbe: Bool
        /// True if refusals of the content stop it: nobody has resumed the campaign after them.
        public var stopsForContent: Bool
        /// The index of the loop, counted on from the first loop if there are fewer.
        public var loop: Int

        init(_ shard: Shard, _ record: ShardRecord, _ campaign: CampaignFacts?, loop: Int) {
            self.shard = shard
            self.record = record
            isPaced = campaign?.pace != nil
            isProbe = campaign?.breaker.isProbe(shard.id.key) ?? false
            stopsForContent = campaign?.contentTrips ?? 0 == 0
            self.loop = loop
        }
    }

    /// The ledger's answer to a claim.
    public struct Answer: Sendable, Equatable {
        /// The decision.
        public var decision: Claim.Decision
        /// The row after the decision.
        public var record: ShardRecord?
        /// The campaign.
        public var campaign: CampaignFacts?
        /// The expiry of the run's devices if an operator changed it: the message has the old one.
        public var newEnd: Timestamp?

        /// An answer.
        public init(
            _ decision: Claim.Decision,
            record: ShardRecord?,
            campaign: CampaignFacts?,
            newEnd: Timestamp? = nil
        ) {
            self.decision = decision
            self.record = record
            self.campaign = campaign
            self.newEnd = newEnd
        }
    }
}
