/// The scalars of a job that travel with each of its shards, from the producer to the worker that obeys them.
///
/// A job's delivery, a campaign's facts and a shard hold this one value. It is written in the job's JSON
/// (`DeliveryDecoder`, `JobEncoder`), in the campaign's row and in the shard's message (`ShardCodec`), once each.
public struct DeliveryPolicy: Equatable, Sendable {
    /// The urgency, which selects the lane.
    public var urgency: Urgency
    /// True to ask the provider not to store the push (`if_offline: "drop"`).
    public var dropIfOffline: Bool
    /// The maximum number of charged attempts per device; a job's is 1 … 100.
    public var maxAttempts: UInt32
    /// True to give up a device without an answer (`on_unknown: "drop"`): at most once.
    ///
    /// Its outcome is `failed`, with the reason `Unknown`. Otherwise it is sent to again: at least once.
    public var dropUnknown: Bool

    /// Creates a policy; the defaults are the contract's.
    public init(
        urgency: Urgency = .bulk,
        dropIfOffline: Bool = false,
        maxAttempts: UInt32 = 8,
        dropUnknown: Bool = false
    ) {
        self.urgency = urgency
        self.dropIfOffline = dropIfOffline
        self.maxAttempts = maxAttempts
        self.dropUnknown = dropUnknown
    }
}
