import Campaigns
import Delivery
import Operations
import PushProviders
import Settings
import Store

/// Checks the ledger, and for obstacles to sending.
struct StoreChecks {
    let configuration: Configuration

    /// Runs all checks; changes nothing in the ledger.
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
        do throws(LedgerError) {
            let ledger = try Ledger.open(configuration.store, create: false)
            let shared = ledger.now()
            let standing = ledger.standing
            let path = ledger.path
            let (workers, parked, webhooks) = try await ledger.read {
                (try $0.liveWorkers(now: shared), try $0.parkedCount(), try $0.webhooks())
            }
            await ledger.close()
            return [.well("store", path), Self.clock(standing), Self.workers(workers), Self.parked(parked)]
                + workers.compactMap { Self.clock(of: $0, standing.source) } + webhooks.map { Self.webhook($0) }
        } catch {
            return [.wrong("store", error.description, fix: "start a worker once, or fix store.url")]
        }
    }

    /// Returns the finding about this machine's clock against the shared time.
    static func clock(_ standing: ClockStanding) -> Finding {
        switch standing.verdict {
        case .inStep: .well("store clock", "in step with the shared time")
        case .apart: .warning("store clock", "this machine's clock is \(standing.text)", fix: fix(standing.source))
        case .lost:
            .wrong(
                "store clock",
                "this machine's clock is \(standing.text): a worker here takes no lease and expires nothing",
                fix: fix(standing.source)
            )
        }
    }

    /// Returns the finding about the clock of a worker's host, as reported; nil when it is right.
    static func clock(of worker: WorkerRecord, _ source: ClockStanding.Source) -> Finding? {
        let standing = worker.standing(source)
        guard let problem = standing.problem else { return nil }
        let name = "worker \(worker.name)"
        return standing.verdict == .lost
            ? .wrong(name, problem, fix: fix(source)) : .warning(name, problem, fix: fix(source))
    }

    private static func fix(_ source: ClockStanding.Source) -> String {
        switch source {
        case .server: "set this clock or the database server's right"
        case .host:
            "nothing, if the clock is right: the shared time follows when nothing is being sent; else set it right"
        }
    }

    /// Returns the finding about live workers, and roles that none of them has.
    static func workers(_ workers: [WorkerRecord]) -> Finding {
        let missing = Configuration.Role.allCases.map(\.rawValue).filter { role in
            !workers.contains { $0.roles.contains(role) }
        }
        if workers.isEmpty { return .wrong("workers", "none is running", fix: "fanfare worker") }
        guard missing.isEmpty else {
            let fix = "start a worker with worker.roles=\(missing.joined(separator: ","))"
            return .wrong("workers", "none has the role \(missing.joined(separator: ", "))", fix: fix)
        }
        return .well("workers", "\(workers.count) at work")
    }

    /// Returns the finding about a webhook.
    static func webhook(_ record: WebhookRecord) -> Finding {
        let view = WebhookView(record)
        switch view.state {
        case .disabled:
            let fix = "fix the receiver, then fanfare webhook resume \(record.number)"
            return .wrong(view.name, view.detail, fix: fix)
        case .failing:
            return .warning(view.name, view.detail, fix: "fix the receiver; events wait for it for three days")
        case .ok: return .well(view.name, view.detail)
        }
    }

    /// Returns the finding about parked messages.
    static func parked(_ count: Int) -> Finding {
        guard count > 0 else { return .well("parked", "nothing") }
        return .warning("parked", "\(NumberText.grouped(count)) messages", fix: "fanfare parked list")
    }
}
