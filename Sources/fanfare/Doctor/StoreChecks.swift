import Campaigns
import Delivery
import Operations
import Settings
import Store

/// Checks the ledger, and for obstacles to sending.
struct StoreChecks {
    let configuration: Configuration

    /// Runs all checks; what is written to try the ledger is rolled back.
    func run() async -> [Finding] { security + (await checkStore()) }

    /// The finding about the connection's TLS, made before any connection, so that it is seen before an upgrade.
    private var security: [Finding] {
        guard case .postgreSQL(let url) = configuration.store, let tls = Ledger.security(ofPostgreSQL: url) else {
            return []
        }
        return [Self.security(tls)]
    }

    /// Returns the finding about the TLS of a database connection.
    static func security(_ tls: DatabaseTLS) -> Finding {
        let check = "store TLS"
        guard tls.leavesMachine else { return .well(check, "the database is on this machine") }
        let mode = tls.mode ?? "prefer"
        if tls.isOpen {
            return .warning(
                check,
                "sslmode=\(mode): anybody on the way can pose as the database, and gets its password",
                fix: "leave sslmode out of store.url (verify-full), and name the database's CA by sslrootcert=FILE"
            )
        }
        let source = tls.isDefault ? ", the default off this machine" : ""
        let roots = tls.roots.map { ", certificates of \($0)" } ?? ""
        return .well(check, "sslmode=\(mode)\(source)\(roots)")
    }

    private func checkStore() async -> [Finding] {
        let facts = await FleetProbe(configuration).takeOfLedger()
        if let failure = facts.ledgerFailure {
            return [.wrong("store", failure.description, fix: "start a worker once, or fix store.url")]
        }
        let live = facts.liveWorkers
        var findings = [Self.clock(facts.clock), Self.workers(live), Self.parked(facts.parkedInLedger)]
        findings += facts.webhooks.map(WebhookView.init).filter { $0.problem == nil }.map { .well($0.name, $0.detail) }
        // Said above, with what is well.
        let problems = facts.problems.filter { ![.noWorker, .parked].contains($0.code) }
        if !problems.contains(where: { $0.code == .ledgerWrites && $0.subject == "store" }) {
            findings.insert(.well("store", facts.ledgerPath), at: 0)
        }
        return findings + problems.map { .problem($0) }
    }

    /// Returns the finding about this machine's clock against the shared time.
    static func clock(_ standing: ClockStanding) -> Finding {
        switch standing.verdict {
        case .inStep: .well("store clock", "in step with the shared time")
        case .apart: .warning("store clock", "this machine's clock is \(standing.text)", fix: standing.remedy)
        case .lost:
            .wrong(
                "store clock",
                "this machine's clock is \(standing.text): a worker here takes no lease and expires nothing",
                fix: standing.remedy
            )
        }
    }

    /// Returns the finding about live workers, and roles that none of them has.
    static func workers(_ workers: [WorkerRecord]) -> Finding {
        let missing = Configuration.Role.allCases.map(\.rawValue).filter { role in
            !workers.contains { $0.roles.contains(role) }
        }
        if workers.isEmpty { return .wrong("workers", "none is running", fix: HealthProblem.noWorker.remedy) }
        guard missing.isEmpty else {
            let fix = "start a worker with worker.roles=\(missing.joined(separator: ","))"
            return .wrong("workers", "none has the role \(missing.joined(separator: ", "))", fix: fix)
        }
        return .well("workers", "\(workers.count) at work")
    }

    /// Returns the finding about parked messages.
    static func parked(_ counts: ParkedCounts) -> Finding {
        let refused = NumberText.counted(counts.producers, "refused job", "refused jobs")
        guard counts.fleets > 0 else { return .well("parked", counts.producers > 0 ? refused : "nothing") }
        let besides = counts.producers > 0 ? ", and \(refused)" : ""
        let messages = NumberText.counted(counts.fleets, "message", "messages")
        return .warning("parked", messages + besides, fix: "fanfare parked list")
    }
}
