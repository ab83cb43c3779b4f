import Campaigns
import Foundation
public import Logging

/// Writes the log to standard error, a line an event, so that standard output stays for results.
public struct StandardErrorLog: LogHandler {
    /// See `LogHandler`; the process's level until a logger is given one of its own.
    public var logLevel: Logger.Level {
        get { ownLevel ?? threshold.level }
        set { ownLevel = newValue }
    }
    /// See `LogHandler`.
    public var metadata: Logger.Metadata = [:]
    /// See `LogHandler`.
    public var metadataProvider: Logger.MetadataProvider?

    private var ownLevel: Logger.Level?
    private let threshold: LogThreshold
    private let label: String
    private let isPretty: Bool
    private let isColoured: Bool
    private let write: @Sendable (String) -> Void

    /// A handler that writes to standard error.
    init(label: String, format: LogFormat, threshold: LogThreshold) {
        let isTerminal = isatty(STDERR_FILENO) == 1
        let isPretty = format == .pretty || format == .auto && isTerminal
        let noColour = ProcessInfo.processInfo.environment["NO_COLOR"]?.isEmpty == false
        self.init(
            label: label,
            threshold: threshold,
            isPretty: isPretty,
            isColoured: isTerminal && !noColour,
            write: { Terminal.writeError($0) }
        )
    }

    init(
        label: String,
        threshold: LogThreshold,
        isPretty: Bool,
        isColoured: Bool,
        write: @escaping @Sendable (String) -> Void
    ) {
        self.label = label
        self.threshold = threshold
        self.isPretty = isPretty
        self.isColoured = isColoured
        self.write = write
    }

    /// Makes it the process's log; once, at start.
    ///
    /// The threshold changes the level later, on SIGHUP.
    @discardableResult
    public static func install(_ settings: Configuration.LogSettings) -> LogThreshold {
        let threshold = LogThreshold(settings.level)
        LoggingSystem.bootstrap { StandardErrorLog(label: $0, format: settings.format, threshold: threshold) }
        return threshold
    }

    /// See `LogHandler`.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// See `LogHandler`.
    public func log(event: LogEvent) {
        var fields = metadataProvider?.get() ?? [:]
        fields.merge(metadata) { $1 }
        fields.merge(event.metadata ?? [:]) { $1 }
        let pairs = fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value.description) }
        let message = event.message.description
        let now = Self.now()
        write(
            isPretty
                ? pretty(now, event.level, message, pairs) : json(now, event.level, message, pairs)
        )
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
        // A line is a line: a peer's text with a newline in it cannot pass for another event.
        let line = "\(Self.timeOfDay(now)) \(shown) \(message)\(fields)"
        return line.replacingOccurrences(of: "\n", with: "\\n") + "\n"
    }

    private func json(_ now: Timestamp, _ level: Logger.Level, _ message: String, _ pairs: [(String, String)]) -> String
    {
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

    /// The local time of day with milliseconds, for people.
    private static func timeOfDay(_ instant: Timestamp) -> String {
        var seconds = time_t(instant.seconds)
        var parts = tm()
        localtime_r(&seconds, &parts)
        let numbers = [Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec)]
        let milliseconds = 1000 + instant.milliseconds - instant.seconds * 1000
        return numbers.map { String($0 + 100).dropFirst() }.joined(separator: ":") + "."
            + String(milliseconds).dropFirst()
    }

    private static func now() -> Timestamp {
        Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }
}
