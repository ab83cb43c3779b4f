import Campaigns
import Delivery
import Synchronization

/// The answer times of the sender loops, as each last told them, for the worker's report.
///
/// May be used from any thread; no loop waits for another.
final class SendingRecorder: Sendable {
    private let loops = Mutex<[Int: [ProviderName: AnswerTimes]]>([:])

    /// Notes the answer times of a loop since the worker began.
    func note(_ times: [ProviderName: AnswerTimes], of loop: Int) {
        loops.withLock { $0[loop] = times }
    }

    /// Returns the worker's report of its means.
    func report(loops count: Int) -> WorkerHealth.Sending {
        let all = loops.withLock { loops in
            loops.values.reduce(into: [ProviderName: AnswerTimes]()) { sum, times in
                for (provider, theirs) in times { sum[provider, default: AnswerTimes()].add(theirs) }
            }
        }
        return WorkerHealth.Sending(loops: count, latencies: all.compactMapValues(\.meanSeconds))
    }
}
