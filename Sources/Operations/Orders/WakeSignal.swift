import Synchronization

/// Lets one task sleep until something may have changed, or a time has passed.
///
/// A wake before the wait is not lost. There is one waiter at a time.
package final class WakeSignal: Sendable {
    private struct State {
        var isSignalled = false
        var waiter: CheckedContinuation<Void, Never>?
        var ticket = 0
    }

    private let state = Mutex(State())

    /// Creates a signal that nobody has woken.
    package init() {}

    /// Ends the wait, or the next one at once.
    package func wake() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            if state.waiter == nil { state.isSignalled = true }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Returns after a wake, or after this long.
    package func wait(upTo duration: Duration) async {
        let alarm = Task {
            try? await Task.sleep(for: duration)  // cancelled when the wait is over
            if !Task.isCancelled { self.wake() }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
                let isDue = state.withLock { state in
                    if state.isSignalled || Task.isCancelled {
                        state.isSignalled = false
                        return true
                    }
                    state.waiter = waiter
                    return false
                }
                if isDue { waiter.resume() }
            }
        } onCancel: {
            self.wake()
        }
        alarm.cancel()
    }
}
