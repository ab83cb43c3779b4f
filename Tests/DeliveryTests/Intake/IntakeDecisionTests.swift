import Campaigns
import Delivery
import Testing

@Suite struct IntakeDecisionTests {
    private func job(_ audience: Audience = .list(name: "fans", version: nil), urgent: Bool = false) -> Job {
        var job = Job(id: "derby", app: "news", audience: audience, content: Content())
        job.delivery.policy.urgency = urgent ? .urgent : .bulk
        return job
    }

    private func decide(
        _ job: Job,
        holder: IntakeDecision.Holder = .none,
        app: Bool = true,
        audience: Bool = true,
        count: Int = 5
    ) -> IntakeDecision {
        let knowledge = IntakeDecision.Knowledge(
            holder: holder,
            isAppKnown: app,
            isAudienceKnown: audience,
            deviceCount: count,
            store: "f00d"
        )
        return IntakeDecision.decide(job: job, identity: [1], knowledge: knowledge)
    }

    private func devices(_ count: Int) -> Audience {
        .devices((0..<count).map { Device(token: "\($0)") })
    }

    @Test func `what is not to go at once takes no short way`() {
        var held = job(devices(1), urgent: true)
        #expect(decide(held) == .accept(fastPath: true))
        held.delivery.hold = true
        #expect(decide(held) == .accept(fastPath: false))
        var scheduled = job(devices(1), urgent: true)
        scheduled.delivery.sendAt = Fixtures.now
        #expect(decide(scheduled) == .accept(fastPath: false))
    }

    @Test func `a good job is accepted`() {
        #expect(decide(job()) == .accept(fastPath: false))
    }

    @Test func `the same job again is the campaign that exists, whatever is known now`() {
        let holder = IntakeDecision.Holder.campaign(number: 9, identity: [1])
        #expect(decide(job(), holder: holder, app: false, audience: false) == .existing(campaign: 9))
    }

    @Test func `another job under the id is a conflict, not a refusal`() {
        guard case .conflict(let problem) = decide(job(), holder: .campaign(number: 9, identity: [2])) else {
            return #expect(Bool(false), "no conflict")
        }
        #expect(problem.pointer == "/id" && problem.code == "campaign_conflict")
    }

    @Test func `content that is not stored cannot be named, and an id that one has is no announcement's`() {
        var knowledge = IntakeDecision.Knowledge(
            holder: .none,
            isAppKnown: true,
            isAudienceKnown: true,
            deviceCount: 5,
            store: "f00d"
        )
        var rich = job()
        rich.content.rich = RichReference(type: "coupon", id: "c-81")
        #expect(IntakeDecision.decide(job: rich, identity: [1], knowledge: knowledge) == .accept(fastPath: false))
        knowledge.isContentKnown = false
        guard case .refuse(let unknown) = IntakeDecision.decide(job: rich, identity: [1], knowledge: knowledge) else {
            return #expect(Bool(false), "accepted")
        }
        #expect(unknown.map { "\($0.pointer) \($0.code)" } == ["/content/rich/id unknown_content"])
        knowledge.isContentTaken = true
        guard case .refuse(let taken) = IntakeDecision.decide(job: job(), identity: [1], knowledge: knowledge) else {
            return #expect(Bool(false), "accepted")
        }
        #expect(taken.map(\.pointer) == ["/id"])
    }

    @Test func `all problems are told at once`() {
        guard case .refuse(let problems) = decide(job(), app: false, audience: false) else {
            return #expect(Bool(false), "not refused")
        }
        #expect(problems.map(\.code) == ["unknown_app", "unknown_list"])
        #expect(problems.map(\.pointer) == ["/app", "/audience/list"])
    }

    private func decide(
        _ job: Job,
        providers: [ProviderName],
        unserved: Set<ProviderName>
    ) -> (
        decision: IntakeDecision, warnings: [Problem]
    ) {
        var knowledge = IntakeDecision.Knowledge(
            holder: .none,
            isAppKnown: true,
            isAudienceKnown: true,
            deviceCount: 10,
            store: "ledger.db"
        )
        (knowledge.providers, knowledge.unserved) = (providers, unserved)
        let decision = IntakeDecision.decide(job: job, identity: [1], knowledge: knowledge)
        return (decision, IntakeDecision.warnings(job, knowledge))
    }

    @Test func `a device of the job that nobody can send to is refused by its pointer`() {
        let fcm = ProviderName(rawValue: "fcm")
        let mixed = [Device(token: "a"), Device(token: "b", provider: fcm), Device(token: "c", provider: fcm)]
        guard
            case .refuse(let problems) = decide(job(.devices(mixed)), providers: [.apns, fcm], unserved: [fcm]).decision
        else {
            return #expect(Bool(false), "not refused")
        }
        #expect(problems.map(\.code) == ["unserved_provider"])
        #expect(problems.map(\.pointer) == ["/audience/devices/1/provider"])
        #expect(problems.allSatisfy { $0.fix != nil })
    }

    @Test func `a list may have devices that wait for a worker, but not only such`() {
        let fcm = ProviderName(rawValue: "fcm")
        let (decision, warnings) = decide(job(), providers: [.apns, fcm], unserved: [fcm])
        #expect(decision == .accept(fastPath: false))
        #expect(warnings.map(\.pointer) == ["/audience/list"] && warnings.map(\.code) == ["unserved_provider"])
        let alone = decide(job(), providers: [fcm], unserved: [fcm])
        guard case .refuse(let problems) = alone.decision else { return #expect(Bool(false), "not refused") }
        #expect(problems.map(\.pointer) == ["/audience/list"] && alone.warnings.isEmpty)
        #expect(decide(job(), providers: [.apns, fcm], unserved: []).warnings.isEmpty)
    }

    @Test func `an empty list is refused`() {
        guard case .refuse(let problems) = decide(job(), count: 0) else { return #expect(Bool(false), "not refused") }
        #expect(problems.map(\.code) == ["empty"])
    }

    @Test func `urgent jobs with up to a thousand inline devices take the short way`() {
        #expect(decide(job(devices(1_000), urgent: true)) == .accept(fastPath: true))
        #expect(decide(job(devices(1_001), urgent: true)) == .accept(fastPath: false))
        #expect(decide(job(devices(1))) == .accept(fastPath: false))
        #expect(decide(job(urgent: true)) == .accept(fastPath: false))
    }

    @Test func `a channel that the ledger lacks, or that no worker may broadcast to, is refused with a remedy`() {
        guard case .refuse(let unknown) = decide(job(.channel("derby-21")), audience: false) else {
            return #expect(Bool(false), "not refused")
        }
        #expect(unknown.map(\.code) == ["unknown_channel"] && unknown.map(\.pointer) == ["/audience/channel"])
        #expect(unknown.first?.fix?.contains("fanfare channel create derby-21 --app news") == true)
        let alone = decide(job(.channel("derby-21")), providers: [.broadcast], unserved: [.broadcast])
        guard case .refuse(let unserved) = alone.decision else { return #expect(Bool(false), "not refused") }
        #expect(unserved.map(\.code) == ["unserved_provider"] && unserved.map(\.pointer) == ["/audience/channel"])
        #expect(unserved.first?.fix?.contains("key_file") == true)
    }

    @Test func `an urgent broadcast takes the short way`() {
        #expect(decide(job(.channel("derby-21"), urgent: true)) == .accept(fastPath: true))
        #expect(decide(job(.channel("derby-21"))) == .accept(fastPath: false))
    }
}
