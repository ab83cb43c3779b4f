/// A schedule in cron's five fields, evaluated on the wall clock of a time zone.
///
/// The fields are minute, hour, day of the month, month and day of the week (0 and 7 are Sunday). Each is `*`, a
/// number, a range, a list, or one of them with a step (`*/15`, `9-17/2`); months and weekdays may have their English
/// names of three letters. If both days are restricted, a day needs to match only one of them.
public struct CronExpression: Sendable, Equatable {
    private let minutes: Set<Int>
    private let hours: Set<Int>
    private let days: Set<Int>
    private let months: Set<Int>
    private let weekdays: Set<Int>
    private let restrictsDay: Bool
    private let restrictsWeekday: Bool

    /// A problem of an expression.
    public enum FormatError: Error, Sendable, Equatable {
        /// The number of fields is not five.
        case fieldCount(Int)
        /// The field with this number, from 1, cannot be read.
        case field(Int)
        /// No day of any year matches, for example a 31st of April.
        case never
    }

    /// Parses an expression.
    public init(_ text: String) throws(FormatError) {
        let fields = text.split(whereSeparator: { $0 == " " || $0 == "\t" })
        guard fields.count == 5 else { throw .fieldCount(fields.count) }
        func values(_ number: Int, _ range: ClosedRange<Int>, _ names: [String] = []) throws(FormatError) -> Set<Int> {
            guard let values = CronField.values(fields[number - 1], in: range, names: names) else {
                throw .field(number)
            }
            return values
        }
        minutes = try values(1, 0...59)
        hours = try values(2, 0...23)
        days = try values(3, 1...31)
        months = try values(4, 1...12, CronField.months)
        weekdays = Set(try values(5, 0...7, CronField.weekdays).map { $0 % 7 })
        restrictsDay = !fields[2].hasPrefix("*")
        restrictsWeekday = !fields[4].hasPrefix("*")
        let longest = months.map { CivilDate.days(inMonth: $0, year: 2024) }.max() ?? 0
        guard restrictsWeekday || (days.min() ?? 1) <= longest else { throw .never }
    }

    /// The number of days that `next` searches: nine years, enough to find a 29th of February across the turn of a
    /// century.
    static let daysMax = 9 * 366

    /// Returns the first usable instant after another; nil if there is none within nine years.
    ///
    /// Each instant is tested once, and those of a day are computed once, however many are skipped.
    public func next(
        after instant: Timestamp,
        in zone: TimeZoneRules,
        where isOfUse: (Timestamp) -> Bool = { _ in true }
    ) -> Timestamp? {
        let today = zone.local(at: instant).day
        // After a clock change, an instant of yesterday's date may still come after it.
        for day in today - 1...today + Self.daysMax where fits(day: day) {
            let found = instants(on: day, in: zone).first { $0 > instant && isOfUse($0) }
            if let found { return found }
        }
        return nil
    }

    /// Returns the last instant after `begin` and not after `end`; nil if there is none.
    public func last(after begin: Timestamp, through end: Timestamp, in zone: TimeZoneRules) -> Timestamp? {
        guard begin < end else { return nil }
        var day = zone.local(at: end).day + 1
        let first = zone.local(at: begin).day - 1
        while day >= first {
            if fits(day: day), let found = instants(on: day, in: zone).last(where: { $0 > begin && $0 <= end }) {
                return found
            }
            day -= 1
        }
        return nil
    }

    /// Returns all instants of a day, ascending; times that a clock change skips become the instant of the change.
    private func instants(on day: Int, in zone: TimeZoneRules) -> [Timestamp] {
        var found: Set<Timestamp> = []
        for hour in hours {
            for minute in minutes {
                found.insert(zone.instant(of: LocalTime(day: day, secondOfDay: hour * 3600 + minute * 60)))
            }
        }
        return found.sorted()
    }

    private func fits(day number: Int) -> Bool {
        let date = CivilDate(daysSinceEpoch: number)
        guard months.contains(date.month) else { return false }
        let weekday = ((number + 4) % 7 + 7) % 7
        let (isDay, isWeekday) = (days.contains(date.day), weekdays.contains(weekday))
        return restrictsDay && restrictsWeekday ? isDay || isWeekday : isDay && isWeekday
    }
}

private enum CronField {
    static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    static let weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

    /// Returns nil if the field cannot be read, or has a value outside the range.
    static func values(_ text: Substring, in range: ClosedRange<Int>, names: [String]) -> Set<Int>? {
        var values: Set<Int> = []
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            let halves = item.split(separator: "/", omittingEmptySubsequences: false)
            guard halves.count <= 2, let span = span(halves[0], in: range, names: names, isStepped: halves.count == 2)
            else { return nil }
            var step = 1
            if halves.count == 2 {
                guard let given = number(halves[1]), given > 0 else { return nil }
                step = given
            }
            for value in stride(from: span.lowerBound, through: span.upperBound, by: step) { values.insert(value) }
        }
        return values
    }

    private static func span(
        _ text: Substring,
        in range: ClosedRange<Int>,
        names: [String],
        isStepped: Bool
    ) -> ClosedRange<Int>? {
        if text == "*" { return range }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count <= 2, let first = value(ends[0], in: range, names: names) else { return nil }
        guard ends.count == 2 else { return isStepped ? first...range.upperBound : first...first }
        guard let last = value(ends[1], in: range, names: names), first <= last else { return nil }
        return first...last
    }

    private static func value(_ text: Substring, in range: ClosedRange<Int>, names: [String]) -> Int? {
        if let index = names.firstIndex(of: text.lowercased()) { return index + range.lowerBound }
        return number(text).flatMap { range.contains($0) ? $0 : nil }
    }

    private static func number(_ text: Substring) -> Int? {
        guard (1...2).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }
}
