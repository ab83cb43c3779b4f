public import Campaigns

extension WorkerHealth {
    /// The age from which a lost connection to the broker needs a person: workers connect again by themselves.
    public static let linkPatience = Duration.seconds(10)
    /// The time before a certificate's end from which it is reported.
    public static let endToldFrom = Duration.seconds(30 * 86_400)
    /// The time before a certificate's end from which a person is needed.
    public static let endNeedsPersonFrom = Duration.seconds(7 * 86_400)
    /// The lead over the broker's clock from which it is a problem, as for provider tokens.
    public static let brokerSkewMax: Int64 = 60_000

    /// Returns the problems that a worker has by its own report.
    ///
    /// `standing` is the state of its host's clock. Problems of an app's credentials have the account as their subject,
    /// so that those of several workers are one.
    public func problems(of worker: String, _ standing: ClockStanding, now: Timestamp) -> [HealthProblem] {
        let subject = "worker \(worker)"
        var problems: [HealthProblem] = []
        if let ledger {
            problems.append(
                HealthProblem(
                    .ledgerWrites,
                    of: subject,
                    since: ledger.since,
                    "\(subject) cannot write to the ledger: \(ledger.reason)",
                    remedy: "let the ledger take writes; the worker goes on by itself"
                )
            )
        }
        if let broker {
            problems.append(
                HealthProblem(
                    .broker,
                    of: subject,
                    since: broker.since,
                    "\(subject) is not connected to the broker: \(broker.reason)",
                    remedy: "start the broker, or let the worker's host reach it; the worker connects by itself",
                    needsPerson: now.since(broker.since) >= Self.linkPatience
                )
            )
        }
        if let cluster { problems += cluster.problems }
        if let alarmSince, cluster?.alarms.isEmpty != false {
            problems.append(
                HealthProblem(
                    .brokerAlarm,
                    of: "broker",
                    since: alarmSince,
                    "the broker is in an alarm and takes no publishes",
                    remedy: "give it memory or disk (rabbitmq-diagnostics alarms says which)"
                )
            )
        }
        if let clock = clock(of: worker, standing) { problems.append(clock) }
        if let refused = reload?.problem(of: worker) { problems.append(refused) }
        return problems + credentials.flatMap { $0.problems(now: now) }
    }

    private func clock(of worker: String, _ standing: ClockStanding) -> HealthProblem? {
        let subject = "worker \(worker)"
        switch standing.verdict {
        case .apart:
            return HealthProblem(.clock, of: subject, "\(subject)'s clock is \(standing.text)", remedy: standing.remedy)
        case .lost:
            let cause = "\(subject)'s clock is \(standing.text), so it takes no lease and expires nothing"
            return HealthProblem(.clock, of: subject, cause, remedy: standing.remedy)
        case .inStep:
            guard let brokerSkew, brokerSkew.magnitude >= Self.brokerSkewMax.magnitude else { return nil }
            let amount = SpanText.words(milliseconds: brokerSkew)
            let cause = "\(subject)'s clock is \(amount) \(brokerSkew < 0 ? "behind" : "ahead of") the broker's"
            return HealthProblem(.clock, of: subject, cause, remedy: "set the wrong clock right (NTP)")
        }
    }
}

extension WorkerHealth.Credential {
    fileprivate func problems(now: Timestamp) -> [HealthProblem] {
        [refused, ending(now: now)].compactMap(\.self)
    }

    private var refused: HealthProblem? {
        guard let refusal else { return nil }
        return HealthProblem(
            .credentials,
            of: name,
            since: refusal.since,
            "the provider refuses the credentials of \(name): \(refusal.reason)",
            remedy: "correct them in the apps file, fanfare app reload, then fanfare campaign resume for what is paused"
        )
    }

    private func ending(now: Timestamp) -> HealthProblem? {
        guard let expiresAt else { return nil }
        let left = expiresAt.since(now)
        guard left < WorkerHealth.endToldFrom else { return nil }
        return HealthProblem(
            .credentialsEnd,
            of: name,
            "the certificate of \(name) \(left > .zero ? "ends" : "ended") at \(expiresAt.rfc3339)",
            remedy: "put a new one in its place, then fanfare app reload",
            needsPerson: left < WorkerHealth.endNeedsPersonFrom
        )
    }
}
