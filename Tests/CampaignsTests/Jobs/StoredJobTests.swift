import Campaigns
import Testing

@Suite("A job's own forms")
struct StoredJobTests {
    private func job(_ text: String) throws -> Job { try #require(JobFixtures.decode(text).job) }

    @Test(arguments: [
        JobFixtures.minimal, JobFixtures.full, JobFixtures.liveActivity, JobFixtures.background,
        JobFixtures.patch(JobFixtures.full, path: ["delivery"], "{\"expires_at\": \"2026-11-20T21:05:00.5+01:00\"}"),
        JobFixtures.patch(JobFixtures.minimal, path: ["content", "sound"], "\"default\""),
        JobFixtures.patch(JobFixtures.minimal, path: ["content", "badge"], "\"{{ unread }}\""),
        JobFixtures.patch(JobFixtures.minimal, path: ["content", "badge"], "\"+1\""),
        JobFixtures.patch(JobFixtures.minimal, path: ["delivery"], "{\"frequency_cap\": \"ignore\"}"),
        JobFixtures.patch(JobFixtures.minimal, path: ["delivery", "collapse_id"], "\"score-{{ club }}\""),
    ])
    func `what is stored comes back`(text: String) throws {
        var job = try job(text)
        let whole = try Job(stored: job.storedJSON(withoutDevices: false))
        // The resolved type and priority are stored.
        job.delivery.pushType = job.effectivePushType == .alert ? nil : job.effectivePushType
        if job.effectivePriority == (job.effectivePushType == .background ? .normal : .high) {
            job.delivery.priority = nil
        }
        #expect(whole == job)
        let light = try Job(stored: job.storedJSON(withoutDevices: true))
        if case .devices = job.audience { job.audience = .devices([]) }
        #expect(light == job)
        #expect(try Job(stored: light.storedJSON()).storedJSON() == light.storedJSON())
    }

    @Test func `a stored job is read long after its end`() throws {
        let old = JobFixtures.patch(JobFixtures.minimal, path: ["delivery", "expires_at"], "\"2026-11-20T19:55:01Z\"")
        let stored = try job(old).storedJSON()
        #expect(try Job(stored: stored).delivery.expiry == .at(JobFixtures.now.advanced(by: .seconds(1))))
    }

    @Test func `a ledger written by hand is an error that says so`() {
        let error = #expect(throws: StoredJobError.self) { try Job(stored: Array("{\"id\": 5}".utf8)) }
        #expect(error?.problems.isEmpty == false)
    }

    @Test func `the same job in another spelling is the same`() throws {
        let one = try job(JobFixtures.full).canonicalJSON()
        let respelt = [
            (["created_at"], "\"2026-11-20T19:00:00Z\""), (["metadata"], "{\"other\": \"x\"}"),
            (["content", "relevance_score"], "8e-1"),
            (["content", "data"], "{\"deep\": {\"list\": [1.0, \"x\", null]}, \"match\": 7}"),
            (["delivery", "hold"], "false"), (["delivery", "frequency_cap"], "\"respect\""),
            (["audience", "devices", "0", "token"], "\"\(JobFixtures.token)\""), (["content", "data", "match"], "7.0"),
        ]
        for (path, value) in respelt {
            let other = try job(JobFixtures.patch(JobFixtures.full, path: path, value))
            #expect(other.canonicalJSON() == one, "\(path)")
        }
    }

    @Test func `defaults spelt out are the same job`() throws {
        let spelt = JobFixtures.patch(
            JobFixtures.minimal,
            path: ["delivery"],
            """
            {"push_type": "alert", "priority": "high", "urgency": "bulk", "if_offline": "store", "supersede": true,
             "max_attempts": 8, "on_unknown": "resend", "show": "any", "ramp_up": 0, "local_time": false,
             "frequency_cap": "respect"}
            """
        )
        #expect(try job(spelt).canonicalJSON() == job(JobFixtures.minimal).canonicalJSON())
    }

    @Test(
        arguments: [
            (["name"], "\"x\""), (["tags"], "[\"cup\", \"sport\"]"), (["content", "title"], "\"t\""),
            (["content", "badge"], "4"), (["content", "badge"], "\"+1\""), (["content", "badge"], "\"-1\""),
            (["delivery", "frequency_cap"], "\"ignore\""),
            (["delivery", "ttl"], "3601"), (["delivery", "priority"], "\"normal\""),
            (["delivery", "supersede"], "true"), (["delivery", "max_attempts"], "8"),
            (["content", "data", "match"], "8"), (["delivery", "hold"], "true"),
            (["delivery", "send_at"], "\"2026-11-20T20:50:00Z\""),
            (["audience", "devices", "0", "variables", "first"], "\"Eva\""),
            (["audience", "devices", "0", "id"], "\"b\""),
            (["content", "sound"], "\"siren.caf\""), (["content", "apns"], "{}"),
        ] as [([String], String)]
    )
    func `another job is another`(path: [String], value: String) throws {
        let other = try job(JobFixtures.patch(JobFixtures.full, path: path, value))
        #expect(try other.canonicalJSON() != job(JobFixtures.full).canonicalJSON())
    }

    @Test func `default collapse ids are short, stable and distinct`() {
        #expect(
            DefaultCollapseID.make(app: "news", id: "derby-2026") == "1iuR6u2CtiQ"
        )
        let ids = (0..<10_000).map { DefaultCollapseID.make(app: "news", id: "run-\($0)") }
        #expect(Set(ids).count == 10_000)
        #expect(ids.allSatisfy { $0.utf8.count == 11 && $0.allSatisfy { $0.isASCII } })
        #expect(DefaultCollapseID.make(app: "a", id: "bc") != DefaultCollapseID.make(app: "ab", id: "c"))
    }
}
