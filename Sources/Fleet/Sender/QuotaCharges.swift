import Delivery
import NIOCore
import PushProviders
import Store

/// Counts requests without a slot against their provider's quota: nobody has asked them to wait.
///
/// Confined to its writer's loop.
final class QuotaCharges {
    /// How long they are collected: short beside the minute of a quota, and one write whatever runs.
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
        writer.write(.normal, "what counts against a quota", priority: .withOthers) {
            [ledger = writer.ledger] transaction in
            let now = ledger.now()
            for (quota, requests) in charges { try transaction.charge(quota, requests: requests, now: now) }
        }
    }
}
