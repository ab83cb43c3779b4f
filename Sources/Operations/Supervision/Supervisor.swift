import Foundation
import Glibc
import Synchronization

/// The service manager that started this process and waits for its notices (`Type=notify`).
///
/// Tells it when work comes here, that the process lives, when files are read again, and when it ends. May be used
/// from any task; `SupervisionRule` decides what is sent.
package final class Supervisor: Sendable {
    /// The time between probes until the process is ready.
    private static let startingPause = Duration.milliseconds(100)
    /// The longest time between probes afterwards.
    private static let pauseMost = Duration.seconds(5)

    private let socket: NotifySocket
    private let rule: Mutex<SupervisionRule>
    /// The time between probes once the process is ready.
    let pause: Duration

    /// Returns nil when no service manager waits for notices.
    ///
    /// - Parameters:
    ///   - environment: Has `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`; without it, the environment of this
    ///     process.
    ///   - pid: The process id, by default this process's: a watchdog for a parent is not ours.
    package init?(environment: [String: String]? = nil, pid: Int32? = nil) {
        let environment = environment ?? ProcessInfo.processInfo.environment
        guard let address = environment["NOTIFY_SOCKET"], let socket = NotifySocket(address: address) else {
            return nil
        }
        self.socket = socket
        let isOurs = environment["WATCHDOG_PID"].map { $0 == String(pid ?? getpid()) } ?? true
        let watchdog = environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { isOurs && $0 > 0 ? $0 : nil }
        rule = Mutex(SupervisionRule(hasWatchdog: watchdog != nil))
        // A quarter of the watchdog's time; systemd advises half, but a probe may take the three seconds of a stuck
        // loop.
        pause = min(Self.pauseMost, watchdog.map { .microseconds($0 / 4) } ?? Self.pauseMost)
    }

    /// Probes the process until the task is cancelled, and passes the results on.
    package func run(_ check: @Sendable () async -> ServiceStatus) async {
        while !Task.isCancelled {
            let found = await check()
            guard !Task.isCancelled else { return }
            tell { $0.checked(found) }
            let isReady = rule.withLock { $0.isReady }
            try? await Task.sleep(for: isReady ? pause : min(pause, Self.startingPause))  // cancelled: the loop ends
        }
    }

    /// Reads files again between a notice at the beginning and one at the end.
    package func reloading(_ body: () async -> Void) async {
        tell { $0.reloading(microseconds: Self.monotonic()) }
        await body()
        tell { $0.reloaded() }
    }

    /// Notes that the process begins to end.
    package func stopping() { tell { $0.stopping() } }

    /// Sends the rule's notices.
    ///
    /// If that fails, the rule stays as it was and sends them again later.
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
