import Campaigns
import Delivery
import Testing

/// The judgement of a fleet by its workers' rows.
@Suite struct FleetHealthTests {
    private let now = Fixtures.now

    private func worker(
        _ name: String,
        roles: [String] = ["sender"],
        apps: [String: Set<ProviderName>] = ["news": [.apns]],
        startedAgo: Int64 = 3600,
        seenAgo: Int64 = 1,
        skew: Int64? = 0,
        _ change: (inout WorkerHealth) -> Void = { _ in }
    ) -> WorkerRecord {
        var health = WorkerHealth(versions: apps.mapValues { _ in "11111111" })
        change(&health)
        return WorkerRecord(
            id: 1,
            name: name,
            roles: roles,
            accounts: AppAccounts(apps),
            startedAt: Fixtures.after(-startedAgo),
            seenAt: Fixtures.after(-seenAgo),
            skew: skew,
            health: health
        )
    }

    private func problems(
        _ workers: [WorkerRecord],
        breakers: [BreakerRecord] = [],
        isLedgerUnwritable: Bool = false,
        isBrokerUnreachable: Bool = false,
        cluster: BrokerFaults? = nil
    ) -> [HealthProblem] {
        FleetHealth(
            workers: workers,
            clockSource: .server,
            breakers: breakers,
            isLedgerUnwritable: isLedgerUnwritable,
            isBrokerUnreachable: isBrokerUnreachable,
            cluster: cluster
        ).problems(now: now)
    }

    @Test func `a fleet at work has no problem, workers of the previous version included`() {
        var old = worker("c", skew: nil)
        old.health = nil
        #expect(problems([worker("a"), worker("b"), old]).isEmpty)
    }

    @Test func `without a live worker none is running`() {
        #expect(problems([]).map(\.code) == [.noWorker])
        #expect(problems([worker("a", seenAgo: 11)]).map(\.code) == [.noWorker, .workerSilent])
    }

    // MARK: - The broker's cluster

    private func torn(secondsAgo: Int64? = nil, _ missing: String...) -> BrokerFaults {
        var faults = BrokerFaults()
        (faults.queues, faults.missing) = (["fanfare.v1.parked"], missing)
        faults.since = secondsAgo.map { Fixtures.after(-$0) }
        return faults
    }

    @Test func `without a majority nothing else is blamed, whoever has looked`() throws {
        let workers = [
            worker("a") { $0.broker = .init(since: Fixtures.after(-20), reason: "confirms no consumer") },
            worker("b") { $0.cluster = torn(secondsAgo: 7, "rabbit@b", "rabbit@c") },
        ]
        for cluster in [nil, torn("rabbit@b", "rabbit@c")] {
            let found = problems(workers, cluster: cluster)
            #expect(found.map(\.code) == [.brokerQuorum])
            #expect(found.first?.since == Fixtures.after(-7))
            #expect(found.first?.cause.contains("rabbit@b, rabbit@c") == true)
        }
    }

    @Test func `who looks now knows better than a worker that looked before`() {
        let workers = [worker("a") { $0.cluster = torn("rabbit@b") }]
        #expect(problems(workers, cluster: BrokerFaults()).isEmpty)
    }

    @Test func `an alarm is told once, with its node where somebody may see it`() throws {
        var alarm = BrokerFaults()
        alarm.alarms = [.init(node: "rabbit@b", resource: .disk)]
        let publisher = worker("a") { $0.alarmSince = now }
        #expect(problems([publisher], cluster: BrokerFaults()).map(\.code) == [.brokerAlarm])
        for found in [
            problems([publisher], cluster: alarm), problems([publisher, worker("b") { $0.cluster = alarm }]),
        ] {
            #expect(found.map(\.code) == [.brokerAlarm])
            #expect(found.first?.cause.contains("disk of rabbit@b") == true)
        }
    }

    // MARK: - Silence

    @Test(arguments: [(10, 0), (11, 1), (3600, 1)])
    func `a worker that fell silent is missed, with the instant of its last report`(
        seconds: Int64,
        count: Int
    ) {
        let found = problems([worker("a"), worker("b", seenAgo: seconds)])
        #expect(found.count == count)
        #expect(found.allSatisfy { $0.code == .workerSilent && $0.subject == "worker b" && $0.needsPerson })
        #expect(found.allSatisfy { $0.since == Fixtures.after(-seconds) })
        #expect(worker("b", seenAgo: 192).lastHeard(now: now) == "3 min 12 s ago")
    }

