import NIOCore
import NIOPosix

/// The cores of all event loops for one provider; each is used on its own loop only.
final class ServingLoops: Sendable {
    private let cores: [ObjectIdentifier: NIOLoopBound<LoopCore>]
    private let loops: [any EventLoop]

    private init(cores: [ObjectIdentifier: NIOLoopBound<LoopCore>], loops: [any EventLoop]) {
        self.cores = cores
        self.loops = loops
    }

    /// Creates a core on every loop of `group`.
    static func make(on group: MultiThreadedEventLoopGroup, state: ProviderState) async throws -> ServingLoops {
        let loops = Array(group.makeIterator())
        var cores: [ObjectIdentifier: NIOLoopBound<LoopCore>] = [:]
        for loop in loops {
            cores[ObjectIdentifier(loop)] = try await loop.submit {
                NIOLoopBound(LoopCore(state: state), eventLoop: loop)
            }.get()
        }
        return ServingLoops(cores: cores, loops: loops)
    }

    /// Returns the core of the loop that the caller runs on.
    func core(of loop: any EventLoop) -> LoopCore {
        guard let core = cores[ObjectIdentifier(loop)] else {
            preconditionFailure("a channel runs on a loop that is none of the simulator's")
        }
        return core.value
    }

    /// Applies changed faults on every loop and connection.
    func faultsChanged() async throws { try await onEach { $0.faultsChanged() } }

    /// Cuts every connection.
    func closeAll() async throws {
        try await onEach { core in for connection in core.connections.values { connection.cut() } }
    }

    private func onEach(_ body: @escaping @Sendable (LoopCore) -> Void) async throws {
        for loop in loops {
            try await loop.submit { body(self.core(of: loop)) }.get()
        }
    }
}
