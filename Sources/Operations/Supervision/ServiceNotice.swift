/// A notice to a service manager, in the words of sd_notify(3).
enum ServiceNotice: Sendable, Equatable {
    /// Ready: work comes here now, and dependent units may start.
    case ready
    /// The process is alive; without this notice in time the service manager restarts it (`WatchdogSec=`).
    case watchdog
    /// Files are read again; it ends with the next `ready`.
    ///
    /// The instant is CLOCK_MONOTONIC's, in microseconds.
    case reloading(microseconds: UInt64)
    /// The process has begun to end.
    case stopping
    /// A line for people, which `systemctl status` shows.
    case status(String)

    /// The assignments, a line each.
    var text: String {
        switch self {
        case .ready: "READY=1"
        case .watchdog: "WATCHDOG=1"
        case .reloading(let microseconds): "RELOADING=1\nMONOTONIC_USEC=\(microseconds)"
        case .stopping: "STOPPING=1"
        case .status(let line): "STATUS=" + line.split { $0.isNewline }.joined(separator: " ")
        }
    }
}

/// The state of a process at one probe.
package struct ServiceStatus: Sendable, Equatable {
    /// True if its event loops answer, as in `/livez`.
    package var isAlive: Bool
    /// The reasons why no work comes here, a line each; empty when `/readyz` is 200.
    package var unreadiness: [String]
    /// A line for people about the process's work.
    package var doing: String

    /// Creates a state.
    package init(isAlive: Bool, unreadiness: [String] = [], doing: String = "") {
        self.isAlive = isAlive
        self.unreadiness = unreadiness
        self.doing = doing
    }

    /// The state of a process whose loops do not answer.
    package static let stuck = ServiceStatus(isAlive: false)
}

/// Decides which notices a service manager gets, and when.
///
/// Ready is sent once, when the first probe finds no obstacle. A process that is ready and loses its broker stays
/// started; only its status line says so. The watchdog gets no notice from a process whose loops do not answer.
struct SupervisionRule: Sendable, Equatable {
    /// True if the service manager waits for `WATCHDOG=1`.
    let hasWatchdog: Bool
    private(set) var isReady = false
    private var status: String?
    private var isStopping = false

    init(hasWatchdog: Bool) {
        self.hasWatchdog = hasWatchdog
    }

    /// Notes the result of a probe.
    mutating func checked(_ state: ServiceStatus) -> [ServiceNotice] {
        var notices: [ServiceNotice] = []
        if state.isAlive, state.unreadiness.isEmpty, !isReady, !isStopping {
            isReady = true
            notices.append(.ready)
        }
        if state.isAlive, hasWatchdog { notices.append(.watchdog) }
        let line = Self.line(state)
        if line != status {
            status = line
            notices.append(.status(line))
        }
        return notices
    }

    /// Notes that files are about to be read again; no notice is sent before the first `ready` and after the stop.
    mutating func reloading(microseconds: UInt64) -> [ServiceNotice] {
        isReady && !isStopping ? [.reloading(microseconds: microseconds)] : []
    }

    /// Notes that the files have been read.
    mutating func reloaded() -> [ServiceNotice] { isReady && !isStopping ? [.ready] : [] }

    /// Notes that the process stops; the notice is sent once.
    mutating func stopping() -> [ServiceNotice] {
        guard !isStopping else { return [] }
        isStopping = true
        return [.stopping]
    }

    private static func line(_ state: ServiceStatus) -> String {
        guard state.isAlive else { return "an event loop does not answer" }
        guard state.unreadiness.isEmpty else { return "not ready: " + state.unreadiness.joined(separator: "; ") }
        return state.doing
    }
}
