import Foundation
import Synchronization

/// The thread of a ledger's writer.
///
/// The writer has its own thread, so that its share of a worker's CPU is visible (`top -H`, `fanfare bench`) and no
/// other work queues behind a slow disk. May be used from any thread. Whoever starts it must call `end`: until then the
/// thread retains this object and the writer's work.
final class WriterThread: WriterRunner {
    /// The thread's name in the system.
    static let name = "ledger"

    private let signal = DispatchSemaphore(value: 0)
    private let pauseEnded = DispatchSemaphore(value: 0)
    private let isEnding = Atomic(false)

    /// Starts the thread.
    func start(_ work: WriterWork) {
        let thread = Thread { [self] in
            // Setting `Thread.name` does not reach the system; without /proc the thread has no name.
            try? Data(Self.name.utf8).write(to: URL(fileURLWithPath: "/proc/thread-self/comm"))
            while true {
                signal.wait()
                takeTurns(work)
                if isEnding.load(ordering: .acquiring) { return }
            }
        }
        thread.start()
    }

    func wake() { signal.signal() }

    func endPause() { pauseEnded.signal() }

    func end() {
        isEnding.store(true, ordering: .releasing)
        signal.signal()
    }

    private func takeTurns(_ work: WriterWork) {
        var turn = work.turn()
        while true {
            switch turn {
            case .idle: return
            case .again: turn = work.turn()
            case .pause(let time): turn = pause(for: time, work)
            }
        }
    }

    private func pause(for time: Duration, _ work: WriterWork) -> WriterTurn {
        let end = DispatchTime.now() + .nanoseconds(Int(time / .nanoseconds(1)))
        guard pauseEnded.wait(timeout: end) == .timedOut else { return work.turn() }
        if let next = work.pauseOver() { return next }
        // Whoever ended the pause at its last moment has signalled or is about to.
        pauseEnded.wait()
        return work.turn()
    }
}
