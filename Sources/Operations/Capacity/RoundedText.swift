import Campaigns
import Settings

/// Numbers of a forecast for people and programs: never more digits than it knows.
enum RoundedText {
    /// Returns a number with two significant digits.
    static func rounded(_ value: Double) -> Double {
        guard value.isFinite, value >= 100 else { return value.isFinite ? value.rounded() : 0 }
        var unit = 1.0
        while value / unit >= 100 { unit *= 10 }
        return (value / unit).rounded() * unit
    }

    /// Returns a count with two significant digits, its thousands separated.
    static func count(_ count: Int) -> String { NumberText.grouped(Int(rounded(Double(count)))) }

    /// Returns a time as people say it: `less than a second`, `35 s`, `7 min`, `2 h 30 min`, `3 d`.
    static func span(_ seconds: Double) -> String {
        if seconds < 1 { return "less than a second" }
        let unit = unit(of: seconds)
        return DurationText.spoken(.seconds((min(seconds, 1e12) / unit).rounded() * unit))
    }

    /// Returns the earlier or later instant that a forecast can tell apart from its neighbours.
    static func instant(_ instant: Timestamp, after seconds: Double, _ rule: FloatingPointRoundingRule) -> Timestamp {
        let unit = unit(of: seconds) * 1000
        return Timestamp(milliseconds: Int64((Double(instant.milliseconds) / unit).rounded(rule) * unit))
    }

    /// Returns such an instant for people, without digits that say nothing: `2026-11-26T00:42Z`.
    static func shown(_ instant: Timestamp, after seconds: Double, _ rule: FloatingPointRoundingRule) -> String {
        let text = self.instant(instant, after: seconds, rule).rfc3339
        return text.prefix(unit(of: seconds) < 60 ? 19 : 16) + "Z"
    }

    /// The smallest difference, in seconds, that a forecast of so many seconds tells.
    private static func unit(of seconds: Double) -> Double {
        switch seconds {
        case ..<10: 1
        case ..<90: 5
        case ..<5400: 60
        case ..<86_400: 600
        default: 3600
        }
    }
}
