import Testing

@testable import Campaigns

@Suite("Cron expressions")
struct CronExpressionTests {
    private func instant(_ text: String) throws -> Timestamp { try Timestamp(rfc3339: text) }

    /// Returns the first instants after `begin`.
    private func next(_ count: Int, _ cron: String, _ zone: String, after begin: String) throws -> [String] {
        let expression = try CronExpression(cron)
        let rules = zone == "UTC" ? TimeZoneRules.utc : try TimeZoneRulesTests.rules(zone)
        var at = try instant(begin)
        return try (0..<count).map { _ in
            at = try #require(expression.next(after: at, in: rules))
            return String(at.rfc3339.prefix(16))
        }
    }

    @Test func `weekdays at nine in Madrid, over the end of summer time`() throws {
        #expect(
            try next(4, "0 9 * * 1-5", "Europe/Madrid", after: "2026-10-22T07:00:00Z")
                == ["2026-10-23T07:00", "2026-10-26T08:00", "2026-10-27T08:00", "2026-10-28T08:00"]
        )
    }

    @Test func `lists, ranges, steps and names`() throws {
        #expect(
            try next(3, "*/20 22-23,0 1 jan *", "UTC", after: "2026-01-01T23:30:00Z")
                == ["2026-01-01T23:40", "2027-01-01T00:00", "2027-01-01T00:20"]
        )
        #expect(
            try next(2, "5/30 4 * * Sat", "UTC", after: "2026-11-20T00:00:00Z") == [
                "2026-11-21T04:05", "2026-11-21T04:35",
            ]
        )
        #expect(try next(1, "0 0 29 2 *", "UTC", after: "2026-01-01T00:00:00Z") == ["2028-02-29T00:00"])
        #expect(
            try next(2, "0 0 * * 7", "UTC", after: "2026-11-20T00:00:00Z") == ["2026-11-22T00:00", "2026-11-29T00:00"]
        )
    }

    @Test func `with both days restricted, either is enough`() throws {
        #expect(
            try next(3, "0 0 13 * 5", "UTC", after: "2026-11-10T00:00:00Z")
                == ["2026-11-13T00:00", "2026-11-20T00:00", "2026-11-27T00:00"]
        )
        #expect(try next(1, "0 0 13 12 5", "UTC", after: "2026-12-12T00:00:00Z") == ["2026-12-13T00:00"])
    }

    @Test func `an hour that clocks skip runs at the change, one that they repeat once`() throws {
        #expect(
            try next(3, "30 2 * * *", "Europe/Madrid", after: "2026-03-28T02:00:00Z")
                == ["2026-03-29T01:00", "2026-03-30T00:30", "2026-03-31T00:30"]
        )
        #expect(
            try next(3, "30 2 * * *", "Europe/Madrid", after: "2026-10-24T12:00:00Z")
                == ["2026-10-25T00:30", "2026-10-26T01:30", "2026-10-27T01:30"]
        )
    }

    @Test func `the last of those that were missed`() throws {
        let cron = try CronExpression("*/10 * * * *")
        let (begin, end) = (try instant("2026-11-20T19:55:00Z"), try instant("2026-11-22T08:09:59Z"))
        #expect(try cron.last(after: begin, through: end, in: .utc) == instant("2026-11-22T08:00:00Z"))
        #expect(cron.last(after: begin, through: begin.advanced(by: .seconds(299)), in: .utc) == nil)
        #expect(
            try cron.last(after: begin, through: instant("2026-11-20T20:00:00Z"), in: .utc)
                == instant("2026-11-20T20:00:00Z")
        )
        #expect(cron.last(after: end, through: begin, in: .utc) == nil)
    }

    @Test func `next and last agree over a year of half-hourly instants`() throws {
        let madrid = try TimeZoneRulesTests.rules("Europe/Madrid")
        let cron = try CronExpression("15 */6 * * *")
        var at = try instant("2026-01-01T00:00:00Z")
        let end = try instant("2027-01-01T00:00:00Z")
        while let following = cron.next(after: at, in: madrid), following < end {
            #expect(cron.last(after: at, through: following, in: madrid) == following)
            #expect(cron.last(after: at, through: following.advanced(by: .milliseconds(-1)), in: madrid) == nil)
            at = following
        }
    }

    @Test(
        arguments: [
            ("0 9 * *", .fieldCount(4)), ("", .fieldCount(0)), ("60 * * * *", .field(1)), ("* 24 * * *", .field(2)),
            ("* * 0 * *", .field(3)), ("* * * 13 *", .field(4)), ("* * * * 8", .field(5)), ("*/0 * * * *", .field(1)),
            ("5-1 * * * *", .field(1)), ("1,,2 * * * *", .field(1)), ("* * * foo *", .field(4)),
            ("-1 * * * *", .field(1)),
            ("* * 31 4 *", .never), ("* * 30 feb *", .never),
        ] as [(String, CronExpression.FormatError)]
    )
    func `what is no expression is refused`(text: String, error: CronExpression.FormatError) {
        #expect(throws: error) { try CronExpression(text) }
    }
}
