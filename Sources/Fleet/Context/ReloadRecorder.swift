import Campaigns
import Delivery
import Operations
import Synchronization

/// The record of reload orders and of the worker's last answer, which its report carries.
///
/// May be used from any thread.
final class ReloadRecorder: Sendable {
    private let state: Mutex<(duty: ReloadDuty, answer: ReloadAnswer)>
    /// Wakes the report to the ledger when there is an answer.
    let answered = WakeSignal()

    /// Begins with the answer of the worker's start: it has these apps, from files that were read at that instant.
    init(newest: ReloadOrder?, filesReadAt: Timestamp, apps: Int) {
        let duty = ReloadDuty(newest: newest, filesReadAt: filesReadAt)
        let answer = ReloadAnswer(to: duty.answerable, at: filesReadAt, unchanged: apps, isStart: true)
        state = Mutex((duty, answer))
    }

    /// The newest order that a reading answers which begins now.
    var answerable: Int64 { state.withLock { $0.duty.answerable } }

    /// The result of the last reading.
    var last: ReloadAnswer { state.withLock { $0.answer } }

    /// Takes the newest order of the ledger; returns true, once for each order, if the files have to be read again.
    func polled(_ newest: ReloadOrder?) -> Bool { state.withLock { $0.duty.polled(newest) } }

    /// Notes the result of a reading.
    func answer(_ answer: ReloadAnswer) {
        state.withLock { $0.answer = answer }
        answered.wake()
    }
}
