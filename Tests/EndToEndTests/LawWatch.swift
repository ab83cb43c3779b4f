import Campaigns
import Foundation
import Servers
import Store
import Synchronization
import Testing

/// Asks for the law of a campaign all the time, whatever happens to workers, broker and ledger meanwhile.
final class LawWatch: Sendable {
    private struct State {
        var campaign: (id: String, audience: Int)?
        var asked = 0
        var broken: [String] = []
    }

    private let state: Watched
    private let task: Task<Void, Never>

    private final class Watched: Sendable {
        let state = Mutex(State())
    }

    init(_ fleet: PrivateFleet) {
        let watched = Watched()
        state = watched
        task = Task {
            while !Task.isCancelled {
                if let (id, audience) = watched.state.withLock({ $0.campaign }),
                    // A ledger that is away answers nothing; it is asked again.
                    let status = try? await fleet.status(id)
                {
                    watched.state.withLock { state in
                        state.asked += 1
                        let total = status.counts.total + status.pending.total
                        if status.law != .holds || total != audience {
                            state.broken.append("\(id): \(status.law), \(total) of \(audience)")
                        }
                    }
                }
                try? await lasting(.milliseconds(20))  // its end is looked at above
            }
        }
    }

    /// From now on it is this campaign that is asked for.
    func watch(_ id: String, audience: Int) {
        state.state.withLock { $0.campaign = (id, audience) }
    }

    func end() { task.cancel() }

    /// Fails the test when the law did not hold once, or was never asked for.
    func judge(seed: UInt64) throws {
        let (asked, broken) = state.state.withLock { ($0.asked, $0.broken) }
        print("the law was asked for \(asked) times and broken \(broken.count) times, seed \(seed)")
        #expect(asked > 0)
        #expect(broken.isEmpty, "seed \(seed): \(broken.prefix(5))")
    }
}
