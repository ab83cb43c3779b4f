package import Delivery
import Synchronization

/// The load of all connections on this process, and the refusals because of it; may be used from any thread.
package final class ProcessLoad: Sendable {
    private struct State {
        var budget: ProcessBudget
        var refused: [EdgeReason: Int] = [:]
    }

    private let state: Mutex<State>

    /// `memory` is the process' limit, in bytes.
    package init(memory: Int) { state = Mutex(State(budget: ProcessBudget(memory: memory))) }

    /// The bytes still available.
    package var room: Int { budget.room }

    /// The bytes held, and their limit.
    package var budget: ProcessBudget { state.withLock { $0.budget } }

    /// Adjusts the bytes held.
    package func change(by bytes: Int) {
        guard bytes != 0 else { return }
        state.withLock { $0.budget.change(by: bytes) }
    }

    /// Begins an answer; returns false, and counts a refusal, when too many are under way.
    package func begins() -> Bool {
        state.withLock { state in
            let isBegun = state.budget.begins()
            if !isBegun { state.refused[.processAnswering, default: 0] += 1 }
            return isBegun
        }
    }

    /// Ends an answer.
    package func ends() { state.withLock { $0.budget.ends() } }

    /// Counts a refused request or an ended connection.
    package func refused(_ reason: EdgeReason) { state.withLock { $0.refused[reason, default: 0] += 1 } }

    /// The values for the metrics.
    package var metrics: (budget: ProcessBudget, refused: [EdgeReason: Int]) {
        state.withLock { ($0.budget, $0.refused) }
    }
}

/// One connection's bytes, charged to the process for the object's lifetime.
///
/// Confined to the connection's loop.
package final class HeldShare {
    private let load: ProcessLoad
    private let own: Int
    private var bytes = 0

    /// Charges `own`, the connection's size before its first byte.
    package init(_ load: ProcessLoad, own: Int) {
        (self.load, self.own) = (load, own)
        load.change(by: own)
    }

    deinit { load.change(by: -own - bytes) }

    /// Sets the connection's bytes besides its own size.
    package func set(_ bytes: Int) {
        load.change(by: bytes - self.bytes)
        self.bytes = bytes
    }
}
