import Servers
import Testing

@testable import Campaigns

@Suite("Quiet hours")
struct QuietHoursTests {
    private static let script = """
        def clock(text):
            return int(text[:2]), int(text[3:])
        first, last = datetime(2026, 1, 1), datetime(2027, 1, 1)
        for name in sys.argv[1].split(","):
            zone = ZoneInfo(name)
            for window in sys.argv[2:]:
                (from_hour, from_minute), (to_hour, to_minute) = clock(window[:5]), clock(window[6:])
                line, day = [name, window], first
                while day < last:
                    begin = day.replace(hour=from_hour, minute=from_minute)
                    end = day.replace(hour=to_hour, minute=to_minute)
                    if end < begin: end += timedelta(days=1)
                    span = instant(zone, begin), instant(zone, end)
                    if span[0] < span[1]: line.append("%d-%d" % span)
                    day += timedelta(days=1)
                print(" ".join(line))
        """

    @Test func `windows of a year in 38 zones are those of another library`() throws {
        let windows = ["22:00-08:00", "00:00-06:30", "02:30-03:30", "01:45-02:15", "12:00-14:00", "23:59-00:00"]
        let zones = TimeZoneRulesTests.zones
        let lines = try PythonClock.lines(Self.script, [zones.joined(separator: ",")] + windows)
        #expect(lines.count == windows.count * zones.count)
        for line in lines {
            let (zone, window) = (line[0], line[1])
            let hours = QuietHours(
                from: try #require(QuietHours.minutes(String(window.prefix(5)))),
                to: try #require(QuietHours.minutes(String(window.suffix(5))))
            )
            let rules = try TimeZoneRulesTests.rules(zone)
            let expected = line[2...].map { $0.split(separator: "-").compactMap { Int64($0) } }
            // Python's windows do not cover those that begin before the first whole day or after the last.
            let begin = Timestamp(milliseconds: (try #require(expected.first)[0]) * 1000)
            let end = Timestamp(milliseconds: (try #require(expected.last)[0] + 1) * 1000)
            let found = hours.windows(from: begin, to: end, in: rules)
                .filter { $0.lowerBound >= begin }
                .map { [$0.lowerBound.seconds, $0.upperBound.seconds] }
            #expect(found == expected, "\(zone) \(window)")
        }
    }
}
