/// A date and time for the filter `date`: the wall clock at its own offset, without any time zone.
struct TemplateDate {
    private var day: CivilDate
    private var secondsOfDay: Int
    private var milliseconds = 0
    /// Minutes east of UTC; nil if the text has no offset.
    private var offset: Int?

    /// Reads a date, with an optional time and offset, or seconds since 1970; nil for anything else.
    ///
    /// A date is `2026-11-20`, optionally followed by `T` or a space and a time (`20:50`, `20:50:00` or `20:50:00.5`),
    /// and then by `Z` or `+01:00`. Seconds are ten digits, in UTC.
    init?(_ bytes: UnsafeRawBufferPointer) {
        if let seconds = Self.epochSeconds(bytes) {
            day = CivilDate(daysSinceEpoch: (seconds - Self.modulo(seconds, 86_400)) / 86_400)
            secondsOfDay = Self.modulo(seconds, 86_400)
            offset = 0
            return
        }
        var reader = DigitReader(bytes: bytes)
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
            let date = reader.number(2), (1...12).contains(month),
            (1...CivilDate.days(inMonth: month, year: year)).contains(date)
        else { return nil }
        day = CivilDate(year: year, month: month, day: date)
        secondsOfDay = 0
        guard !reader.isAtEnd else { return }
        guard reader.take("T") || reader.take("t") || reader.take(" "), let hour = reader.number(2), reader.take(":"),
            let minute = reader.number(2), hour < 24, minute < 60
        else { return nil }
        secondsOfDay = hour * 3600 + minute * 60
        if reader.take(":") {
            guard let second = reader.number(2), second <= 60 else { return nil }
            secondsOfDay += min(second, 59)
            if reader.take(".") {
                guard let fraction = reader.fraction() else { return nil }
                milliseconds = fraction
            }
        }
        guard let offset = reader.offset() else { return nil }
        self.offset = offset
    }

