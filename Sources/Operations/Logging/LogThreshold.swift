package import Logging
import Synchronization

/// The process's log level, which SIGHUP may change while loggers of all threads use it.
package final class LogThreshold: Sendable {
    private let index: Atomic<Int>

    /// Creates a threshold.
    package init(_ level: Logger.Level) {
        index = Atomic(Self.index(of: level))
    }

    /// The least severe level that is logged; from any thread.
    package var level: Logger.Level {
        get { Logger.Level.allCases[index.load(ordering: .relaxed)] }
        set { index.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    private static func index(of level: Logger.Level) -> Int {
        Logger.Level.allCases.firstIndex(of: level) ?? 0
    }
}
