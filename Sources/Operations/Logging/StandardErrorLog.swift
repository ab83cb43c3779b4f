import Dispatch
import Foundation
package import Logging
package import Settings
import Synchronization

/// Writes the log to standard error, a line per event, so that standard output is for results only.
///
/// A caller never waits: a blocked reader of standard error costs lines, not work (see `LogRelay`).
package struct StandardErrorLog: LogHandler {
    /// The process's level until the logger gets one of its own; see `LogHandler`.
    package var logLevel: Logger.Level {
        get { ownLevel ?? threshold.level }
        set { ownLevel = newValue }
    }
    /// The fields of every line; see `LogHandler`.
    package var metadata: Logger.Metadata = [:]
    /// The source of further fields; see `LogHandler`.
    package var metadataProvider: Logger.MetadataProvider?

    private var ownLevel: Logger.Level?
    private let threshold: LogThreshold
    private let label: String
    private let line: LogLine
    private let write: @Sendable (String) -> Void

    init(label: String, threshold: LogThreshold, line: LogLine, write: @escaping @Sendable (String) -> Void) {
        self.label = label
        self.threshold = threshold
        self.line = line
        self.write = write
    }

    /// The field of every line with that name; see `LogHandler`.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes an event as a line; see `LogHandler`.
    package func log(event: LogEvent) {
        var fields = metadataProvider?.get() ?? [:]
        fields.merge(metadata) { $1 }
        fields.merge(event.metadata ?? [:]) { $1 }
        write(line.text(event.level, event.message.description, fields, label: label))
    }
}

// MARK: - The process's log

extension StandardErrorLog {
    /// The time that the process's end waits for a reader of its last lines.
    private static let timeout = DispatchTimeInterval.seconds(1)
    private static let installed = Mutex<LogRelay?>(nil)

    /// The process's log, once installed.
    static var relay: LogRelay? { installed.withLock { $0 } }

    /// Installs the handler as the process's log; once, at the start.
    ///
    /// The threshold changes the level later, on SIGHUP. The last lines are written however the process exits.
    @discardableResult
    package static func install(_ settings: Configuration.LogSettings) -> LogThreshold {
        let threshold = LogThreshold(settings.level)
        let line = LogLine(settings.format)
        let relay = relay(line)
        installed.withLock { $0 = relay }
        LoggingSystem.bootstrap { label in
            StandardErrorLog(label: label, threshold: threshold, line: line, write: { relay.add($0) })
        }
        atexit { StandardErrorLog.relay?.end(within: StandardErrorLog.timeout) }
        return threshold
    }

    private static func relay(_ line: LogLine) -> LogRelay {
        LogRelay(
            notice: { dropped in
                let fields: Logger.Metadata = ["count": "\(dropped)"]
                return line.text(.warning, "log lines were dropped, nobody took them", fields, label: "log")
            },
            write: { Descriptor.write($0, to: STDERR_FILENO) }
        )
    }
}

extension LogLine {
    /// Creates the line format of a setting, for standard error.
    fileprivate init(_ format: LogFormat) {
        let isTerminal = isatty(STDERR_FILENO) == 1
        let noColour = ProcessInfo.processInfo.environment["NO_COLOR"]?.isEmpty == false
        self.init(isPretty: format == .pretty || format == .auto && isTerminal, isColoured: isTerminal && !noColour)
    }
}
