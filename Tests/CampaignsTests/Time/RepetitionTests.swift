import Testing

@testable import Campaigns

@Suite("Repeated campaigns")
struct RepetitionTests {
    private func instant(_ text: String) throws -> Timestamp { try Timestamp(rfc3339: text) }

    private func times(
        _ cron: String,
        _ zone: String = "Europe/Madrid",
        until: Repetition.Until? = nil,
        isLocal: Bool = false,
        ttl: Int? = nil
    ) throws -> RunTimes {
        let repetition = Repetition(cron: cron, timeZone: zone, until: until, isLocal: isLocal)
        return try RunTimes(repetition, ttl: ttl, zone: TimeZoneRulesTests.rules(zone))
    }

    private func job(_ delivery: String) throws -> Job {
        let text = JobFixtures.patch(JobFixtures.minimal, path: ["delivery"], delivery)
        let decoding = JobFixtures.decode(text)
        return try #require(decoding.job, "\(decoding.problems)")
    }

    private func problems(_ delivery: String) -> [String] {
        let text = JobFixtures.patch(JobFixtures.minimal, path: ["delivery"], delivery)
        return JobFixtures.decode(text).problems.map { "\($0.pointer) \($0.code)" }
    }

    // MARK: - The job

    @Test func `what it says is kept, and is the same in the ledger`() throws {
        let spelt = try job(
            #"{"repeat": {"cron": "0  9 * * 1-5", "time_zone": "Europe/Madrid", "until": "2026-12-31T00:00:00Z"}}"#
        )
        let until = try instant("2026-12-31T00:00:00Z")
        #expect(
            spelt.delivery.repetition
                == Repetition(cron: "0 9 * * 1-5", timeZone: "Europe/Madrid", until: .at(until))
        )
        #expect(try Job(stored: spelt.storedJSON(withoutDevices: false)) == spelt)
        let local = try job(
            """
            {"local_time": true, "ttl": 3600,
             "repeat": {"cron": "0 9 * * *", "time_zone": "Europe/Madrid", "until": "2026-12-31T00:00:00"}}
            """
        )
        #expect(local.delivery.repetition?.isLocal == true && local.delivery.localSendAt == nil)
        #expect(try Job(stored: local.storedJSON(withoutDevices: false)) == local)
    }

    @Test func `a run is a job of its own, which the ledger reads back`() throws {
        let parent = try job(
            #"{"ttl": 600, "repeat": {"cron": "0 9 * * *", "time_zone": "Europe/Madrid"}}"#
        )
        let at = try instant("2026-11-23T08:00:00Z")
        let run = parent.run(at: at, try times("0 9 * * *"))
        #expect(run.id == parent.id + "@2026-11-23T08:00:00Z" && run.createdAt == at)
        #expect(run.delivery.repetition == nil && run.delivery.expiry == parent.delivery.expiry)
        #expect(run.expiresAt(acceptedAt: at.advanced(by: .seconds(5))) == at.advanced(by: .seconds(600)))
        #expect(try Job(stored: run.storedJSON(withoutDevices: false)) == run)
        #expect(run.effectiveCollapseID != parent.effectiveCollapseID)
        // No producer can use a run's id.
        #expect(!NameRule.isID(run.id))
        let longest = String(repeating: "i", count: Job.repeatedIDBytesMax)
        #expect(Job.runID(longest, at: at).utf8.count == 128)
    }

    @Test(arguments: [
        (#"{"repeat": {}}"#, ["/delivery/repeat/cron required", "/delivery/repeat/time_zone required"]),
        (#"{"repeat": "daily"}"#, ["/delivery/repeat type"]),
        (#"{"repeat": {"cron": "0 9 * *", "time_zone": "Europe/Madrid"}}"#, ["/delivery/repeat/cron format"]),
        (#"{"repeat": {"cron": "0 25 * * *", "time_zone": "Europe/Madrid"}}"#, ["/delivery/repeat/cron format"]),
        (#"{"repeat": {"cron": "0 9 31 2 *", "time_zone": "Europe/Madrid"}}"#, ["/delivery/repeat/cron format"]),
        (
            #"{"repeat": {"cron": "0 9 * * *", "time_zone": "Europe/Madrid", "until": "2026-12-31T00:00:00"}}"#,
            ["/delivery/repeat/until format"]
        ),
        (
            #"{"local_time": true, "repeat": {"cron": "0 9 * * *", "time_zone": "UTC", "until": "2026-12-31T00:00:00Z"}}"#,
            ["/delivery/repeat/until format"]
        ),
        (
            """
            {"repeat": {"cron": "0 9 * * *", "time_zone": "UTC"}, "send_at": "2026-11-21T09:00:00Z", "hold": true,
             "expires_at": "2026-11-22T09:00:00Z"}
            """,
            ["/delivery/expires_at conflict", "/delivery/hold conflict", "/delivery/send_at conflict"]
        ),
        (
            #"{"repeat": {"cron": "0 9 * * *", "time_zone": "UTC", "at": 1}}"#,
            ["/delivery/repeat/at unknown_field"]
        ),
    ])
    func `what cannot be meant is refused`(delivery: String, expected: [String]) {
        #expect(problems(delivery).sorted() == expected)
    }

    @Test func `an id that leaves no room for its runs is refused`() throws {
        for (length, expected) in [(107, []), (108, ["/id length"])] {
            var text = JobFixtures.patch(
                JobFixtures.minimal,
                path: ["delivery"],
                #"{"repeat": {"cron": "0 9 * * *", "time_zone": "UTC"}}"#
            )
            text = JobFixtures.patch(text, path: ["id"], "\"\(String(repeating: "i", count: length))\"")
            #expect(JobFixtures.decode(text).problems.map { "\($0.pointer) \($0.code)" } == expected)
        }
    }

    // MARK: - The runs

    @Test func `runs are before the end`() throws {
        let until = try instant("2026-11-24T08:00:00Z")
        let times = try times("0 9 * * *", until: .at(until))
        let first = try #require(times.first(after: try instant("2026-11-22T12:00:00Z")))
        #expect(first.rfc3339 == "2026-11-23T08:00:00.000Z")
        #expect(times.next(after: first) == nil)
        let local = try self.times("0 9 * * *", until: .local(try #require(LocalTime(text: "2026-11-24T09:00:00"))))
        #expect(local.until == until)
    }

    @Test func `a step makes the run that is due, and nothing before it`() throws {
        let times = try times("0 9 * * *")
        let due = try instant("2026-11-23T08:00:00Z")
        #expect(times.step(due: due, now: due.advanced(by: .milliseconds(-1))) == nil)
        let next = try instant("2026-11-24T08:00:00Z")
        #expect(times.step(due: due, now: due) == RunTimes.Step(run: due, missed: nil, next: next))
    }

    @Test func `of those that were missed the latest is made, while it is of use`() throws {
        let due = try instant("2026-11-23T08:00:00Z")
        let (second, third) = (try instant("2026-11-24T08:00:00Z"), try instant("2026-11-25T08:00:00Z"))
        let fourth = try instant("2026-11-26T08:00:00Z")
        let plain = try times("0 9 * * *")
        // Without a ttl the limit is an hour.
        let early = third.advanced(by: .seconds(3599))
        #expect(plain.step(due: due, now: early) == RunTimes.Step(run: third, missed: second, next: fourth))
        let late = third.advanced(by: .seconds(3600))
        #expect(plain.step(due: due, now: late) == RunTimes.Step(run: nil, missed: third, next: fourth))
        let short = try times("0 9 * * *", ttl: 60)
        #expect(short.step(due: due, now: early) == RunTimes.Step(run: nil, missed: third, next: fourth))
        let long = try times("0 9 * * *", ttl: 50_000)
        #expect(long.step(due: due, now: late) == RunTimes.Step(run: third, missed: second, next: fourth))
        #expect(long.step(due: third, now: late) == RunTimes.Step(run: third, missed: nil, next: fourth))
    }

    @Test func `nothing is made of what comes behind the end`() throws {
        let due = try instant("2026-11-23T08:00:00Z")
        let ended = try times("0 9 * * *", until: .at(try instant("2026-11-24T00:00:00Z")), ttl: 2_592_000)
        let later = try instant("2026-11-29T00:00:00Z")
        #expect(ended.step(due: due, now: later) == RunTimes.Step(run: due, missed: nil, next: nil))
    }

    @Test func `by each device's clock a run is made when the first clock of the world shows it`() throws {
        let times = try times("0 9 * * *", isLocal: true)
        let run = try instant("2026-11-24T08:00:00Z")
        // Kiritimati is at UTC+14: nine o'clock there is 19:00 UTC of the day before.
        #expect(times.madeAt(run) == (try instant("2026-11-23T19:00:00Z")))
        #expect(times.reading(at: run).text == "2026-11-24T09:00:00")
        // Today's nine o'clock has passed in some zones, and tomorrow's has begun in some.
        let first = try #require(times.first(after: try instant("2026-11-22T20:00:00Z")))
        #expect(first == run)
        let due = try instant("2026-11-24T08:00:00Z")
        #expect(times.step(due: due, now: try instant("2026-11-23T18:59:59Z")) == nil)
        let step = times.step(due: due, now: try instant("2026-11-23T19:00:00Z"))
        #expect(step == RunTimes.Step(run: due, missed: nil, next: try instant("2026-11-25T08:00:00Z")))
        let late = times.step(due: due, now: try instant("2026-11-25T19:30:00Z"))
        let (missed, latest) = (try instant("2026-11-25T08:00:00Z"), try instant("2026-11-26T08:00:00Z"))
        #expect(late?.run == latest && late?.missed == missed)
        var job = try job(
            #"{"local_time": true, "ttl": 60, "repeat": {"cron": "0 9 * * *", "time_zone": "Europe/Madrid"}}"#
        )
        job = job.run(at: run, times)
        #expect(job.delivery.localSendAt?.text == "2026-11-24T09:00:00" && job.isByTimeZone)
        #expect(job.createdAt == (try instant("2026-11-23T19:00:00Z")))
    }

    @Test func `a year of steps makes each run once, over both changes of the clocks`() throws {
        for zone in ["Europe/Madrid", "America/Santiago"] {
            let times = try times("30 2 * * *", zone)
            let expression = try CronExpression("30 2 * * *")
            let rules = try TimeZoneRulesTests.rules(zone)
            var now = try instant("2026-01-01T00:00:00Z")
            let end = try instant("2027-01-01T00:00:00Z")
            var due = times.first(after: now)
            var made: [Timestamp] = []
            while now < end, let instant = due {
                if let step = times.step(due: instant, now: now) {
                    if let run = step.run { made.append(run) }
                    due = step.next
                }
                now = now.advanced(by: .seconds(1200))
            }
            var expected: [Timestamp] = []
            var at = try self.instant("2026-01-01T00:00:00Z")
            while let next = expression.next(after: at, in: rules), next < end {
                expected.append(next)
                at = next
            }
            #expect(made == expected && made.count >= 365)
        }
    }
}
