public import Campaigns

/// The `Retry-After` field (RFC 9110, 10.2.3): seconds, or a date in one of the three forms of section 5.6.7.
public enum RetryAfter {
    /// The longest accepted wait: a day.
    public static let secondsMax = 86_400
    private static let bytesMax = 64

    /// Returns the seconds to wait, 0 … `secondsMax`; nil for an empty, negative or unreadable value.
    ///
    /// A date is counted from `now` and rounded up, because the field is a lower bound; a date in the past gives 0.
    public static func seconds(_ value: Span<UInt8>, now: Timestamp) -> Int? {
        guard !value.isEmpty, value.count <= bytesMax else { return nil }
        var bytes: [UInt8] = []
        for index in value.indices { bytes.append(value[index]) }
        let text = bytes.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        if text.count == 1, let word = text.first, word.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
            // A number with more digits than an Int holds is a very long wait.
            return min(Int(String(decoding: word, as: UTF8.self)) ?? secondsMax, secondsMax)
        }
        guard let date = HTTPDate.seconds(bytes) else { return nil }
        let wait = date * 1000 - now.milliseconds
        guard wait > 0 else { return 0 }
        return Int(min((wait + 999) / 1000, Int64(secondsMax)))
    }
}

/// The date formats of HTTP (RFC 9110, 5.6.7): IMF-fixdate, RFC 850 and asctime, always in UTC.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Returns the seconds since the Unix epoch; nil when the bytes are not a date.
    static func seconds(_ bytes: [UInt8]) -> Int64? {
        let separators = Array(" ,-:\t".utf8)
        let words = bytes.split { separators.contains($0) }.map { String(decoding: $0, as: UTF8.self) }
        guard words.count >= 7, let weekday = words.first, weekday.count >= 3,
            weekday.utf8.allSatisfy({ $0 >= 0x41 && $0 <= 0x7a })
        else { return nil }
        if words.count == 8, words[7] == "GMT" {
            // Sun, 06 Nov 1994 08:49:37 GMT and Sunday, 06-Nov-94 08:49:37 GMT
            return instant(year: words[3], month: words[2], day: words[1], time: words[4...6])
        }
        // Sun Nov  6 08:49:37 1994
        guard words.count == 7 else { return nil }
        return instant(year: words[6], month: words[1], day: words[2], time: words[3...5])
    }

    private static func instant(year: String, month: String, day: String, time: ArraySlice<String>) -> Int64? {
        guard let index = months.firstIndex(of: month), [2, 4].contains(year.utf8.count), let number = Int(year) else {
            return nil
        }
        // RFC 850 has two digits; from 70 on they mean the past century (RFC 9110: if more than fifty years ahead).
        let century = year.utf8.count == 4 ? 0 : number < 70 ? 2000 : 1900
        let date = [String(number + century), padded(String(index + 1)), padded(day)].joined(separator: "-")
        // The reason for a failure does not matter: the field is then ignored.
        return try? Timestamp(rfc3339: "\(date)T\(time.joined(separator: ":"))Z").seconds
    }

    private static func padded(_ digits: String) -> String { digits.utf8.count == 1 ? "0" + digits : digits }
}
