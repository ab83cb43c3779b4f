import Campaigns
import Delivery

/// What must hold of the rows.
extension SimulatedLedger {
    /// Devices of a planned shard = outcomes of settled rows + devices of rows that are not settled, each once.
    func checkLaw(ordinal: UInt32) throws {
        guard broken != .oneChildPerAttempt else { return }  // it is the end that has to notice
        var seen = Array(repeating: 0, count: Self.devicesPerShard)
        for row in rows.values where row.id.key.ordinal == ordinal {
            for position in 0..<row.count {
                if row.state == .settled, case .retry = row.progress.state(at: position) { continue }
                if row.state == .settled, row.progress.state(at: position) == .held { continue }
                seen[row.positions.isEmpty ? position : Int(row.positions[position])] += 1
            }
        }
        guard seen.allSatisfy({ $0 == 1 }) else { throw Violation(description: "the law of shard \(ordinal): \(seen)") }
    }

    /// Devices without an outcome in a settled row, and outcomes beyond one.
    func accounts(shardCount: Int) -> (lost: Int, twice: Int) {
        var outcomes: [SimulatedProvider.DeviceKey: Int] = [:]
        for row in rows.values where row.state == .settled {
            for position in 0..<row.count {
                guard case .outcome = row.progress.state(at: position) else { continue }
                let chunkPosition = row.positions.isEmpty ? UInt16(position) : row.positions[position]
                outcomes[.init(ordinal: row.id.key.ordinal, position: chunkPosition), default: 0] += 1
            }
        }
        let lost = shardCount * Self.devicesPerShard - outcomes.count
        return (lost, outcomes.values.reduce(0) { $0 + $1 - 1 })
    }

    var isDone: Bool { rows.values.allSatisfy { $0.state == .settled } }
}
