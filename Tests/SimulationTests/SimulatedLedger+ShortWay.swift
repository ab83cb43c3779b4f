import Campaigns
import Delivery

/// The fast path of an urgent campaign: it is accepted with its shards claimed, and its own message is their lease.
extension SimulatedLedger {
    /// Makes the campaign a message without rows.
    func takeFastPath() {
        (unaccepted, rows, outbox, planned) = (rows.values.map(\.self), [:], [:], [])
    }

    /// Accepts a campaign, or finds it accepted; returns the shards whose lease the message is.
    func accept(by worker: Int64, now: Timestamp) throws -> [ShardRecord] {
        guard unaccepted.isEmpty else {
            let rows = unaccepted.map { $0.claimed(by: worker) }
            unaccepted = []
            for row in rows {
                self.rows[row.id.key] = row
                savedAt[row.id.key] = now
            }
            return rows.sorted { $0.id.key < $1.id.key }
        }
        return underLease.sorted { $0.id.key < $1.id.key }
    }

    /// Shards that were accepted as claimed and still run.
    var underLease: [ShardRecord] {
        rows.values.filter { $0.state == .running && $0.id.key.child == 0 && $0.generation == 1 }
    }
}
