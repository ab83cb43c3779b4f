import Foundation
import Testing

@testable import Campaigns

/// Time zone rules, compared with Python's `zoneinfo`, which reads the same database with its own code.
@Suite("Time zones")
struct TimeZoneRulesTests {
    /// Every offset in use: north and south, with and without summer time, half and quarter hours.
    static let zones = [
        "Pacific/Niue", "Pacific/Honolulu", "Pacific/Marquesas", "America/Adak", "America/Anchorage",
        "America/Los_Angeles", "America/Denver", "America/Mexico_City", "America/New_York", "America/Caracas",
        "America/Halifax", "America/St_Johns", "America/Sao_Paulo", "America/Santiago", "America/Nuuk",
        "Atlantic/Azores", "Africa/Casablanca", "Europe/London", "Europe/Dublin", "Europe/Madrid", "Europe/Athens",
        "Africa/Cairo", "Asia/Beirut", "Europe/Istanbul", "Asia/Tehran", "Asia/Dubai", "Asia/Kabul", "Asia/Karachi",
        "Asia/Kolkata", "Asia/Kathmandu", "Asia/Dhaka", "Asia/Yangon", "Asia/Bangkok", "Asia/Shanghai",
        "Australia/Eucla", "Australia/Lord_Howe", "Pacific/Chatham", "Pacific/Apia",
    ]

    /// Python's result: the offset at the beginning of a span, and each change of it, to the minute.
    private struct Span {
        var begin: Int64
        var end: Int64
        var offsets: [(at: Int64, offset: Int)]

        func offset(at second: Int64) -> Int { offsets.last { $0.at <= second }?.offset ?? 0 }
    }

    private static let script = """
        import sys
        from datetime import datetime, timedelta, timezone
        from zoneinfo import ZoneInfo
        for name in sys.argv[1:]:
            zone = ZoneInfo(name)
            def offset(at):
                return int(datetime.fromtimestamp(at, zone).utcoffset().total_seconds())
            for year, years in ((2011, 1), (2026, 2), (2061, 1)):
                begin = int(datetime(year, 1, 1, tzinfo=timezone.utc).timestamp())
                end = int(datetime(year + years, 1, 1, tzinfo=timezone.utc).timestamp())
                line = [name, str(begin), str(end), "%d:%d" % (begin, offset(begin))]
                at = begin
                while at < end:
                    then = at + 21600
                    if offset(at) != offset(then):
                        low, high = at, then
                        while low < high:
                            middle = (low + high) // 2
                            if offset(middle) == offset(at): low = middle + 1
                            else: high = middle
                        line.append("%d:%d" % (low, offset(low)))
                    at = then
                print(" ".join(line))
        """

    private static func spans() throws -> [(zone: String, span: Span)] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", script] + zones
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return output.split(separator: "\n").map { line in
            let words = line.split(separator: " ")
            let offsets = words[3...].map { pair in
                let numbers = pair.split(separator: ":").compactMap { Int64($0) }
                return (at: numbers[0], offset: Int(numbers[1]))
            }
            return (String(words[0]), Span(begin: Int64(words[1]) ?? 0, end: Int64(words[2]) ?? 0, offsets: offsets))
        }
    }

    static func rules(_ zone: String) throws -> TimeZoneRules {
        let bytes = Array(try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/" + zone)))
        return try #require(TimeZoneRules(tzif: bytes), "\(zone)")
    }

    @Test func `offsets and wall clocks of 38 zones are those of another library`() throws {
        let spans = try Self.spans()
        #expect(spans.count == 3 * Self.zones.count)
        var changes = 0
        for (zone, span) in spans {
            let rules = try Self.rules(zone)
            for second in stride(from: span.begin, to: span.end, by: 7 * 3600) {
                let instant = Timestamp(milliseconds: second * 1000)
                #expect(rules.offset(at: instant) == span.offset(at: second), "\(zone) at \(instant.rfc3339)")
            }
            for change in span.offsets.dropFirst() {
                changes += 1
                for around in [-1, 0, 1] as [Int64] {
                    let second = change.at + around
                    #expect(
                        rules.offset(at: Timestamp(milliseconds: second * 1000)) == span.offset(at: second),
                        "\(zone) at \(second)"
                    )
                }
                checkReadings(around: change.at, zone, rules, span)
            }
        }
        #expect(changes > 100)
    }

    /// Checks that a local time's instant is the first at which the clock shows it or, if it never does, a later one.
    private func checkReadings(around change: Int64, _ zone: String, _ rules: TimeZoneRules, _ span: Span) {
        for minutes in stride(from: -26 * 60, through: 26 * 60, by: 15) as StrideThrough<Int64> {
            let local = change + Int64(span.offset(at: change)) + minutes * 60
            var expected = change - 53 * 3600
            // By minutes of Python's clock.
            while expected + Int64(span.offset(at: expected)) < local { expected += 900 }
            while expected + Int64(span.offset(at: expected - 60)) - 60 >= local { expected -= 60 }
            let found = rules.instant(of: LocalTime(seconds: local))
            #expect(found.seconds == expected, "\(zone) shows \(LocalTime(seconds: local).text)")
        }
    }

    @Test func `what the clock shows twice is the first, what it never shows is the change`() throws {
        let madrid = try Self.rules("Europe/Madrid")
        func instant(_ text: String) throws -> String {
            madrid.instant(of: try #require(LocalTime(text: text))).rfc3339
        }
        #expect(try instant("2026-11-20T20:50:00") == "2026-11-20T19:50:00.000Z")
        #expect(try instant("2026-10-25T02:30:00") == "2026-10-25T00:30:00.000Z")
        #expect(try instant("2026-03-29T02:30:00") == "2026-03-29T01:00:00.000Z")
        let apia = try Self.rules("Pacific/Apia")
        let skipped = try #require(LocalTime(text: "2011-12-30T12:00:00"))
        #expect(apia.instant(of: skipped).rfc3339 == "2011-12-30T10:00:00.000Z")
    }

    @Test func `a reading has no offset and a day that exists`() {
        #expect(LocalTime(text: "2026-11-20T20:50:00Z") == nil)
        #expect(LocalTime(text: "2026-11-20T20:50:00+01:00") == nil)
        #expect(LocalTime(text: "2026-02-30T20:50:00") == nil)
        #expect(LocalTime(text: "20:50") == nil)
        #expect(LocalTime(text: "2026-11-20T20:50:07")?.text == "2026-11-20T20:50:07")
    }

    @Test func `what is no time zone file is not read, whatever its bytes`() throws {
        #expect(TimeZoneRules(tzif: []) == nil)
        #expect(TimeZoneRules(tzif: Array("TZif2".utf8)) == nil)
        let whole = Array(try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Madrid")))
        for length in 0..<whole.count - 1 { #expect(TimeZoneRules(tzif: Array(whole[..<length])) == nil) }
        for index in whole.indices {
            var bytes = whole
            bytes[index] = 0xFF
            // Refused or read, but never a trap.
            let rules = TimeZoneRules(tzif: bytes)
            _ = rules?.instant(of: LocalTime(seconds: 1_774_751_400))
        }
    }
}
