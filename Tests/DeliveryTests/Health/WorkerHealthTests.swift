import Campaigns
import Delivery
import Testing

/// A worker's own report, and the problems that it tells of.
@Suite struct WorkerHealthTests {
    private let now = Fixtures.now
    private let inStep = ClockStanding(skew: 40, source: .server)

    private func fault(_ secondsAgo: Int64, _ reason: String = "so") -> WorkerHealth.Fault {
        WorkerHealth.Fault(since: Fixtures.after(-secondsAgo), reason: reason)
    }

    private func problems(_ health: WorkerHealth, _ standing: ClockStanding? = nil) -> [HealthProblem] {
        health.problems(of: "a.1", standing ?? inStep, now: now)
    }

    @Test func `a report is read as it was written, and what a later version adds is passed over`() throws {
        var health = WorkerHealth(versions: ["news": "0a1b2c3d", "shop": "ffffffff"])
        health.ledger = fault(3, "the disk is full")
        health.broker = fault(4)
        health.alarmSince = now
        health.cluster = BrokerFaults()
        health.cluster?.queues = ["fanfare.v1.parked"]
        health.cluster?.missing = ["rabbit@b", "rabbit@c"]
        health.cluster?.parted = ["rabbit@a"]
        health.cluster?.alarms = [.init(node: "rabbit@a", resource: .disk)]
        health.cluster?.since = now
        health.brokerSkew = -3_600_000
        health.reload = ReloadAnswer(to: 3, at: now, unchanged: 2)
        health.sending = WorkerHealth.Sending(loops: 4, latencies: [.apns: 0.062, .fcm: 0.31])
        var credential = WorkerHealth.Credential(app: "news", provider: .apns)
        credential.madeAt = Fixtures.after(-1800)
        credential.expiresAt = Fixtures.after(86_400)
        credential.acceptedAt = Fixtures.after(-5)
        credential.refusal = fault(2, "InvalidProviderToken")
        health.credentials = [credential, WorkerHealth.Credential(app: "shop", provider: .fcm)]
        let text = health.json.text
        #expect(WorkerHealth(try #require(JSONReader.read(Array(text.utf8)).value)) == health)
        let later =
            #"{"later": [1], "broker": {"since": "1970-01-01T00:00:05Z", "more": 1}, "credentials": [{"app": "x"}, 7]}"#
        let read = WorkerHealth(try #require(JSONReader.read(Array(later.utf8)).value))
        #expect(read.broker == WorkerHealth.Fault(since: Timestamp(milliseconds: 5000), reason: ""))
        #expect(read.credentials.isEmpty && read.versions.isEmpty && read.ledger == nil)
        #expect(WorkerHealth(.string("?")) == WorkerHealth())
    }

    @Test func `a worker that can do everything has no problem`() {
        var credential = WorkerHealth.Credential(app: "news", provider: .apns)
        credential.acceptedAt = now
        credential.expiresAt = now.advanced(by: WorkerHealth.endToldFrom)
        #expect(problems(WorkerHealth(credentials: [credential], versions: ["news": "1"])).isEmpty)
    }

    @Test func `writes that fail and an alarm need a person at once`() throws {
        var health = WorkerHealth()
        health.ledger = fault(1, "the disk of the ledger x is full; make room, nothing is lost")
        health.alarmSince = now
        let found = problems(health)
        #expect(found.map(\.code) == [.ledgerWrites, .brokerAlarm] && found.allSatisfy(\.needsPerson))
        #expect(found.map(\.subject) == ["worker a.1", "broker"])
        #expect(
            found[0].text.hasPrefix("worker a.1 cannot write to the ledger: the disk of the ledger x is full; make")
        )
        #expect(found[0].detail.hasSuffix("(since \(Fixtures.after(-1).rfc3339))"))
    }

    @Test(arguments: [(9, false), (10, true), (600, true)])
    func `a lost connection needs a person when the worker has not connected again by itself`(
        seconds: Int64,
        needsPerson: Bool
    ) {
        var health = WorkerHealth()
        health.broker = fault(seconds, "connection refused")
        let found = problems(health)
        #expect(found.map(\.code) == [.broker] && found.map(\.needsPerson) == [needsPerson])
    }

