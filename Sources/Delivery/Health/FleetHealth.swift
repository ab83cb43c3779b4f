public import Campaigns

/// The judgement of a fleet's health by its workers' reports.
///
/// Pure: the caller reads the rows and passes the time. `status`, `doctor` and the HTTP API ask the same function, so
/// they say the same.
public struct FleetHealth: Sendable {
    /// The age from which an open breaker needs a person: by then a probe was sent at the longest interval.
    public static let breakerPatience = Breaker.restMax
    /// The workers heard of within `WorkerRecord.keptFor`, in any order.
    public var workers: [WorkerRecord]
    /// The source of the shared time, by which the workers' clocks are judged.
    public var clockSource: ClockStanding.Source
    /// The open breakers.
    public var breakers: [BreakerRecord]
    /// The newest order to read the files again; nil if there was none.
    public var reloadOrder: ReloadOrder?
    /// True if it is known that the ledger takes no writes: then no worker can report, and silence says nothing.
    public var isLedgerUnwritable: Bool
    /// True if whoever asks cannot reach the broker: then the workers' lost connections are the same problem.
    public var isBrokerUnreachable: Bool
    /// The faults of the broker's cluster that whoever asks has seen; nil if they could not look.
    public var cluster: BrokerFaults?

    /// The facts for a judgement.
    public init(
        workers: [WorkerRecord],
        clockSource: ClockStanding.Source,
        breakers: [BreakerRecord] = [],
        reloadOrder: ReloadOrder? = nil,
        isLedgerUnwritable: Bool = false,
        isBrokerUnreachable: Bool = false,
        cluster: BrokerFaults? = nil
    ) {
        self.workers = workers
        self.clockSource = clockSource
        self.breakers = breakers
        self.reloadOrder = reloadOrder
        self.isLedgerUnwritable = isLedgerUnwritable
        self.isBrokerUnreachable = isBrokerUnreachable
        self.cluster = cluster
    }

    /// Returns all problems, the most general first.
    public func problems(now: Timestamp) -> [HealthProblem] {
        let live = workers.filter { $0.isLive(now: now) }
        let faults = faults(live)
        let reported = reported(live, faults, now: now)
        let refused = Set(reported.filter { $0.code == .credentials }.map(\.subject))
        let none = live.isEmpty && !isLedgerUnwritable ? [HealthProblem.noWorker] : []
        let silent = missed(now: now).map(\.silence)
        // While no worker can report, no answer says nothing.
        let standing = isLedgerUnwritable ? nil : reloadOrder.map { ReloadStanding($0, workers: live, now: now) }
        let unanswered = standing?.problems(now: now) ?? []
        return faults.problems + none + silent + reported + unanswered + Self.differences(live)
            + breakers.map { $0.problem(isExplained: refused.contains($0.name), now: now) }
    }

    /// Returns the silent workers that no later worker replaces.
    ///
    /// A worker that was started after one fell silent, with its roles, is taken for its replacement, whatever its
    /// host: so a problem ends with its remedy, and not an hour later.
    public func missed(now: Timestamp) -> [WorkerRecord] {
        guard !isLedgerUnwritable else { return [] }
        var fresh = workers.filter { $0.isLive(now: now) }.sorted { $0.startedAt < $1.startedAt }
        return workers.filter { !$0.isLive(now: now) }.sorted { $0.seenAt < $1.seenAt }.filter { silent in
            let roles = Set(silent.roles)
            let successor = fresh.firstIndex { $0.startedAt > silent.seenAt && roles.isSubset(of: $0.roles) }
            if let successor { fresh.remove(at: successor) }
            return successor == nil
        }
    }

    /// The faults of the broker's cluster: as whoever asks sees them, or else as a worker does.
    private func faults(_ live: [WorkerRecord]) -> BrokerFaults {
        let reports = live.compactMap { $0.health?.cluster }.filter { !$0.isEmpty }
        var faults = cluster ?? reports.first ?? BrokerFaults()
        if faults.since == nil { faults.since = reports.compactMap(\.since).min() }
        return faults
    }

