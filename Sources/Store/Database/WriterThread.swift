import Foundation
import Synchronization

/// A thread that runs one piece of work each time it is woken.
///
/// The ledger's writer has its own thread, so that its share of a worker's CPU is visible (`top -H`, `fanfare bench`)
/// and no other work queues behind a slow disk. May be used from any thread. The creator must call `end`: until then
/// the thread retains this object and everything that its work captures.
final class WriterThread: Sendable {
    /// The thread's name in the system.
    static let name = "ledger"

    private let signal = DispatchSemaphore(value: 0)
    private let isEnding = Atomic(false)

    /// Starts the thread; it runs `work` once for every `wake`, one at a time.
    init(_ work: @escaping @Sendable () -> Void) {
        let thread = Thread { [self] in
            // Setting `Thread.name` does not reach the system; without /proc the thread has no name.
            try? Data(Self.name.utf8).write(to: URL(fileURLWithPath: "/proc/thread-self/comm"))
            while true {
                signal.wait()
                work()
                if isEnding.load(ordering: .acquiring) { return }
            }
        }
        thread.start()
    }

    /// Runs the work as soon as the thread is free.
    func wake() { signal.signal() }

    /// Runs the work once more, then ends the thread.
    func end() {
        isEnding.store(true, ordering: .releasing)
        signal.signal()
    }
}