    @Test(
        arguments: [
            (4999, ClockStanding.Source.server, nil),
            (5000, .server, "worker a.1's clock is 5 s ahead of the shared time"),
            (
                -3_600_000, .server,
                "worker a.1's clock is 60 min 0 s behind the shared time, so it takes no lease and expires nothing"
            ),
            (3_600_000, .host, "worker a.1's clock is 60 min 0 s ahead of the shared time"),
        ] as [(Int64, ClockStanding.Source, String?)]
    )
    func `a clock is told by its distance from the shared time`(
        skew: Int64,
        source: ClockStanding.Source,
        cause: String?
    ) {
        let found = problems(WorkerHealth(), ClockStanding(skew: skew, source: source))
        #expect(found.first?.cause == cause && found.count == (cause == nil ? 0 : 1))
        #expect(found.allSatisfy { $0.code == .clock && $0.needsPerson && $0.remedy.contains("set the clock right") })
    }

    @Test(arguments: [(59_999, 0), (60_000, 1), (-3_600_000, 1)])
    func `a clock that is right by the ledger and wrong by the broker is told, too`(skew: Int64, count: Int) {
        var health = WorkerHealth()
        health.brokerSkew = skew
        #expect(problems(health).filter { $0.code == .clock }.count == count)
        // One sentence about a clock is enough.
        #expect(problems(health, ClockStanding(skew: 7000, source: .server)).count { $0.code == .clock } == 1)
    }

    @Test func `refused credentials have the account as their subject, and the way out`() throws {
        var credential = WorkerHealth.Credential(app: "news", provider: .apns)
        credential.refusal = fault(5, "InvalidProviderToken")
        let found = try #require(problems(WorkerHealth(credentials: [credential])).first)
        #expect(found.code == .credentials && found.subject == "news (apns)" && found.needsPerson)
        #expect(found.cause.hasSuffix("InvalidProviderToken"))
        #expect(found.remedy.contains("fanfare app reload") && found.remedy.contains("fanfare campaign resume"))
    }

    @Test(arguments: [(30 * 86_400, 0, false), (8 * 86_400, 1, false), (6 * 86_400, 1, true), (-1, 1, true)])
    func `a certificate's end is told a month before, and needs a person a week before`(
        secondsLeft: Int64,
        count: Int,
        needsPerson: Bool
    ) {
        var credential = WorkerHealth.Credential(app: "news", provider: .apns)
        credential.expiresAt = Fixtures.after(secondsLeft)
        let found = problems(WorkerHealth(credentials: [credential]))
        #expect(found.count == count && found.allSatisfy { $0.code == .credentialsEnd })
        #expect(found.contains(where: \.needsPerson) == needsPerson)
        #expect(found.allSatisfy { $0.cause.contains(secondsLeft < 0 ? "ended at" : "ends at") })
    }

    @Test func `what a worker tells of itself is what its metric counts`() {
        var health = WorkerHealth()
        health.ledger = fault(20)
        health.broker = fault(20)
        health.alarmSince = now
        health.cluster = BrokerFaults()
        health.cluster?.queues = ["fanfare.v1.parked"]
        health.cluster?.missing = ["rabbit@b"]
        health.cluster?.parted = ["rabbit@a"]
        health.cluster?.alarms = [.init(node: "rabbit@a", resource: .memory)]
        var credential = WorkerHealth.Credential(app: "news", provider: .apns)
        (credential.refusal, credential.expiresAt) = (fault(20), now)
        health.credentials = [credential]
        health.reload = ReloadAnswer(to: 1, at: now, unchanged: 0)
        health.reload?.refuse([ReloadAnswer.Refusal(key: "apps.cup", reason: "no key", fix: nil)])
        func codes() -> [HealthProblem.Code] {
            problems(health, ClockStanding(skew: 90_000, source: .server)).map(\.code)
        }
        // A missing node is its own problem where the queues go on without it.
        #expect(codes() == HealthProblem.Code.ofWorker.filter { $0 != .brokerNode })
        health.cluster?.queues = []
        #expect(codes() == HealthProblem.Code.ofWorker.filter { $0 != .brokerQuorum })
    }
}
