import Foundation
import Synchronization

/// A thread that does what it is woken for, and nothing else.
///
/// The ledger's writer has one of its own, so that its share of a worker's CPU can be seen (`top -H`, `fanfare bench`)
/// and no other work is queued behind a slow disk. May be used from any thread. Whoever makes one ends it: until then
/// the thread keeps it, and what its work captures.
final class WriterThread: Sendable {
    /// The name that the system shows.
    static let name = "ledger"

    private let signal = DispatchSemaphore(value: 0)
    private let isEnding = Atomic(false)

    /// Starts the thread; `work` runs on it once for every `wake`, never twice at once.
    init(_ work: @escaping @Sendable () -> Void) {
        let thread = Thread { [self] in
            // What `Thread.name` is set to the system does not hear of; without /proc the thread has no name.
            try? Data(Self.name.utf8).write(to: URL(fileURLWithPath: "/proc/thread-self/comm"))
            while true {
                signal.wait()
                work()
                if isEnding.load(ordering: .acquiring) { return }
            }
        }
        thread.start()
    }

    /// Has the work done as soon as the thread is free.
    func wake() { signal.signal() }

    /// Has the work done once more, then ends the thread.
    func end() {
        isEnding.store(true, ordering: .releasing)
        signal.signal()
    }
}
