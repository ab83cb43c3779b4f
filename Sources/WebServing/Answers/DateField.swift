package import Campaigns

/// The field `date` of answers (RFC 9110, section 6.6.1), rendered once a second.
package struct DateField {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private var second: Int64?
    private var text = ""

    /// Begins with nothing rendered.
    package init() {}

    /// Returns the field's value at an instant, such as `Sun, 06 Nov 1994 08:49:37 GMT`; from 1970 to 9999.
    package mutating func text(at now: Timestamp) -> String {
        let second = now.milliseconds / 1000
        if second != self.second { (self.second, text) = (second, Self.text(second)) }
        return text
    }

    private static func text(_ second: Int64) -> String {
        // 1994-11-06T08:49:37Z
        let parts = Timestamp(milliseconds: second * 1000).rfc3339.split { "-T:.Z".contains($0) }.map(String.init)
        let weekday = weekdays[Int(second / 86_400 % 7)]
        return
            "\(weekday), \(parts[2]) \(months[(Int(parts[1]) ?? 1) - 1]) \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5]) GMT"
    }
}
