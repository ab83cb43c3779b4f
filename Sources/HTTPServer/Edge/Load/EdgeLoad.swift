import Delivery
import Synchronization

/// What all connections make this process hold, and what was refused for it; may be used from any thread.
final class EdgeLoad: Sendable {
    private struct State {
        var budget: ProcessBudget
        var refused: [EdgeReason: Int] = [:]
    }

    private let state: Mutex<State>

    /// `memory` is what the process may have, in bytes.
    init(memory: Int) { state = Mutex(State(budget: ProcessBudget(memory: memory))) }

    /// Bytes that still fit.
    var room: Int { budget.room }

    /// What is held, and may be.
    var budget: ProcessBudget { state.withLock { $0.budget } }

    /// More is held, or less.
    func change(by bytes: Int) {
        guard bytes != 0 else { return }
        state.withLock { $0.budget.change(by: bytes) }
    }

    /// A request is to be answered; false, and counted as refused, when too many are.
    func begins() -> Bool {
        state.withLock { state in
            let isBegun = state.budget.begins()
            if !isBegun { state.refused[.processAnswering, default: 0] += 1 }
            return isBegun
        }
    }

    /// An answer is there.
    func ends() { state.withLock { $0.budget.ends() } }

    /// A request was refused, or a connection ended.
    func refused(_ reason: EdgeReason) { state.withLock { $0.refused[reason, default: 0] += 1 } }

    /// What the metrics tell.
    var metrics: (budget: ProcessBudget, refused: [EdgeReason: Int]) {
        state.withLock { ($0.budget, $0.refused) }
    }
}

/// Bytes of one connection that count for the process until the object is gone.
///
/// Confined to the connection's loop.
final class HeldShare {
    private let load: EdgeLoad
    private let own: Int
    private var bytes = 0

    /// The connection takes so many bytes of its own, before it says anything.
    init(_ load: EdgeLoad, own: Int) {
        (self.load, self.own) = (load, own)
        load.change(by: own)
    }

    deinit { load.change(by: -own - bytes) }

    /// The connection holds so many now, besides its own.
    func set(_ bytes: Int) {
        load.change(by: bytes - self.bytes)
        self.bytes = bytes
    }
}
