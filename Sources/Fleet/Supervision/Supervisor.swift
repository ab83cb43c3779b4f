import Foundation
import Glibc
import Synchronization

/// The service manager that has started this process, when it is one that waits for a word (`Type=notify`).
///
/// Tells it when work comes here, that the process lives, when files are read again, and when it ends. May be used from
/// any task; what is sent is decided by `SupervisionRule`.
public final class Supervisor: Sendable {
    /// Between looks while nobody knows yet whether the process is ready.
    private static let startingPause = Duration.milliseconds(100)
    /// Between looks afterwards, at most.
    private static let pauseMost = Duration.seconds(5)

    private let socket: NotifySocket
    private let rule: Mutex<SupervisionRule>
    /// Between looks once it is ready.
    let pause: Duration

    /// Nil when no service manager waits for a word.
    ///
    /// - Parameters:
    ///   - environment: `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` are looked at; of this process without one.
    ///   - pid: of this process without one: a watchdog that was meant for a parent is not ours.
    public init?(environment: [String: String]? = nil, pid: Int32? = nil) {
        let environment = environment ?? ProcessInfo.processInfo.environment
        guard let address = environment["NOTIFY_SOCKET"], let socket = NotifySocket(address: address) else {
            return nil
        }
        self.socket = socket
        let isOurs = environment["WATCHDOG_PID"].map { $0 == String(pid ?? getpid()) } ?? true
        let watchdog = environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { isOurs && $0 > 0 ? $0 : nil }
        rule = Mutex(SupervisionRule(hasWatchdog: watchdog != nil))
        // Twice in the time that systemd asks for half of: one look may take the three seconds of a stuck loop.
        pause = min(Self.pauseMost, watchdog.map { .microseconds($0 / 4) } ?? Self.pauseMost)
    }

    /// Looks at the process again and again until the task is cancelled, and passes on what it finds.
    public func run(_ look: @Sendable () async -> ServiceLook) async {
        while !Task.isCancelled {
            let found = await look()
            guard !Task.isCancelled else { return }
            tell { $0.looked(found) }
            let isReady = rule.withLock { $0.isReady }
            try? await Task.sleep(for: isReady ? pause : min(pause, Self.startingPause))  // cancelled: the loop ends
        }
    }

    /// Reads files again between a word that it begins and one that it is over.
    public func reloading(_ body: () async -> Void) async {
        tell { $0.reloading(microseconds: Self.monotonic()) }
        await body()
        tell { $0.reloaded() }
    }

    /// The process begins to end.
    public func stopping() { tell { $0.stopping() } }

    /// What could not be sent was not said: the rule says it again.
    private func tell(_ decide: (inout SupervisionRule) -> [ServiceNotice]) {
        rule.withLock { rule in
            var next = rule
            let notices = decide(&next)
            if socket.send(notices) { rule = next }
        }
    }

    private static func monotonic() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }
}
