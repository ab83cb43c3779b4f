import Testing

@testable import Campaigns

/// The first run of a repeated campaign, which skips runs that come too early for the first clock of the world.
@Suite struct FirstRunTests {
    /// Clocks that go back and forward, by half an hour, across the date line, and by large amounts.
    private static let zones = [
        "Europe/Madrid", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Kiritimati",
        "America/Scoresbysund", "Asia/Kathmandu", "UTC",
    ]

    private static func times(
        _ cron: String,
        _ zone: String,
        until: Repetition.Until? = nil
    ) throws -> RunTimes {
        let repetition = Repetition(cron: cron, timeZone: zone, until: until, isLocal: true)
        return try RunTimes(repetition, ttl: nil, zone: TimeZoneRulesTests.rules(zone))
    }

    /// Tries one instant after another until one is not too early.
    private static func slowly(_ times: RunTimes, after instant: Timestamp) -> Timestamp? {
        var at = instant
        while let next = times.next(after: at) {
            if times.madeAt(next) >= instant { return next }
            at = next
        }
        return nil
    }

    /// Returns a field that matches a few values of a range.
    private static func field(_ range: ClosedRange<Int>, _ random: inout MutationGenerator) -> String {
        (0...2).map { _ in String(Int.random(in: range, using: &random)) }.joined(separator: ",")
    }

    private static func cron(_ random: inout MutationGenerator) -> String {
        let day = Bool.random(using: &random) ? "*" : field(1...28, &random)
        let month = Bool.random(using: &random) ? "*" : field(1...12, &random)
        let weekday = ["*", "1-5", "*/2", "0"].randomElement(using: &random) ?? "*"
        return [field(0...59, &random), field(0...23, &random), day, month, weekday].joined(separator: " ")
    }

    @Test func `it is the one that is found one after the other, by any clock and around every change`() throws {
        var random = MutationGenerator(seed: 1)
        for round in 0..<400 {
            let zone = Self.zones[round % Self.zones.count]
            // Pacific/Apia skipped a day at the end of 2011.
            let begin = try Timestamp(rfc3339: round % 4 == 0 ? "2011-12-27T00:00:00Z" : "2026-10-20T00:00:00Z")
            let instant = begin.advanced(by: .seconds(Int64.random(in: 0..<14 * 86_400, using: &random)))
            let cron = Self.cron(&random)
            let end = instant.advanced(by: .seconds(Int64.random(in: 0..<5 * 86_400, using: &random)))
            let times = try Self.times(cron, zone, until: round % 3 == 0 ? .at(end) : nil)
            let expected = Self.slowly(times, after: instant)
            #expect(times.first(after: instant) == expected, "\(cron) in \(zone) after \(instant)")
        }
    }

    @Test func `of an expression that fits every minute an instant is asked for once, and three days of them at most`()
        throws
    {
        let every = try CronExpression("* * * * *")
        for zone in Self.zones {
            let rules = try TimeZoneRulesTests.rules(zone)
            let instant = try Timestamp(rfc3339: "2026-10-24T09:30:00Z")
            let late = instant.advanced(by: .seconds(26 * 3600))
            var asked: [Timestamp] = []
            let found = every.next(after: instant, in: rules) { candidate in
                asked.append(candidate)
                return candidate >= late
            }
            #expect(found == late && asked == asked.sorted() && Set(asked).count == asked.count)
            #expect(asked.count <= 3 * 1440, "\(zone)")
        }
    }

    @Test func `every minute by each device's clock begins with the minute that the first clock of the world shows`()
        throws
    {
        let instant = try Timestamp(rfc3339: "2026-11-23T09:30:00Z")
        let first = try Self.times("* * * * *", "Europe/Madrid").first(after: instant)
        // In Kiritimati it is 23:30 then.
        #expect(first == (try Timestamp(rfc3339: "2026-11-23T22:30:00Z")))
    }
}
