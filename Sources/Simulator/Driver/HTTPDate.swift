/// The preferred form of HTTP's dates, IMF-fixdate (RFC 9110, 5.6.7).
enum HTTPDate {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Formats a second since 1970, such as `Sun, 06 Nov 1994 08:49:37 GMT`; years from 1970.
    static func text(_ second: Int64) -> String {
        let (day, rest) = max(0, second).quotientAndRemainder(dividingBy: 86_400)
        let (year, month, dayOfMonth) = civil(day)
        let date = "\(weekdays[Int(day % 7)]), \(two(dayOfMonth)) \(months[month]) \(year)"
        return "\(date) \(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60)) GMT"
    }

    /// Returns year, month (from 0) and day of the month (from 1) of a day since 1970.
    private static func civil(_ day: Int64) -> (year: Int64, month: Int, day: Int64) {
        var (year, left) = (Int64(1970), day)
        while left >= days(in: year) {
            left -= days(in: year)
            year += 1
        }
        let isLeap = days(in: year) == 366
        var month = 0
        for length in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30] as [Int64] {
            guard left >= length else { break }
            left -= length
            month += 1
        }
        return (year, month, left + 1)
    }

    private static func days(in year: Int64) -> Int64 {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
