import Logging
import NIOCore
import NIOPosix
import TLS

/// The listener of one simulated provider, on the loops that all providers share.
final class ProviderListener: Sendable {
    let state: ProviderState
    let loops: ServingLoops
    /// The address that it listens on, as configured.
    let host: String
    private let channel: any Channel

    private init(state: ProviderState, loops: ServingLoops, host: String, channel: any Channel) {
        self.state = state
        self.loops = loops
        self.host = host
        self.channel = channel
        port = channel.localAddress?.port ?? 0
    }

    var provider: SimulatedProvider { state.side.provider }

    /// The port, valid after the end too: a successor listens on it.
    let port: Int

    /// Binds and listens; returns when it accepts connections.
    static func start(
        _ state: ProviderState,
        host: String,
        port: Int,
        group: MultiThreadedEventLoopGroup,
        context: TLSServerContext,
        logger: Logger
    ) async throws -> ProviderListener {
        let loops = try await ServingLoops.make(on: group, state: state)
        let channel = try await group.listen(host: host, port: port) { loop in
            SimulatorConnection(core: loops.core(of: loop), tls: try TLSSession(server: context), logger: logger)
        }
        return ProviderListener(state: state, loops: loops, host: host, channel: channel)
    }

    /// Changes the faults; returns once every loop and connection has them.
    func changeFaults(_ change: (inout Faults) throws(FaultsError) -> Void) async throws -> Faults {
        let faults = try state.changeFaults(change)
        try await loops.faultsChanged()
        return faults
    }

    /// Stops listening and closes all connections without GOAWAY.
    func stop() async throws {
        try await channel.close().get()
        try await loops.closeAll()
    }
}
