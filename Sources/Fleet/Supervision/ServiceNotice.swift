/// One thing that a service manager is told, in the words of sd_notify(3).
enum ServiceNotice: Sendable, Equatable {
    /// Work comes here now: dependent units may start.
    case ready
    /// The process is alive; what does not come in time is restarted (`WatchdogSec=`).
    case watchdog
    /// Files are read again; ends with the next `ready`. The instant is CLOCK_MONOTONIC's, in microseconds.
    case reloading(microseconds: UInt64)
    /// The process has begun to end.
    case stopping
    /// One line for people, which `systemctl status` shows.
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

/// What a process says of itself when it is looked at.
public struct ServiceLook: Sendable, Equatable {
    /// Its event loops answer: what `/livez` tells.
    public var isAlive: Bool
    /// Why no work comes here, a line each; empty when `/readyz` is 200.
    public var unreadiness: [String]
    /// What it does, for people; one line.
    public var doing: String

    /// A look.
    public init(isAlive: Bool, unreadiness: [String] = [], doing: String = "") {
        self.isAlive = isAlive
        self.unreadiness = unreadiness
        self.doing = doing
    }

    /// A process whose loops do not answer.
    public static let stuck = ServiceLook(isAlive: false)
}

/// Decides what a service manager hears and when.
///
/// Ready is told once, when the first look finds nothing in the way: who is ready and loses its broker stays started,
/// and only its status line says so. The watchdog hears nothing from a process whose loops do not answer.
struct SupervisionRule: Sendable, Equatable {
    /// Whether the service manager waits for `WATCHDOG=1`.
    let hasWatchdog: Bool
    private(set) var isReady = false
    private var status: String?
    private var isStopping = false

    init(hasWatchdog: Bool) {
        self.hasWatchdog = hasWatchdog
    }

    /// Somebody has looked.
    mutating func looked(_ look: ServiceLook) -> [ServiceNotice] {
        var notices: [ServiceNotice] = []
        if look.isAlive, look.unreadiness.isEmpty, !isReady, !isStopping {
            isReady = true
            notices.append(.ready)
        }
        if look.isAlive, hasWatchdog { notices.append(.watchdog) }
        let line = Self.line(look)
        if line != status {
            status = line
            notices.append(.status(line))
        }
        return notices
    }

    /// Files are about to be read again; nothing is told before the first `ready` and once it stops.
    mutating func reloading(microseconds: UInt64) -> [ServiceNotice] {
        isReady && !isStopping ? [.reloading(microseconds: microseconds)] : []
    }

    /// They have been read.
    mutating func reloaded() -> [ServiceNotice] { isReady && !isStopping ? [.ready] : [] }

    /// It ends; told once.
    mutating func stopping() -> [ServiceNotice] {
        guard !isStopping else { return [] }
        isStopping = true
        return [.stopping]
    }

    private static func line(_ look: ServiceLook) -> String {
        guard look.isAlive else { return "an event loop does not answer" }
        guard look.unreadiness.isEmpty else { return "not ready: " + look.unreadiness.joined(separator: "; ") }
        return look.doing
    }
}