    /// The workers' own problems; what several report of one subject is one problem.
    private func reported(_ live: [WorkerRecord], _ faults: BrokerFaults, now: Timestamp) -> [HealthProblem] {
        let told = Set(faults.problems.map(\.code))
        var merged: [(problem: HealthProblem, workers: [String])] = []
        for worker in live {
            let health = worker.health ?? WorkerHealth()
            for problem in health.problems(of: worker.name, worker.standing(clockSource), now: now) {
                // Without a majority a worker finds no node that confirms its consumers.
                let isExplained = isBrokerUnreachable || told.contains(.brokerQuorum)
                if isExplained, problem.code == .broker { continue }
                // Told already, or not so any more: a worker looks less often than whoever asks now.
                if told.contains(problem.code) || problem.code.isOfClusterAlone { continue }
                guard let known = merged.firstIndex(where: { $0.problem.isSame(as: problem) }) else {
                    merged.append((problem, [worker.name]))
                    continue
                }
                merged[known].workers.append(worker.name)
                if let since = problem.since, merged[known].problem.since.map({ since < $0 }) == true {
                    merged[known].problem.since = since
                }
                merged[known].problem.needsPerson = merged[known].problem.needsPerson || problem.needsPerson
            }
        }
        return merged.map { problem, names in
            var problem = problem
            // A problem of one worker has its name; one of an account only where not all workers have it.
            if !problem.isOfWorker, names.count < live.count {
                problem.cause += ", by worker \(names.joined(separator: ", "))"
            }
            return problem
        }
    }

    // MARK: - Differences between workers

    /// The apps that some senders lack or have in another version.
    private static func differences(_ live: [WorkerRecord]) -> [HealthProblem] {
        // Only these use an app's credentials and settings.
        let users = live.filter { !Set($0.roles).isDisjoint(with: ["sender", "planner"]) }
        let apps = Set(users.flatMap(\.apps)).sorted()
        return apps.flatMap { app in [missing(app, users), versions(of: app, users)].compactMap(\.self) }
    }

    private static func missing(_ app: String, _ users: [WorkerRecord]) -> HealthProblem? {
        let all = users.reduce(into: Set<ProviderName>()) { $0.formUnion($1.accounts.providers[app] ?? []) }
        let lacks = users.compactMap { worker -> String? in
            guard let has = worker.accounts.providers[app] else { return "worker \(worker.name) lacks \(app)" }
            // The right to broadcast comes with Apple's key, and a worker of the version before does not know it.
            let missing = all.subtracting(has).subtracting([.broadcast]).map(\.rawValue).sorted()
            guard !missing.isEmpty else { return nil }
            return "worker \(worker.name) lacks \(app) (\(missing.joined(separator: ", ")))"
        }
        guard !lacks.isEmpty else { return nil }
        let cause = "\(lacks.joined(separator: ", ")), which other workers have"
        return HealthProblem(.appMissing, of: "app \(app)", cause, remedy: HealthProblem.copyApps)
    }

    private static func versions(of app: String, _ users: [WorkerRecord]) -> HealthProblem? {
        var names: [String: [String]] = [:]
        for worker in users {
            guard let version = worker.health?.versions[app] else { continue }
            names[version, default: []].append(worker.name)
        }
        guard names.count > 1 else { return nil }
        let groups = names.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.map { version, names in
            "\(version) on worker \(names.joined(separator: ", "))"
        }
        return HealthProblem(
            .appVersions,
            of: "app \(app)",
            "workers have different versions of \(app): \(groups.joined(separator: "; "))",
            remedy: HealthProblem.copyApps
        )
    }
}

extension HealthProblem {
    /// True if the problem is of one worker alone.
    fileprivate var isOfWorker: Bool { subject.hasPrefix("worker ") }

    fileprivate func isSame(as other: HealthProblem) -> Bool { code == other.code && subject == other.subject }
}

extension WorkerRecord {
    /// The silence of a worker that did not say goodbye.
    fileprivate var silence: HealthProblem {
        HealthProblem(
            .workerSilent,
            of: "worker \(name)",
            since: seenAt,
            "worker \(name) fell silent without saying goodbye",
            remedy: "see its log and its host; let it go on, or start another one"
        )
    }

    /// Returns the time since the last report, such as `12 s ago`.
    public func lastHeard(now: Timestamp) -> String {
        SpanText.words(milliseconds: max(0, now.milliseconds - seenAt.milliseconds)) + " ago"
    }
}

extension BreakerRecord {
    /// The account's name, such as `news (apns)`.
    fileprivate var name: String { "\(app) (\(provider.rawValue))" }

    /// The open breaker; `isExplained`: another problem says why, and what to do.
    fileprivate func problem(isExplained: Bool, now: Timestamp) -> HealthProblem {
        let next = breaker.probe == nil ? "the next probe is due at \(breaker.probeAt.rfc3339)" : "a probe is out"
        return HealthProblem(
            .breaker,
            of: name,
            since: breaker.since,
            "\(name) is out, so its shards are set aside: \(breaker.reason); \(next)",
            remedy: "see the provider's status page; the fleet goes on by itself when a probe is answered",
            needsPerson: !isExplained && now.since(breaker.since) >= FleetHealth.breakerPatience
        )
    }
}
