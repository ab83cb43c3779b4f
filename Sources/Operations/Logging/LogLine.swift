import Campaigns
import Foundation
import Logging

/// Formats an event as a line.
struct LogLine: Sendable {
    /// True for people; otherwise one JSON object.
    var isPretty: Bool
    var isColoured: Bool

    /// Returns the line with its newline; `fields` are sorted by name.
    func text(_ level: Logger.Level, _ message: String, _ fields: Logger.Metadata, label: String) -> String {
        let pairs = fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value.description) }
        // The time is the host's own clock, because people compare the line with the host's other logs.
        let now = Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
        return isPretty ? pretty(now, level, message, pairs) : json(now, level, message, pairs, label)
    }

    private func pretty(
        _ now: Timestamp,
        _ level: Logger.Level,
        _ message: String,
        _ pairs: [(String, String)]
    ) -> String {
        let name = level.rawValue.uppercased()
        let padded = name + String(repeating: " ", count: max(0, 8 - name.count))
        let fields = pairs.map { " \($0.0)=\($0.1)" }.joined()
        let shown = isColoured ? "\(Self.colour(level))\(padded)\u{1B}[0m" : padded
        // An event stays on one line: a newline in a peer's text cannot fake another event.
        let line = "\(Self.timeOfDay(now)) \(shown) \(message)\(fields)"
        return line.replacingOccurrences(of: "\n", with: "\\n") + "\n"
    }

    private func json(
        _ now: Timestamp,
        _ level: Logger.Level,
        _ message: String,
        _ pairs: [(String, String)],
        _ label: String
    ) -> String {
        var members = [
            JSONMember("time", .string(now.rfc3339)),
            JSONMember("level", .string(level.rawValue)), JSONMember("logger", .string(label)),
            JSONMember("message", .string(message)),
        ]
        let taken = Set(members.map(\.name))
        members += pairs.map { JSONMember(taken.contains($0.0) ? "field.\($0.0)" : $0.0, .string($0.1)) }
        return JSONValue.object(members).text + "\n"
    }

    private static func colour(_ level: Logger.Level) -> String {
        switch level {
        case .trace, .debug: "\u{1B}[2m"
        case .info, .notice: "\u{1B}[32m"
        case .warning: "\u{1B}[33m"
        case .error, .critical: "\u{1B}[31m"
        }
    }

    /// Returns the local time of day with milliseconds, for people.
    private static func timeOfDay(_ instant: Timestamp) -> String {
        var seconds = time_t(instant.seconds)
        var parts = tm()
        localtime_r(&seconds, &parts)
        let numbers = [Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec)]
        let milliseconds = 1000 + instant.milliseconds - instant.seconds * 1000
        return numbers.map { String($0 + 100).dropFirst() }.joined(separator: ":") + "."
            + String(milliseconds).dropFirst()
    }
}
