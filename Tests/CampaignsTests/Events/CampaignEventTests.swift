import Campaigns
import Testing

@Suite("Events and verdicts")
struct CampaignEventTests {
    private let now = JobFixtures.now

    @Test func `a refusal is the contract's problem document in a CloudEvent`() {
        let decoding = JobFixtures.decode(
            JobFixtures.patch(JobFixtures.minimal, path: ["delivery", "expire_at"], "\"2026-11-20T21:05:00Z\"")
        )
        let event = CampaignEvent.refused(ProblemDocument(refused: decoding), app: "news", sequence: 5, at: now)
        #expect(event.routingKey == "news.campaign.refused")
        #expect(
            event.json.text
                == #"{"specversion":"1.0","id":"hello-1/campaign.refused/5","source":"/fanfare/apps/news","#
                + #""type":"campaign.refused","subject":"hello-1","time":"2026-11-20T19:55:00.000Z","#
                + #""datacontenttype":"application/json","data":{"type":"urn:fanfare:problem:invalid-job","#
                + #""title":"The job cannot be sent","status":422,"campaign":"hello-1","errors":[{"#
                + #""pointer":"/delivery/expire_at","code":"unknown_field","detail":"delivery has no field expire_at","#
                + #""mend":"did you mean expires_at?"}],"warnings":[]}}"#
        )
    }

    @Test func `an acceptance carries end, metadata and warnings`() throws {
        let job = try #require(JobFixtures.decode(JobFixtures.full).job)
        let end = job.expiresAt(acceptedAt: now)
        let warning = Problem(pointer: "/a", code: .unusual, detail: "d")
        let event = CampaignEvent.accepted(job, expiresAt: end, warnings: [warning], at: now)
        #expect(event.routingKey == "news.campaign.accepted")
        let data = try #require(event.json["data"])
        #expect(data["campaign"] == "derby:kickoff-1" && data["metadata"] == .object(["run": "8812"]))
        #expect(data["expires_at"] == "2026-11-20T20:54:00.120Z")
        #expect(data["warnings"]?.array?.first?["code"] == "unusual")
        #expect(JSONReader.read(event.bytes).value == event.json)
    }

    @Test func `the end carries the law's terms`() {
        var counts = OutcomeCounts()
        counts.accepted = 90
        counts.invalid = 7
        let event = CampaignEvent.over(
            .completed,
            app: "news",
            campaign: "c",
            audience: 100,
            counts: counts,
            pending: 3,
            at: now
        )
        let data = event.json["data"]
        let terms = Outcome.allCases.compactMap { data?[$0.name]?.integer } + [data?["pending"]?.integer ?? 0]
        #expect(terms.reduce(0, +) == data?["audience"]?.integer)
    }

    @Test func `a repeated event has the same id, another pause another`() {
        func pause(_ sequence: Int64) -> CampaignEvent {
            .pausing(.paused, app: "news", campaign: "c", reasons: ["operator"], sequence: sequence, at: now)
        }
        #expect(pause(1).json == pause(1).json)
        #expect(pause(1).json["id"] != pause(2).json["id"])
        #expect(CampaignEvent.started(app: "news", campaign: "c", audience: 5, at: now).kind == .started)
    }

    @Test func `problems for people have one line each and no control characters`() {
        let document = ProblemDocument(
            .invalidJob,
            title: "The job cannot be sent",
            campaign: "c",
            errors: [Problem(pointer: "/a\u{1b}[2J\nb", code: .unknownField, detail: "no field", fix: "leave it out")],
            warnings: [Problem(pointer: "", code: .unusual, detail: "odd")]
        )
        #expect(
            document.text
                == "The job cannot be sent (c):\n  /a?[2J?b: no field (leave it out)\n  warning: odd"
        )
    }

    @Test func `a problem is read back from its JSON`() {
        let problem = Problem(pointer: "/a", code: .range, detail: "d", fix: nil)
        #expect(Problem(json: problem.json) == problem)
        #expect(Problem(json: .object(["pointer": "/a"])) == nil)
    }
}
