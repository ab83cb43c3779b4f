/// Durations as people write them: `500ms`, `20s`, `10m`, `2h`, `90d`.
package enum DurationText {
    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// Returns the duration; nil when the text is not a whole number with a unit, or is longer than 100 years.
    package static func parse(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let suffix = text.dropFirst(digits.count).drop { $0 == " " }
        guard let number = Int64(digits), let unit = units.first(where: { $0.suffix == suffix }) else { return nil }
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: unit.milliseconds)
        guard !overflow, milliseconds <= 36_525 * 86_400_000 else { return nil }
        return .milliseconds(milliseconds)
    }

    /// Returns a duration as text, its largest unit and the next one if not zero: `2 h 5 min`, `13 s`, `300 ms`.
    package static func spoken(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        let milliseconds = duration.components.attoseconds / 1_000_000_000_000_000
        if duration.components.seconds == 0, milliseconds > 0 { return "\(milliseconds) ms" }
        let parts: [(Int64, String)] = [
            (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
        ]
        let first = parts.firstIndex { $0.0 > 0 } ?? 3
        return parts[first..<min(first + 2, 4)].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: " ")
            .nonEmpty ?? "0 s"
    }
}

extension String {
    /// nil if the text is empty.
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
