import Campaigns
import Delivery

/// Remembers the start of runs whose campaigns are traced, and makes spans of those that settle.
///
/// Confined to the coordinator's loop. A campaign without a sampled `traceparent` costs only that check.
final class ShardTracing {
    private let relay: SpanRelay
    private var begun: [ShardKey: (context: TraceContext, at: Timestamp)] = [:]

    init(_ relay: SpanRelay) {
        self.relay = relay
    }

    /// Notes the start of a shard's run.
    func began(_ shard: Shard, now: Timestamp) {
        guard !shard.facts.traceParent.isEmpty, begun[shard.id.key] == nil,
            let context = TraceContext(shard.facts.traceParent), context.isSampled
        else { return }
        begun[shard.id.key] = (context, now)
    }

    /// Adds the span of a settled run.
    func settled(_ shard: Shard, epoch: UInt32, _ settlement: Settlement, now: Timestamp) {
        guard let began = begun.removeValue(forKey: shard.id.key) else { return }
        relay.add(ShardSpan(shard, began.context, epoch: epoch, settlement, begin: began.at, end: now))
    }

    /// Forgets a run that ended without a settlement: its shard is run again, here or elsewhere.
    func forgot(_ key: ShardKey) { begun[key] = nil }
}
