import Synchronization

/// A counting semaphore with a first-in, first-out queue of waiters.
public final class AsyncSemaphore: Sendable {
    private struct State {
        var free: Int
        var line: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    /// Creates a semaphore with `count` permits.
    public init(_ count: Int) {
        state = Mutex(State(free: count))
    }

    /// Waits for a permit.
    public func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.line.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    /// Passes the permit to the first waiter.
    public func giveBack() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.line.isEmpty else { return state.line.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
