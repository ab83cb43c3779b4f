import Store

/// Takes the turns of a ledger's writer on a queue of work of its host, in place of a thread.
///
/// Safety: used by the process's only thread.
final class SeededWriter: WriterRunner, @unchecked Sendable {
    private let runQueue: RunQueue
    private var work: WriterWork?
    /// The number of the latest turn: an earlier pause is over.
    private var latest = 0

    init(of host: SimulatedHost) { runQueue = host.runQueue("ledger") }

    func start(_ work: WriterWork) { self.work = work }

    func wake() { goOn() }

    func endPause() { goOn() }

    func end() { goOn() }

    /// Has the next turn come as soon as it is the queue's.
    private func goOn() {
        latest += 1
        let own = latest
        runQueue.host.scheduler.add({ [self] in if own == latest, let work { take(work.turn(), work) } }, to: runQueue)
    }

    private func take(_ turn: WriterTurn, _ work: WriterWork) {
        switch turn {
        case .idle: break
        case .again: goOn()
        case .pause(let time):
            let own = latest
            runQueue.host.schedule(after: Int64(time / .nanoseconds(1)), on: runQueue) { [self] in
                guard own == latest, let next = work.pauseOver() else { return }
                take(next, work)
            }
        }
    }
}
