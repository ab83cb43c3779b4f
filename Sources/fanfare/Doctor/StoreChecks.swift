import Campaigns
import Fleet
import PushProviders
import Store

/// Whether the ledger is there, and what keeps campaigns from being sent.
struct StoreChecks {
    let configuration: Configuration
    let now: Timestamp

    /// All of them; changes nothing in the ledger.
    func run() async -> [Finding] {
        do throws(LedgerError) {
            let ledger = try Ledger.open(configuration.store, create: false)
            let lead = ledger.sharedTime(now).milliseconds - now.milliseconds
            let path = ledger.path
            let shared = ledger.sharedTime(now)
            let (workers, parked, webhooks) = try await ledger.read {
                (try $0.liveWorkers(now: shared), try $0.parkedCount(), try $0.webhooks())
            }
            await ledger.close()
            return [.well("store", path), Self.clock(lead), Self.workers(workers), Self.parked(parked)]
                + webhooks.map { Self.webhook($0) }
        } catch {
            return [.wrong("store", error.description, mend: "start a worker once, or mend store.url")]
        }
    }

    /// What the lead of the store's clock before this machine's means, in milliseconds.
    static func clock(_ lead: Int64) -> Finding {
        guard abs(lead) >= ClockSkew.noteworthy.components.seconds * 1000 else {
            return .well("store clock", "in step with this machine's")
        }
        let seconds = NumberText.grouped(Int(abs(lead) / 1000))
        return .warning(
            "store clock",
            "this machine's clock is \(seconds) s \(lead > 0 ? "behind" : "ahead of") the store's, whose time counts",
            mend: "set the wrong one right"
        )
    }

    /// Whether anybody works, and all in the same roles.
    static func workers(_ workers: [WorkerRecord]) -> Finding {
        let missing = Configuration.Role.allCases.map(\.rawValue).filter { role in
            !workers.contains { $0.roles.contains(role) }
        }
        if workers.isEmpty { return .wrong("workers", "none is running", mend: "fanfare worker") }
        guard missing.isEmpty else {
            let mend = "start a worker with worker.roles=\(missing.joined(separator: ","))"
            return .wrong("workers", "none does the work of \(missing.joined(separator: ", "))", mend: mend)
        }
        return .well("workers", "\(workers.count) at work")
    }

    /// Whether a webhook takes its events.
    static func webhook(_ record: WebhookRecord) -> Finding {
        let view = WebhookView(record)
        switch view.state {
        case .disabled:
            let mend = "mend the receiver, then fanfare webhook resume \(record.number)"
            return .wrong(view.name, view.detail, mend: mend)
        case .failing:
            return .warning(view.name, view.detail, mend: "mend the receiver; events wait for it for three days")
        case .ok: return .well(view.name, view.detail)
        }
    }

    /// Whether messages wait for a person.
    static func parked(_ count: Int) -> Finding {
        guard count > 0 else { return .well("parked", "nothing") }
        return .warning("parked", "\(NumberText.grouped(count)) messages", mend: "fanfare parked list")
    }
}
