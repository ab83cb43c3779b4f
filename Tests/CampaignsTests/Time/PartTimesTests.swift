import Testing

@testable import Campaigns

@Suite("Parts by time zone")
struct PartTimesTests {
    private let now = JobFixtures.now

    private func job(_ delivery: String) throws -> Job {
        let text = JobFixtures.patch(JobFixtures.minimal, path: ["delivery"], delivery)
        let decoding = JobFixtures.decode(text)
        return try #require(decoding.job, "\(decoding.problems)")
    }

    private func times(_ delivery: String, _ zone: String, at text: String? = nil) throws -> [String] {
        let acceptedAt = try text.map { try Timestamp(rfc3339: $0) } ?? now
        let times = try job(delivery).times(in: TimeZoneRulesTests.rules(zone), acceptedAt: acceptedAt)
        return [times.releaseAt, times.expiresAt].map { String($0.rfc3339.prefix(16)) }
    }

    private func codes(_ delivery: String) -> [String] {
        let text = JobFixtures.patch(JobFixtures.minimal, path: ["delivery"], delivery)
        return JobFixtures.decode(text).problems.map { "\($0.pointer) \($0.code)" }
    }

    @Test func `each zone begins and ends when its own clock says so`() throws {
        let nine = #"{"local_time": true, "send_at": "2026-11-21T09:00:00", "expires_at": "2026-11-21T10:30:00"}"#
        #expect(try times(nine, "Europe/Madrid") == ["2026-11-21T08:00", "2026-11-21T09:30"])
        #expect(try times(nine, "Asia/Kathmandu") == ["2026-11-21T03:15", "2026-11-21T04:45"])
        #expect(try times(nine, "America/Los_Angeles") == ["2026-11-21T17:00", "2026-11-21T18:30"])
        let short = #"{"local_time": true, "send_at": "2026-11-21T09:00:00", "ttl": 3600}"#
        #expect(try times(short, "Asia/Kathmandu") == ["2026-11-21T03:15", "2026-11-21T04:15"])
    }

    @Test func `over a change of the clocks`() throws {
        let night = #"{"local_time": true, "send_at": "2027-03-28T02:30:00", "ttl": 3600}"#
        #expect(try times(night, "Europe/Madrid") == ["2027-03-28T01:00", "2027-03-28T02:00"])
        #expect(try times(night, "Europe/London") == ["2027-03-28T01:30", "2027-03-28T02:30"])
        #expect(try times(night, "Africa/Cairo") == ["2027-03-28T00:30", "2027-03-28T01:30"])
    }

    @Test func `what has passed in a zone begins at once there`() throws {
        let past = #"{"local_time": true, "send_at": "2026-11-20T22:00:00", "ttl": 36000}"#
        #expect(try times(past, "Asia/Tokyo") == ["2026-11-20T19:55", "2026-11-21T05:55"])
        #expect(try times(past, "Europe/Madrid") == ["2026-11-20T21:00", "2026-11-21T07:00"])
    }

