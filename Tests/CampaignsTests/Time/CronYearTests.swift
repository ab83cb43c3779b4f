import Servers
import Testing

@testable import Campaigns

/// Years of cron, compared with local times of Python's clock, counted one by one.
@Suite("Cron over a year")
struct CronYearTests {
    /// Each matching local time of the year is an instant; coinciding ones are one.
    private static let script = """
        def fits(day, dom, dow):
            weekday = (day.weekday() + 1) % 7
            if dom and dow: return day.day in dom or weekday in dow
            return (not dom or day.day in dom) and (not dow or weekday in dow)
        def numbers(text):
            return [int(word) for word in text.split(",") if word]
        for rule in sys.argv[2:]:
            minutes, hours, dom, dow = [numbers(part) for part in rule.split("/")]
            for name in sys.argv[1].split(","):
                zone, found = ZoneInfo(name), set()
                day = datetime(2026, 1, 1)
                while day.year == 2026:
                    if fits(day, dom, dow):
                        for hour in hours:
                            for minute in minutes:
                                found.add(instant(zone, day.replace(hour=hour, minute=minute)))
                    day += timedelta(days=1)
                print(rule, name, *sorted(found))
        """

    /// North and south of the equator, a change at midnight, and one of half an hour.
    private static let zones = [
        "Europe/Madrid", "America/Santiago", "Australia/Sydney", "Australia/Lord_Howe", "Africa/Casablanca",
    ]

    @Test(arguments: [
        ("30 2 * * *", "30/2//"), ("0 9 * * 1-5", "0/9//1,2,3,4,5"), ("0 0 * * *", "0/0//"),
        ("*/20 0-3 * * 0,6", "0,20,40/0,1,2,3//0,6"), ("15 1 1,15 * 1", "15/1/1,15/1"),
    ])
    func `every instant of 2026 in five zones, over both changes of the clocks`(cron: String, rule: String) throws {
        let expression = try CronExpression(cron)
        for line in try PythonClock.lines(Self.script, [Self.zones.joined(separator: ","), rule]) {
            let zone = line[1]
            let rules = try TimeZoneRulesTests.rules(zone)
            let expected = line[2...].compactMap { Int64($0) }
            #expect(expected.count > 20)
            let first = try #require(expected.first)
            var at = Timestamp(milliseconds: (first - 1) * 1000)
            var found: [Int64] = []
            while found.count < expected.count, let next = expression.next(after: at, in: rules) {
                found.append(next.seconds)
                at = next
            }
            #expect(found == expected, "\(zone)")
        }
    }
}
