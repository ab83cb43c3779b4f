/// The reason why a text is not an RFC 3339 instant.
public enum TimestampFormatError: Error, Hashable, Sendable {
    /// There is a date and time, but no `Z` or `+02:00`: the instant is unknown.
    case missingOffset
    /// A part is out of range, for example a 31st of April.
    case outOfRange
    /// Any other problem.
    case malformed
}

extension Timestamp {
    /// Reads an RFC 3339 date-time with an offset; truncates to milliseconds.
    ///
    /// A leap second (`:60`) is the first instant of the next minute, as in POSIX time.
    public init(rfc3339 text: String) throws(TimestampFormatError) {
        var scanner = DateTimeScanner(text)
        let year = try scanner.number(digits: 4)
        try scanner.expect("-")
        let month = try scanner.number(digits: 2)
        try scanner.expect("-")
        let day = try scanner.number(digits: 2)
        try scanner.expect("T", or: "t")
        let hour = try scanner.number(digits: 2)
        try scanner.expect(":")
        let minute = try scanner.number(digits: 2)
        try scanner.expect(":")
        let second = try scanner.number(digits: 2)
        let fraction = try scanner.millisecondFraction()
        let offsetMinutes = try scanner.offsetMinutes()
        guard (1...12).contains(month), (1...CivilDate.days(inMonth: month, year: year)).contains(day),
            hour <= 23, minute <= 59, second <= 60
        else { throw .outOfRange }
        let days = CivilDate(year: year, month: month, day: day).daysSinceEpoch
        let seconds = ((days * 24 + hour) * 60 + minute - offsetMinutes) * 60 + second
        self.init(milliseconds: Int64(seconds) * 1000 + Int64(fraction))
    }

    /// The instant as RFC 3339 in UTC with milliseconds, for example `2026-11-20T19:55:00.120Z`.
    ///
    /// Instants outside the years 0000 to 9999, which the format cannot represent, appear as the nearest one that it
    /// can.
    public var rfc3339: String {
        let clamped = min(max(milliseconds, Timestamp.formatRange.lowerBound), Timestamp.formatRange.upperBound)
        let millisecondsOfDay = ((clamped % 86_400_000) + 86_400_000) % 86_400_000
        let date = CivilDate(daysSinceEpoch: Int((clamped - millisecondsOfDay) / 86_400_000))
        let (seconds, fraction) = Int(millisecondsOfDay).quotientAndRemainder(dividingBy: 1000)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        Timestamp.append(date.year, digits: 4, then: "-", to: &text)
        Timestamp.append(date.month, digits: 2, then: "-", to: &text)
        Timestamp.append(date.day, digits: 2, then: "T", to: &text)
        Timestamp.append(seconds / 3600, digits: 2, then: ":", to: &text)
        Timestamp.append(seconds / 60 % 60, digits: 2, then: ":", to: &text)
        Timestamp.append(seconds % 60, digits: 2, then: ".", to: &text)
        Timestamp.append(fraction, digits: 3, then: "Z", to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// 0000-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z.
    private static let formatRange: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    private static func append(_ number: Int, digits: Int, then mark: Unicode.Scalar, to text: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            text.append(UInt8(truncatingIfNeeded: 48 + number / divisor % 10))
            divisor /= 10
        }
        text.append(UInt8(truncatingIfNeeded: mark.value))
    }
}

/// A scanner for the fixed columns of a date-time.
private struct DateTimeScanner {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ text: String) {
        // The prefix exceeds any date-time; more text would be an error anyway, so the work stays bounded.
        bytes = Array(text.utf8.prefix(80))
    }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    mutating func number(digits: Int) throws(TimestampFormatError) -> Int {
        var value = 0
        for _ in 0..<digits {
            guard let byte = next, (48...57).contains(byte) else { throw .malformed }
            value = value * 10 + Int(byte - 48)
            offset += 1
        }
        return value
    }

    mutating func expect(_ mark: Unicode.Scalar, or other: Unicode.Scalar? = nil) throws(TimestampFormatError) {
        guard let byte = next, Unicode.Scalar(byte) == mark || Unicode.Scalar(byte) == other else { throw .malformed }
        offset += 1
    }

    mutating func millisecondFraction() throws(TimestampFormatError) -> Int {
        guard next == UInt8(ascii: ".") else { return 0 }
        offset += 1
        var value = 0
        var digits = 0
        while let byte = next, (48...57).contains(byte) {
            if digits < 3 { value = value * 10 + Int(byte - 48) }
            digits += 1
            offset += 1
        }
        guard digits > 0 else { throw .malformed }
        for _ in min(digits, 3)..<3 { value *= 10 }
        return value
    }

    mutating func offsetMinutes() throws(TimestampFormatError) -> Int {
        guard let byte = next else { throw .missingOffset }
        offset += 1
        var minutes = 0
        switch byte {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"): break
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            let hours = try number(digits: 2)
            try expect(":")
            let rest = try number(digits: 2)
            guard hours <= 23, rest <= 59 else { throw .outOfRange }
            minutes = (hours * 60 + rest) * (byte == UInt8(ascii: "-") ? -1 : 1)
        default: throw .malformed
        }
        guard next == nil else { throw .malformed }
        return minutes
    }
}
