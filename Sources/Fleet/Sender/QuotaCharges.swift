import NIOCore
import PushProviders
import Store

/// Counts requests without a slot against their provider's quota: these never waited for it.
///
/// Confined to its writer's loop.
final class QuotaCharges {
    /// The time during which requests are collected: short beside the minute of a quota, and one write for all runs.
    private static let pause = TimeAmount.milliseconds(100)

    private let writer: LedgerWriter
    private var collected: [ProviderQuota: Int] = [:]

    init(writer: LedgerWriter) {
        self.writer = writer
    }

    /// Counts requests that begin now.
    func add(_ requests: Int, to quota: ProviderQuota) {
        let isFirst = collected.isEmpty
        collected[quota, default: 0] += requests
        guard isFirst else { return }
        writer.loop.assumeIsolated().scheduleTask(in: Self.pause) { self.write() }
    }

    private func write() {
        let charges = collected.sorted { $0.key.key < $1.key.key }
        collected = [:]
        writer.write(.normal, "charges against a quota", priority: .withOthers) {
            [ledger = writer.ledger] transaction in
            let now = ledger.now()
            for (quota, requests) in charges { try transaction.charge(quota, requests: requests, now: now) }
        }
    }
}