    @Test func `quiet hours put the beginning off to their end, by each clock`() throws {
        let quiet = #"{"quiet_hours": {"from": "22:00", "to": "08:00"}, "ttl": 86400}"#
        let begin = "2026-11-20T21:30:00Z"
        #expect(try times(quiet, "Europe/Madrid", at: begin) == ["2026-11-21T07:00", "2026-11-21T21:30"])
        #expect(try times(quiet, "Europe/London", at: begin) == ["2026-11-20T21:30", "2026-11-21T21:30"])
        #expect(try times(quiet, "Asia/Tokyo", at: begin) == ["2026-11-20T23:00", "2026-11-21T21:30"])
        #expect(
            try times(quiet, "Asia/Kolkata", at: "2026-11-20T02:29:59Z") == ["2026-11-20T02:30", "2026-11-21T02:29"]
        )
        #expect(
            try times(quiet, "Asia/Kolkata", at: "2026-11-20T02:30:00Z") == ["2026-11-20T02:30", "2026-11-21T02:30"]
        )
        let noon = #"{"quiet_hours": {"from": "12:00", "to": "14:00", "then": "wait"}, "ttl": 60}"#
        #expect(try times(noon, "Europe/London", at: "2026-11-20T12:00:00Z")[0] == "2026-11-20T14:00")
        #expect(try times(noon, "Europe/London", at: "2026-11-20T14:00:00Z")[0] == "2026-11-20T14:00")
    }

    @Test func `quiet hours interrupt what lasts`() throws {
        let night = try job(#"{"quiet_hours": {"from": "22:00", "to": "08:00"}, "ttl": 180000}"#)
        let madrid = try TimeZoneRulesTests.rules("Europe/Madrid")
        let times = night.times(in: madrid, named: "Europe/Madrid", acceptedAt: now)
        #expect(times.releaseAt == now && times.quiet.count == 2)
        let known = now.advanced(by: QuietHours.knownAtFirst)
        let hours = QuietHours(from: 1320, to: 480)
        #expect(times.rule == QuietRule(hours: hours, timeZone: "Europe/Madrid", knownUntil: known))
        #expect(
            times.quiet.prefix(2).map { [$0.lowerBound, $0.upperBound].map { String($0.rfc3339.prefix(16)) } } == [
                ["2026-11-20T21:00", "2026-11-21T07:00"], ["2026-11-21T21:00", "2026-11-22T07:00"],
            ]
        )
        let later = night.times(in: madrid, acceptedAt: try Timestamp(rfc3339: "2026-11-20T23:00:00Z"))
        #expect(later.releaseAt == times.quiet[0].upperBound && later.quiet.first == times.quiet[1])
    }

    @Test func `a job until the year 9999 has no more windows than one of a day`() throws {
        let madrid = try TimeZoneRulesTests.rules("Europe/Madrid")
        for end in [#""ttl": 86400"#, #""expires_at": "9999-12-31T00:00:00Z""#] {
            let times = try job("{\"quiet_hours\": {\"from\": \"22:00\", \"to\": \"08:00\"}, \(end)}")
                .times(in: madrid, acceptedAt: now)
            #expect(times.quiet.count == 2 && times.hasQuietHours)
        }
    }

    @Test func `windows that are computed further are those that there would be`() throws {
        let zone = try TimeZoneRulesTests.rules("Europe/Madrid")
        let hours = QuietHours(from: 150, to: 165)
        let whole = hours.windows(from: now, to: now.advanced(by: .seconds(300 * 86_400)), in: zone)
        var (pieces, from): ([Range<Timestamp>], Timestamp) = ([], now)
        while from < now.advanced(by: .seconds(290 * 86_400)) {
            let next = hours.windows(from: from, to: from.advanced(by: QuietHours.knownAhead), in: zone)
            #expect(next.count <= 9)
            pieces += next.filter { !pieces.contains($0) }
            from = from.advanced(by: .seconds(3 * 86_400 + 12_345))
        }
        #expect(pieces == Array(whole.prefix(pieces.count)) && pieces.count >= 289)
    }

    @Test func `what it says is kept, and is the same in the ledger`() throws {
        let spelt = try job(
            """
            {"local_time": true, "send_at": "2026-11-21T09:00:00", "expires_at": "2026-11-21T10:30:00",
             "quiet_hours": {"from": "22:00", "to": "08:05"}}
            """
        )
        #expect(spelt.delivery.quietHours == QuietHours(from: 1320, to: 485))
        #expect(try Job(stored: spelt.storedJSON(withoutDevices: false)) == spelt)
    }

    @Test(arguments: [
        (#"{"local_time": true}"#, ["/delivery/send_at required"]),
        (#"{"local_time": true, "send_at": "2026-11-21T09:00:00Z"}"#, ["/delivery/send_at format"]),
        (#"{"send_at": "2026-11-21T09:00:00"}"#, ["/delivery/send_at format"]),
        (
            #"{"local_time": true, "send_at": "2026-11-21T09:00:00", "expires_at": "2026-11-21T09:00:00"}"#,
            ["/delivery/expires_at conflict"]
        ),
        (
            #"{"local_time": true, "send_at": "2026-11-18T09:00:00", "expires_at": "2026-11-20T07:54:00"}"#,
            ["/delivery/expires_at expired"]
        ),
        (#"{"local_time": true, "send_at": "2026-11-21T09:00:00", "hold": true}"#, ["/delivery/hold conflict"]),
        (#"{"quiet_hours": {"from": "22:00"}}"#, ["/delivery/quiet_hours/to required"]),
        (
            #"{"quiet_hours": {"from": "24:00", "to": "8:00"}}"#,
            ["/delivery/quiet_hours/from format", "/delivery/quiet_hours/to format"]
        ),
        (#"{"quiet_hours": {"from": "22:00", "to": "22:00"}}"#, ["/delivery/quiet_hours/to conflict"]),
        (#"{"quiet_hours": {"from": "22:00", "to": "08:00", "then": "drop"}}"#, ["/delivery/quiet_hours/then value"]),
        (
            #"{"quiet_hours": {"from": "22:00", "to": "08:00", "until": "x"}}"#,
            ["/delivery/quiet_hours/until unknown_field"]
        ),
    ])
    func `what cannot be meant is refused`(delivery: String, problems: [String]) {
        #expect(codes(delivery) == problems)
    }
}
