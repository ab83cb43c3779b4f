import Campaigns
import Delivery
import NIOCore
import Settings
import Store
import Synchronization

/// The record of what a worker cannot do at present, which nobody else can know.
///
/// May be used from any thread. Faults are rare: without one a write to the ledger costs one load of an atomic.
final class HealthRecorder: Sendable {
    /// A kind of writes to the ledger: a report may fit where a settlement or a test write does not.
    enum Write: Sendable {
        case report, work, test
    }

    /// A connection to the broker.
    enum Link: Sendable {
        case consumer, publisher
    }

    private struct Faults {
        var writes: [Write: WorkerHealth.Fault] = [:]
        var links: [Link: WorkerHealth.Fault] = [:]
        var alarmSince: Timestamp?
        var brokerSkew: Int64?
        var cluster: BrokerFaults?
    }

    private let faults = Mutex(Faults())
    private let failsToWrite = Atomic(false)
    private let draining = Atomic(false)
    private let reportedAt = Atomic(NIODeadline.now().uptimeNanoseconds)

    // MARK: - The worker

    /// True once the worker has begun to stop.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    func drain() { draining.store(true, ordering: .relaxed) }

    /// Notes that the ledger has taken the worker's report.
    func reported() { reportedAt.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed) }

    /// The time since the ledger took the last report.
    var ledgerAge: Duration {
        let age = NIODeadline.now() - .uptimeNanoseconds(reportedAt.load(ordering: .relaxed))
        return .nanoseconds(age.nanoseconds)
    }

    // MARK: - The ledger

    /// Notes that the ledger did not take a write; returns true unless the same is known already.
    func failed(_ write: Write, _ error: LedgerError, at now: Timestamp) -> Bool {
        faults.withLock { faults in
            failsToWrite.store(true, ordering: .relaxed)
            let (known, reason) = (faults.writes, error.description)
            faults.writes[write] = WorkerHealth.Fault(since: known[write]?.since ?? now, reason: reason)
            return !known.values.contains { $0.reason == reason }
        }
    }

    /// Notes that the ledger took a write; returns true if none fails any more.
    func wrote(_ write: Write) -> Bool {
        guard failsToWrite.load(ordering: .relaxed) else { return false }
        return faults.withLock { faults in
            guard faults.writes.removeValue(forKey: write) != nil, faults.writes.isEmpty else { return false }
            failsToWrite.store(false, ordering: .relaxed)
            return true
        }
    }

    // MARK: - The broker

    /// Notes that a connection to the broker is lost, or is still not there.
    func lost(_ link: Link, _ reason: String, at now: Timestamp) {
        faults.withLock { faults in
            let since = faults.links[link]?.since ?? now
            faults.links[link] = WorkerHealth.Fault(since: since, reason: reason)
        }
    }

    /// Notes that a connection to the broker is there.
    func connected(_ link: Link) { faults.withLock { $0.links[link] = nil } }

    /// Notes that the broker's alarm begins or is over.
    func alarm(isOn: Bool, at now: Timestamp) {
        faults.withLock { $0.alarmSince = isOn ? $0.alarmSince ?? now : nil }
    }

    /// Notes the lead of this host's clock over the broker's in milliseconds; nil if it is negligible or unknown.
    func compared(brokerSkew: Int64?) { faults.withLock { $0.brokerSkew = brokerSkew } }

    /// Notes the faults of the broker's cluster, nil if they are not known; returns true if they have changed.
    func saw(_ cluster: BrokerFaults?, at now: Timestamp) -> Bool {
        faults.withLock { faults in
            let before = faults.cluster
            var seen = cluster
            if seen?.isEmpty == false { seen?.since = before?.since ?? now }
            faults.cluster = seen
            return seen != before
        }
    }

    /// The queues that have lost the majority of their nodes, as far as it is known.
    var queuesWithoutQuorum: [String] { faults.withLock { $0.cluster?.queues ?? [] } }

    // MARK: - The report

    /// Returns the worker's report, with the state of the credentials of these apps.
    func report(_ apps: AppDirectory) -> WorkerHealth {
        var health = apps.health
        let faults = faults.withLock { $0 }
        health.ledger = faults.writes.values.min { $0.since < $1.since }
        health.broker = faults.links.values.min { $0.since < $1.since }
        health.alarmSince = faults.alarmSince
        health.brokerSkew = faults.brokerSkew
        health.cluster = faults.cluster?.isEmpty == false ? faults.cluster : nil
        return health
    }
}
