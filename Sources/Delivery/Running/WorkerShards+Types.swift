public import Campaigns

extension WorkerShards {
    /// A worker's limits, as far as its shards need them.
    public struct Setting: Sendable {
        /// Messages of a queue that may be unacknowledged on one consumer.
        public var prefetch: @Sendable (_ queue: String) -> Int
        /// After so long a provider's stream is given up, so that none of a former run is open.
        public var streamDeadline: @Sendable (ProviderName) -> Duration

        /// A worker.
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
        /// The ledger's.
        public var shared: Timestamp
        /// The process's own, for what lasts.
        public var instant: MonotonicInstant

        /// An instant.
        public init(_ shared: Timestamp, _ instant: MonotonicInstant) {
            (self.shared, self.instant) = (shared, instant)
        }
    }

    /// A step for the driver.
    public enum Action: Sendable, Equatable {
        /// Ask the ledger for the shard, and say `claimAnswered`; writes that were submitted before come first.
        case claim(Order)
        /// Start a run on a loop; one that it has of the same shard is forgotten.
        case start(Start)
        /// The run goes on under this epoch: `ShardRun.adopted`.
        case adopt(ShardKey, epoch: UInt32, isLeaseLost: Bool, loop: Int)
        /// The run opens no more streams.
        case stop(ShardKey, ShardRun.Stop, loop: Int)
        /// Take the run from its loop if it is over, and say `tookOver`.
        case takeOver(ShardKey, loop: Int)
        /// Write how the run that was taken over has ended, and say `ended`.
        case write(ShardKey, epoch: UInt32)
        /// Publish what the last answer of the ledger left to be published, and say `published` with this delivery when
        /// every confirm has come or is lost; what was not confirmed is the sweeper's.
        case publish(thenAck: ShardDelivery?)
        /// Ack the message on the connection that delivered it.
        case ack(ShardDelivery)
        /// Publish the shard to the parked queue until it is confirmed, and say `published`.
        case park(Shard, ShardDelivery, reason: String)
        /// Write that the claim of this epoch is given up: whoever gets the message need not wait for its run.
        case giveUp(ShardKey, epoch: UInt32)
        /// Consume the queue once more, with its prefetch, until the connection ends.
        case widen(queue: String)
        /// Say `woke` at this instant.
        case wake(at: MonotonicInstant)
        /// Write which of these runs open no stream any more: the campaign that takes their place waits for it.
        case tellStopped([ShardKey])
    }

    /// A claim as far as it is known here.
    public struct Order: Sendable, Equatable {
        /// The shard.
        public var shard: Shard
        /// The message.
        public var delivery: ShardDelivery
        /// See `Claim.adopting`.
        public var adopting: UInt32?
        /// See `Claim.isAlone`.
        public var isAlone: Bool
        /// See `Claim.overdue`.
        public var overdue: UInt32?
        /// See `Claim.judgesSilence`.
        public var judgesSilence: Bool
    }

    /// A run that begins.
    public struct Start: Sendable, Equatable {
        /// The shard, with the campaign's end as it is now.
        public var shard: Shard
        /// Its row, as this run has it.
        public var record: ShardRecord
        /// Whether its campaign has a rate of its own.
        public var isPaced: Bool
        /// Whether it asks for a breaker whether the provider is well again.
        public var isProbe: Bool
        /// Whether refusals of the content stop it: nobody has resumed the campaign after them.
        public var stopsForContent: Bool
        /// Which loop: this one in the row of all of them, counted on from the first when there are fewer.
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
        /// The row as it stands after that.
        public var record: ShardRecord?
        /// The campaign.
        public var campaign: CampaignFacts?
        /// The end of the run's devices when an operator changed it: the message has the one of then.
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