    @Test func `a worker that was started afterwards replaces one that is silent, if it has its roles`() {
        // The planner fell silent first, so its replacement is looked for first.
        let silent = [worker("a", seenAgo: 50), worker("b", roles: ["sender", "planner"], seenAgo: 60)]
        let both = ["planner", "sender"]
        #expect(problems([worker("old")] + silent).count == 2)
        let one = problems(silent + [worker("c", roles: both, startedAgo: 40)])
        #expect(one.map(\.subject) == ["worker a"])
        // One sender replaces only the one that was no planner.
        #expect(problems(silent + [worker("c", startedAgo: 40)]).map(\.subject) == ["worker b"])
        #expect(
            problems(silent + [worker("c", startedAgo: 40), worker("d", roles: both, startedAgo: 5)]).isEmpty
        )
    }

    @Test func `nobody is missed while the ledger takes no reports, and what a silent worker said last counts no more`()
    {
        #expect(problems([worker("a", seenAgo: 60)], isLedgerUnwritable: true).isEmpty)
        let faulty = worker("b", seenAgo: 60, skew: 90_000) { $0.alarmSince = Fixtures.now }
        #expect(problems([worker("a"), faulty]).map(\.code) == [.workerSilent])
    }

    // MARK: - What workers report

    @Test func `what all workers report of one account is one problem, since the first`() throws {
        func refused(_ name: String, _ ago: Int64) -> WorkerRecord {
            worker(name) { health in
                var credential = WorkerHealth.Credential(app: "news", provider: .apns)
                credential.refusal = WorkerHealth.Fault(since: Fixtures.after(-ago), reason: "InvalidProviderToken")
                health.credentials = [credential]
            }
        }
        let all = problems([refused("a", 5), refused("b", 9)])
        #expect(all.map(\.code) == [.credentials] && all.first?.since == Fixtures.after(-9))
        #expect(all.first?.cause == "the provider refuses the credentials of news (apns): InvalidProviderToken")
        let one = problems([worker("a"), refused("b", 9), worker("c")])
        #expect(one.first?.cause.hasSuffix("InvalidProviderToken, by worker b") == true)
    }

    @Test func `each worker's own problem is told with its name`() {
        func lost(_ name: String) -> WorkerRecord {
            worker(name) { $0.broker = WorkerHealth.Fault(since: Fixtures.after(-60), reason: "refused") }
        }
        let found = problems([lost("a"), lost("b"), worker("c", skew: 3_600_000)])
        #expect(found.map(\.subject) == ["worker a", "worker b", "worker c"])
        #expect(found.map(\.code) == [.broker, .broker, .clock])
        // Whoever cannot reach the broker says so once.
        #expect(problems([lost("a"), lost("b")], isBrokerUnreachable: true).isEmpty)
    }

    // MARK: - Apps

    @Test func `an app that one worker of three lacks is told, and a provider, too`() {
        let lacking = problems([
            worker("a", apps: ["news": [.apns], "shop": [.apns]]), worker("b", apps: ["news": [.apns]]),
            worker("c", apps: ["news": [.apns], "shop": [.apns]]),
        ])
        #expect(lacking.map(\.code) == [.appMissing] && lacking.map(\.subject) == ["app shop"])
        #expect(lacking.first?.cause == "worker b lacks shop, which other workers have")
        let half = problems([worker("a", apps: ["news": [.apns, .fcm]]), worker("b")])
        #expect(half.first?.cause == "worker b lacks news (fcm), which other workers have")
        // A worker that neither plans nor sends needs no app.
        #expect(problems([worker("a"), worker("b", roles: ["intake", "tracking"], apps: [:])]).isEmpty)
    }

    @Test func `an app in two versions is told with who has which`() {
        let other = worker("b") { $0.versions = ["news": "22222222"] }
        let found = problems([worker("a"), other, worker("c")])
        #expect(found.map(\.code) == [.appVersions])
        #expect(
            found.first?.cause
                == "workers have different versions of news: 11111111 on worker a, c; 22222222 on worker b"
        )
        var old = worker("d")
        old.health = nil
        #expect(problems([worker("a"), old]).isEmpty)
    }

    // MARK: - Breakers

    private func breaker(openFor seconds: Int64) -> BreakerRecord {
        let trip = Breaker.Trip(reason: "ServiceUnavailable", since: Fixtures.after(-seconds))
        return BreakerRecord(
            app: "news",
            provider: .apns,
            breaker: Breaker(opening: trip, now: Fixtures.after(-seconds))
        )
    }

    @Test(arguments: [(0, false), (59, false), (60, true)])
    func `a breaker needs a person when probes have not closed it within a minute`(
        seconds: Int64,
        needsPerson: Bool
    ) throws {
        let found = problems([worker("a")], breakers: [breaker(openFor: seconds)])
        #expect(found.map(\.code) == [.breaker] && found.map(\.needsPerson) == [needsPerson])
        #expect(found.first?.cause.contains("ServiceUnavailable; the next probe is due at") == true)
    }

    @Test func `a breaker that refused credentials explain is not told to a person a second time`() {
        let refused = worker("a") { health in
            var credential = WorkerHealth.Credential(app: "news", provider: .apns)
            credential.refusal = WorkerHealth.Fault(since: Fixtures.now, reason: "InvalidProviderToken")
            health.credentials = [credential]
        }
        let found = problems([refused], breakers: [breaker(openFor: 600)])
        #expect(found.map(\.code) == [.credentials, .breaker] && found.map(\.needsPerson) == [true, false])
    }

    // MARK: - The words

    @Test func `what nobody has is no problem, and one is counted as people count`() {
        #expect(HealthProblem.queuesMissing([]) == nil && HealthProblem.noConsumer([]) == nil)
        #expect(HealthProblem.parked(0) == nil)
        #expect(HealthProblem.parked(1)?.text == "1 message is parked: see fanfare parked list")
        let two = HealthProblem.queuesMissing(["a", "b"])
        #expect(two?.text == "queues are missing (2): a, b: run fanfare topology apply")
        let many = HealthProblem.queuesMissing(["a", "b", "c", "d"])
        #expect(many?.text == "queues are missing (4): run fanfare topology apply")
        let paused = HealthProblem.paused("news/derby")
        #expect(paused.text.hasSuffix("until somebody fixes it: then fanfare campaign resume news/derby"))
        #expect(HealthProblem.webhook("w", number: 3, reason: "status 500", isGivenUp: false).needsPerson == false)
    }

    @Test func `a problem for scripts has all its members, the beginning null when it is unknown`() {
        let json = HealthProblem.noWorker.json
        #expect(json["code"] == "no_worker" && json["since"] == .null && json["needs_person"] == true)
        #expect(json["subject"] == "workers" && json["cause"]?.string != nil && json["remedy"]?.string != nil)
    }
}
