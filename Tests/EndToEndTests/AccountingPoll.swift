import Campaigns
import Foundation
import Servers
import Store
import Synchronization
import Testing

/// Polls the accounting of a campaign continuously, regardless of faults in workers, broker and ledger.
final class AccountingPoll: Sendable {
    private struct State {
        var campaign: (id: String, audience: Int)?
        var asked = 0
        var broken: [String] = []
    }

    private let state: Box
    private let task: Task<Void, Never>

    private final class Box: Sendable {
        let state = Mutex(State())
    }

    init(_ fleet: PrivateFleet) {
        let box = Box()
        state = box
        task = Task {
            while !Task.isCancelled {
                if let (id, audience) = box.state.withLock({ $0.campaign }),
                    // An unavailable ledger does not answer; it is polled again.
                    let status = try? await fleet.status(id)
                {
                    box.state.withLock { state in
                        state.asked += 1
                        let total = status.counts.total + status.pending.total
                        if status.law != .holds || total != audience {
                            state.broken.append("\(id): \(status.law), \(total) of \(audience)")
                        }
                    }
                }
                try? await lasting(.milliseconds(20))  // the loop checks for the end
            }
        }
    }

    /// Polls this campaign from now on.
    func poll(_ id: String, audience: Int) {
        state.state.withLock { $0.campaign = (id, audience) }
    }

    func end() { task.cancel() }

    /// Fails the test if the accounting was ever wrong, or never polled.
    func judge(seed: UInt64) throws {
        let (asked, broken) = state.state.withLock { ($0.asked, $0.broken) }
        print("the accounting was asked for \(asked) times and wrong \(broken.count) times, seed \(seed)")
        #expect(asked > 0)
        #expect(broken.isEmpty, "seed \(seed): \(broken.prefix(5))")
    }
}