    /// Reads ten digits, an instant from 2001 to 2286, so that a year or a longer phone number is not one.
    private static func epochSeconds(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count == 10, bytes.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return bytes.reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    private static func modulo(_ value: Int, _ divisor: Int) -> Int {
        let rest = value % divisor
        return rest < 0 ? rest + divisor : rest
    }

    /// A reader for the parts of a date's text.
    private struct DigitReader {
        let bytes: UnsafeRawBufferPointer
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        mutating func take(_ mark: Unicode.Scalar) -> Bool {
            guard position < bytes.count, bytes[position] == UInt8(ascii: mark) else { return false }
            position += 1
            return true
        }

        mutating func number(_ digits: Int) -> Int? {
            guard bytes.count - position >= digits else { return nil }
            var value = 0
            for byte in bytes[position..<position + digits] {
                guard (48...57).contains(byte) else { return nil }
                value = value * 10 + Int(byte - 48)
            }
            position += digits
            return value
        }

        mutating func fraction() -> Int? {
            var (value, digits) = (0, 0)
            while position < bytes.count, (48...57).contains(bytes[position]) {
                if digits < 3 { value = value * 10 + Int(bytes[position] - 48) }
                digits += 1
                position += 1
            }
            guard digits > 0 else { return nil }
            for _ in min(digits, 3)..<3 { value *= 10 }
            return value
        }

        /// Returns `.some(nil)` if there is no offset, nil if the remaining text is not an offset.
        mutating func offset() -> Int?? {
            if isAtEnd { return .some(nil) }
            if take("Z") || take("z") { return isAtEnd ? .some(0) : nil }
            let isWest = take("-")
            guard isWest || take("+"), let hours = number(2), hours < 24 else { return nil }
            _ = take(":")
            guard let minutes = number(2), minutes < 60, isAtEnd else { return nil }
            return .some((hours * 60 + minutes) * (isWest ? -1 : 1))
        }
    }

    // MARK: - Writing

    private static let directives = Set("YymdejHIklMSLpPAaBbhuwZzsFTDR%".utf8)

    /// Returns the first unknown directive of a strftime format; nil if all are known.
    static func unknownDirective(in format: [UInt8]) -> String? {
        var bytes = format.makeIterator()
        while let byte = bytes.next() {
            guard byte == UInt8(ascii: "%") else { continue }
            var next = bytes.next()
            if let flag = next, isFlag(flag) { next = bytes.next() }
            guard let directive = next else { return "" }
            if !directives.contains(directive) { return String(decoding: [directive], as: UTF8.self).clipped }
        }
        return nil
    }

    /// Returns true for a flag: `-` no padding, `_` spaces, `0` zeros, `^` capitals.
    private static func isFlag(_ byte: UInt8) -> Bool { byte == 0x2D || byte == 0x5F || byte == 0x30 || byte == 0x5E }

    /// Writes the date in a valid format.
    func write(_ format: UnsafeRawBufferPointer, to sink: inout TemplateSink) {
        var position = 0
        while position < format.count {
            let byte = format[position]
            position += 1
            guard byte == UInt8(ascii: "%"), position < format.count else {
                sink.append(byte)
                continue
            }
            var flag: UInt8 = 0
            if Self.isFlag(format[position]), position + 1 < format.count {
                flag = format[position]
                position += 1
            }
            write(directive: format[position], flag, to: &sink)
            position += 1
        }
    }

    private func write(directive: UInt8, _ flag: UInt8, to sink: inout TemplateSink) {
        switch directive {
        case UInt8(ascii: "F"):
            number(day.year, 4, 0, 48, &sink)
            sink.append("-")
            number(day.month, 2, 0, 48, &sink)
            sink.append("-")
            number(day.day, 2, 0, 48, &sink)
        case UInt8(ascii: "D"):
            number(day.month, 2, 0, 48, &sink)
            sink.append("/")
            number(day.day, 2, 0, 48, &sink)
            sink.append("/")
            number(day.year % 100, 2, 0, 48, &sink)
        case UInt8(ascii: "T"), UInt8(ascii: "R"):
            number(hour, 2, 0, 48, &sink)
            sink.append(":")
            number(minute, 2, 0, 48, &sink)
            guard directive == UInt8(ascii: "T") else { return }
            sink.append(":")
            number(secondsOfDay % 60, 2, 0, 48, &sink)
        default:
            if !writeNumber(directive, flag, to: &sink) { writeWord(directive, flag, to: &sink) }
        }
    }

    private var hour: Int { secondsOfDay / 3600 }
    private var minute: Int { secondsOfDay / 60 % 60 }
    private var twelve: Int { hour % 12 == 0 ? 12 : hour % 12 }
    /// The day of the week from 0 for Sunday; 1970-01-01 was a Thursday.
    private var weekday: Int { Self.modulo(day.daysSinceEpoch + 4, 7) }
    private var dayOfYear: Int {
        day.daysSinceEpoch - CivilDate(year: day.year, month: 1, day: 1).daysSinceEpoch + 1
    }

    private func number(_ value: Int, _ digits: Int, _ flag: UInt8, _ padding: UInt8, _ sink: inout TemplateSink) {
        switch flag {
        case UInt8(ascii: "-"): sink.append(value, digits: 1)
        case UInt8(ascii: "_"): sink.append(value, digits: digits, padding: 0x20)
        case UInt8(ascii: "0"): sink.append(value, digits: digits)
        default: sink.append(value, digits: digits, padding: padding)
        }
    }

    /// Writes a numeric directive; returns false for any other.
    private func writeNumber(_ directive: UInt8, _ flag: UInt8, to sink: inout TemplateSink) -> Bool {
        switch directive {
        case UInt8(ascii: "Y"): number(day.year, 4, flag, 48, &sink)
        case UInt8(ascii: "y"): number(day.year % 100, 2, flag, 48, &sink)
        case UInt8(ascii: "m"): number(day.month, 2, flag, 48, &sink)
        case UInt8(ascii: "d"): number(day.day, 2, flag, 48, &sink)
        case UInt8(ascii: "e"): number(day.day, 2, flag, 0x20, &sink)
        case UInt8(ascii: "j"): number(dayOfYear, 3, flag, 48, &sink)
        case UInt8(ascii: "H"): number(hour, 2, flag, 48, &sink)
        case UInt8(ascii: "k"): number(hour, 2, flag, 0x20, &sink)
        case UInt8(ascii: "I"): number(twelve, 2, flag, 48, &sink)
        case UInt8(ascii: "l"): number(twelve, 2, flag, 0x20, &sink)
        case UInt8(ascii: "M"): number(minute, 2, flag, 48, &sink)
        case UInt8(ascii: "S"): number(secondsOfDay % 60, 2, flag, 48, &sink)
        case UInt8(ascii: "L"): number(milliseconds, 3, flag, 48, &sink)
        case UInt8(ascii: "u"): number(weekday == 0 ? 7 : weekday, 1, flag, 48, &sink)
        case UInt8(ascii: "w"): number(weekday, 1, flag, 48, &sink)
        case UInt8(ascii: "s"):
            let seconds = day.daysSinceEpoch * 86_400 + secondsOfDay - (offset ?? 0) * 60
            if seconds < 0 { sink.append("-") }
            sink.append(abs(seconds), digits: 1)
        default: return false
        }
        return true
    }

    private func writeWord(_ directive: UInt8, _ flag: UInt8, to sink: inout TemplateSink) {
        switch directive {
        case UInt8(ascii: "p"): sink.append(hour < 12 ? "AM" : "PM")
        case UInt8(ascii: "P"): sink.append(hour < 12 ? "am" : "pm")
        case UInt8(ascii: "A"): word(Self.days, weekday, letters: .max, flag, &sink)
        case UInt8(ascii: "a"): word(Self.days, weekday, letters: 3, flag, &sink)
        case UInt8(ascii: "B"): word(Self.months, day.month - 1, letters: .max, flag, &sink)
        case UInt8(ascii: "b"), UInt8(ascii: "h"): word(Self.months, day.month - 1, letters: 3, flag, &sink)
        case UInt8(ascii: "Z"), UInt8(ascii: "z"):
            guard let offset else { return }
            if directive == UInt8(ascii: "Z"), offset == 0 { return sink.append("UTC") }
            sink.append(offset < 0 ? "-" : "+")
            sink.append(abs(offset) / 60, digits: 2)
            sink.append(abs(offset) % 60, digits: 2)
        default: sink.append(directive)
        }
    }

    private static var days: StaticString { "Sunday Monday Tuesday Wednesday Thursday Friday Saturday " }
    private static var months: StaticString {
        "January February March April May June July August September October November December "
    }

    /// Writes the word at an index of a list that has a space after each word.
    private func word(_ list: StaticString, _ index: Int, letters: Int, _ flag: UInt8, _ sink: inout TemplateSink) {
        var (word, letter) = (0, 0)
        for position in 0..<list.utf8CodeUnitCount {
            let byte = list.utf8Start[position]
            if byte == 0x20 {
                if word == index { return }
                word += 1
            } else if word == index, letter < letters {
                sink.append(flag == UInt8(ascii: "^") ? byte & 0xDF : byte)
                letter += 1
            }
        }
    }
}
