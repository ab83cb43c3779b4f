import Campaigns
import Operations
import Store
import Synchronization

/// The jobs that this server has published lately: a repeat is answered as one before a worker has judged the job, too.
///
/// Another server, or this one after a restart, publishes such a repeat; then the worker answers it.
final class SentJobs: Sendable {
    /// The number of jobs that are remembered; the oldest is forgotten first.
    static let most = 10_000
    /// The time for which a job is remembered: longer than a fleet at work takes to judge one.
    static let time = Duration.seconds(600)

    private struct Key: Hashable {
        let app: String
        let id: String
    }

    private struct Sent {
        let identity: [UInt8]
        /// The ledger's time before it was published.
        let at: Timestamp
    }

    private struct State {
        var sent: [Key: Sent] = [:]
        /// The keys in the order in which they came, with the instants of `sent`.
        var order: [(key: Key, at: Timestamp)] = []
        /// The number of entries of `order` that are gone.
        var gone = 0
    }

    private let state = Mutex(State())
    private let most: Int

    init(upTo most: Int = SentJobs.most) {
        self.most = most
    }

    /// Remembers a job that the broker has; `at` is the ledger's time before it was published.
    func note(_ job: Job, at: Timestamp) {
        let (key, sent) = (Key(app: job.app, id: job.id), Sent(identity: LocalIntake.identity(of: job), at: at))
        state.withLock { state in
            state.sent[key] = sent
            state.order.append((key, at))
            while let oldest = state.order.dropFirst(state.gone).first,
                state.order.count - state.gone > most || oldest.at.advanced(by: Self.time) < at
            {
                // A key that came again stays.
                if state.sent[oldest.key]?.at == oldest.at { state.sent[oldest.key] = nil }
                state.gone += 1
            }
            if state.gone > most {
                state.order.removeFirst(state.gone)
                state.gone = 0
            }
        }
    }

    /// The answer to a job whose key was sent lately.
    enum Answer {
        /// The same job.
        case existing
        /// Another job.
        case conflict(Problem)
    }

    /// Returns the answer to a job; nil when its key was not sent lately, or was refused since.
    func answer(to job: Job, in ledger: Ledger) async throws(LedgerError) -> Answer? {
        let (app, id) = (job.app, job.id)
        let key = Key(app: app, id: id)
        guard let sent = state.withLock({ $0.sent[key] }), ledger.now() <= sent.at.advanced(by: Self.time) else {
            return nil
        }
        if let refusedAt = try await ledger.read({ try $0.refusedAt(app: app, id: id) }), refusedAt >= sent.at {
            return nil
        }
        return sent.identity == LocalIntake.identity(of: job)
            ? .existing : .conflict(.campaignConflict(app: app, id: id))
    }
}
