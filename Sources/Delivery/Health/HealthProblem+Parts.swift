import Campaigns

/// The problems that broker, ledger and campaigns show to whoever asks.
extension HealthProblem {
    /// The broker that cannot be reached from here.
    public static func brokerUnreachable(_ reason: String) -> HealthProblem {
        HealthProblem(.broker, of: "broker", reason, remedy: "start it, or fix amqp.url (fanfare config show)")
    }

    /// The ledger that cannot be read from here; `fix` is nil if the reason says it.
    public static func ledgerUnreadable(_ reason: String, fix: String?) -> HealthProblem {
        HealthProblem(.ledger, of: "store", reason, remedy: fix ?? "let this machine reach it, or fix store.url")
    }

    /// The ledger that can be read, and takes no writes.
    public static func ledgerUnwritable(_ reason: String, fix: String?, needsPerson: Bool) -> HealthProblem {
        HealthProblem(
            .ledgerWrites,
            of: "store",
            "the ledger takes no writes, so nothing is sent: \(reason)",
            remedy: fix ?? "see the database's log",
            needsPerson: needsPerson
        )
    }

    /// The queues that do not exist; nil if there are none.
    public static func queuesMissing(_ names: [String]) -> HealthProblem? {
        guard !names.isEmpty else { return nil }
        // All of them are missing at once before the topology is applied, and then their names say nothing.
        let list = names.count > 3 ? "" : ": \(names.joined(separator: ", "))"
        let cause = "queues are missing (\(names.count))\(list)"
        return HealthProblem(.queuesMissing, of: "broker", cause, remedy: "run fanfare topology apply")
    }

    /// The queues without a consumer; nil if there are none.
    public static func noConsumer(_ names: [String]) -> HealthProblem? {
        guard !names.isEmpty else { return nil }
        let list = names.joined(separator: ", ")
        return HealthProblem(
            .noConsumer,
            of: "broker",
            "nobody takes from \(list)",
            remedy: "start a worker with the role for it, or see why those that run are not connected"
        )
    }

    /// The absence of all workers.
    public static var noWorker: HealthProblem {
        HealthProblem(.noWorker, of: "workers", "no worker is running", remedy: "fanfare worker starts one")
    }

    /// A campaign that is paused until somebody fixes something; `name` is `APP/ID`.
    public static func paused(_ name: String) -> HealthProblem {
        HealthProblem(
            .campaignPaused,
            of: "campaign \(name)",
            "\(name) is paused until somebody fixes it",
            remedy: "then fanfare campaign resume \(name)"
        )
    }

    /// An app with campaigns, of which no worker has the credentials.
    public static func stranded(_ app: String) -> HealthProblem {
        HealthProblem(
            .appStranded,
            of: "app \(app)",
            "no worker has credentials for \(app), which has campaigns",
            remedy: Self.copyApps
        )
    }

    /// Parked messages; nil if there are none.
    public static func parked(_ count: Int) -> HealthProblem? {
        guard count > 0 else { return nil }
        return HealthProblem(
            .parked,
            of: "parked",
            "\(NumberText.counted(count, "message is", "messages are")) parked",
            remedy: "see fanfare parked list"
        )
    }

    /// A webhook that takes no events: given up, or tried again.
    public static func webhook(_ name: String, number: Int64, reason: String, isGivenUp: Bool) -> HealthProblem {
        HealthProblem(
            .webhook,
            of: name,
            isGivenUp ? "\(name) was given up (\(reason))" : "\(name) takes no events (\(reason))",
            remedy: isGivenUp
                ? "fix the receiver, then fanfare webhook resume \(number)"
                : "fix the receiver; events wait for it for three days",
            needsPerson: isGivenUp
        )
    }

    /// The way of an app, or of its present entry, to the workers that lack it.
    static let copyApps = "copy the apps file with its keys to each worker's host, then fanfare app reload"
}

extension ClockStanding {
    /// The action that sets the host's clock right.
    public var remedy: String {
        switch source {
        case .server: "set the clock right (NTP), or the database server's"
        case .host:
            "set the clock right (NTP); if it is right already, the shared time follows when nothing is being sent"
        }
    }
}
