import Campaigns
import Delivery

/// Remembers when runs began whose campaigns are traced, and makes spans of those that settle.
///
/// Confined to the loop of the desk. A campaign without a sampled `traceparent` costs nothing but the look at it.
final class ShardTracing {
    private let relay: SpanRelay
    private var begun: [ShardKey: (context: TraceContext, at: Timestamp)] = [:]

    init(_ relay: SpanRelay) {
        self.relay = relay
    }

    /// A shard is handed to a loop.
    func began(_ shard: Shard, now: Timestamp) {
        guard !shard.facts.traceParent.isEmpty, begun[shard.id.key] == nil,
            let context = TraceContext(shard.facts.traceParent), context.isSampled
        else { return }
        begun[shard.id.key] = (context, now)
    }

    /// Its run is settled.
    func settled(_ shard: Shard, epoch: UInt32, _ settlement: Settlement, now: Timestamp) {
        guard let began = begun.removeValue(forKey: shard.id.key) else { return }
        relay.add(ShardSpan(shard, began.context, epoch: epoch, settlement, begin: began.at, end: now))
    }

    /// Its run ended in another way: it comes again, here or elsewhere.
    func forgot(_ key: ShardKey) { begun[key] = nil }
}
