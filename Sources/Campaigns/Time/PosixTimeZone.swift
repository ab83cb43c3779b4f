/// The rule for future years at the end of a TZif file: `TZ` as in POSIX, with the extensions of RFC 9636.
struct PosixTimeZone: Sendable, Equatable {
    /// Seconds east of UTC.
    private let standard: Int
    private let summer: Summer?

    private struct Summer: Sendable, Equatable {
        var offset: Int
        var begin: YearlyDay
        var end: YearlyDay
    }

    /// Returns nil for a text that is not a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`.
    init?(_ text: [UInt8]) {
        var reader = Reader(bytes: text)
        guard reader.skipName(), let west = reader.time() else { return nil }
        standard = -west
        guard !reader.isAtEnd else {
            summer = nil
            return
        }
        guard reader.skipName() else { return nil }
        var offset = standard + 3600
        if reader.next != UInt8(ascii: ",") {
            guard let west = reader.time() else { return nil }
            offset = -west
        }
        guard reader.skip(","), let begin = reader.day(), reader.skip(","), let end = reader.day(), reader.isAtEnd
        else { return nil }
        summer = Summer(offset: offset, begin: begin, end: end)
    }

    /// Returns the seconds east of UTC at a second since 1970.
    func offset(atSecond second: Int64) -> Int {
        guard let summer else { return standard }
        let local = LocalTime(seconds: second + Int64(standard))
        let year = CivilDate(daysSinceEpoch: local.day).year
        // A change may be days away from its year, so the adjacent years count too; the latest change up to the second
        // applies.
        var latest: (at: Int64, offset: Int)?
        for year in year - 1...year + 1 {
            let changes = [
                (summer.begin.second(in: year) - Int64(standard), summer.offset),
                (summer.end.second(in: year) - Int64(summer.offset), standard),
            ]
            for (at, offset) in changes where at <= second {
                // Summer time that ends as the next one begins lasts all year.
                if latest.map({ at > $0.at || at == $0.at && offset == summer.offset }) ?? true {
                    latest = (at, offset)
                }
            }
        }
        return latest?.offset ?? standard
    }

    /// A day of each year with a time of day, which may be outside that day.
    private struct YearlyDay: Sendable, Equatable {
        enum Day: Sendable, Equatable {
            /// 1 … 365; the 29th of February is never counted.
            case julian(Int)
            /// 0 … 365.
            case zeroBased(Int)
            /// Month, week 1 … 5 (5 is the last), weekday from Sunday.
            case weekday(month: Int, week: Int, day: Int)
        }

        var day: Day
        var time: Int

        /// Returns seconds since 1970 on the wall clock before the change.
        func second(in year: Int) -> Int64 {
            Int64(dayNumber(in: year)) * 86_400 + Int64(time)
        }

        private func dayNumber(in year: Int) -> Int {
            let newYear = CivilDate(year: year, month: 1, day: 1).daysSinceEpoch
            switch day {
            case .zeroBased(let day): return newYear + day
            case .julian(let day):
                let isLeap = CivilDate.days(inMonth: 2, year: year) == 29
                return newYear + day - 1 + (isLeap && day >= 60 ? 1 : 0)
            case .weekday(let month, let week, let weekday):
                let first = CivilDate(year: year, month: month, day: 1).daysSinceEpoch
                // 1970-01-01 was a Thursday.
                let firstWeekday = ((first + 4) % 7 + 7) % 7
                var day = (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
                while day >= CivilDate.days(inMonth: month, year: year) { day -= 7 }
                return first + day
            }
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        var offset = 0

        var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }
        var isAtEnd: Bool { offset == bytes.count }

        mutating func skip(_ mark: Unicode.Scalar) -> Bool {
            guard next == UInt8(mark.value) else { return false }
            offset += 1
            return true
        }

        /// Skips `CET` or `<+0330>`.
        mutating func skipName() -> Bool {
            let start = offset
            if skip("<") {
                while let byte = next, byte != UInt8(ascii: ">") { offset += byte > 32 ? 1 : bytes.count }
                return skip(">")
            }
            while let byte = next, (65...90).contains(byte & 0xDF) { offset += 1 }
            return offset - start >= 3
        }

        mutating func number(most: Int) -> Int? {
            var value: Int?
            while let byte = next, (48...57).contains(byte) {
                value = (value ?? 0) * 10 + Int(byte - 48)
                guard let value, value <= most else { return nil }
                offset += 1
            }
            return value
        }

        /// Reads `[+-]hh[:mm[:ss]]` in seconds.
        mutating func time() -> Int? {
            let sign = skip("-") ? -1 : 1
            if sign == 1 { _ = skip("+") }
            guard let hours = number(most: 167) else { return nil }
            var seconds = hours * 3600
            for unit in [60, 1] where skip(":") {
                guard let value = number(most: 59) else { return nil }
                seconds += value * unit
            }
            return sign * seconds
        }

        mutating func day() -> YearlyDay? {
            let day: YearlyDay.Day
            if skip("M") {
                guard let month = number(most: 12), month > 0, skip("."), let week = number(most: 5), week > 0,
                    skip("."),
                    let weekday = number(most: 6)
                else { return nil }
                day = .weekday(month: month, week: week, day: weekday)
            } else if skip("J") {
                guard let number = number(most: 365), number > 0 else { return nil }
                day = .julian(number)
            } else {
                guard let number = number(most: 365) else { return nil }
                day = .zeroBased(number)
            }
            guard skip("/") else { return YearlyDay(day: day, time: 7200) }
            guard let time = time() else { return nil }
            return YearlyDay(day: day, time: time)
        }
    }
}
