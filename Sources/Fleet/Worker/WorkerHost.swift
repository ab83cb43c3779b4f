import Glibc
package import NIOCore
import NIOPosix
package import Store

/// The parts of its process that a worker works with.
package struct WorkerHost: Sendable {
    /// The worker's name, unique among those that live.
    package let name: String
    /// Makes so many event loops, which the worker shuts down.
    package let loops: @Sendable (_ count: Int) -> any EventLoopGroup
    /// The threads of a ledger in a file.
    package let threads: LedgerThreads
    /// True if the worker answers at `worker.listen`.
    package let answersProbes: Bool

    /// Creates a host.
    package init(
        name: String,
        loops: @escaping @Sendable (_ count: Int) -> any EventLoopGroup,
        threads: LedgerThreads,
        answersProbes: Bool
    ) {
        self.name = name
        self.loops = loops
        self.threads = threads
        self.answersProbes = answersProbes
    }

    /// This process, with threads for everything.
    package static var process: WorkerHost {
        WorkerHost(
            name: "\(hostName()).\(getpid())",
            loops: { MultiThreadedEventLoopGroup(numberOfThreads: $0) },
            threads: .own,
            answersProbes: true
        )
    }

    private static func hostName() -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        gethostname(&buffer, buffer.count - 1)
        let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.isEmpty ? "host" : name
    }
}
