import NIOCore
import NIOPosix
import Synchronization

extension APNsSimulator {
    /// A simulator that is serving.
    ///
    /// Every member may be used from any thread; `stop` it in the end.
    public final class Running: Sendable {
        /// Authority, certificates and signing key.
        public let identity: Identity
        /// The port for APNs.
        public let port: Int
        /// The port of the control address on 127.0.0.1; nil without one.
        public let controlPort: Int?

        private let isStopped = Atomic(false)
        private let state: SimulatorState
        private let loops: ServingLoops
        private let channel: any Channel
        private let control: (any Channel)?
        private let groups: [MultiThreadedEventLoopGroup]

        init(
            identity: Identity,
            state: SimulatorState,
            loops: ServingLoops,
            channel: any Channel,
            control: (any Channel)?,
            groups: [MultiThreadedEventLoopGroup]
        ) {
            self.identity = identity
            self.state = state
            self.loops = loops
            self.channel = channel
            self.control = control
            self.groups = groups
            port = channel.localAddress?.port ?? 0
            controlPort = control?.localAddress?.port
        }

        /// What was seen since the start or the last `reset`.
        public var statistics: Statistics { state.statistics }

        /// The last processed requests, the oldest first: at most `Configuration.requestsKept`.
        public var lastRequests: [ReceivedRequest] { state.last.all }

        /// What goes wrong at the moment.
        public var faults: Faults { state.faults }

        /// Changes what goes wrong; when it returns, every loop and connection knows.
        @discardableResult
        public func changeFaults(_ change: (inout Faults) throws(FaultsError) -> Void) async throws -> Faults {
            let faults = try state.changeFaults(change)
            try await loops.faultsChanged()
            return faults
        }

        /// Processed and accepted requests of one device token (hexadecimal).
        public func counts(ofToken token: String) -> (requests: Int, accepted: Int, refused: Int) {
            guard let key = DeviceTokenKey(hexadecimal: Array(token.utf8)[...]) else { return (0, 0, 0) }
            let counts = state.register.counts(of: key)
            return (Int(counts.requests), Int(counts.accepted), Int(counts.refused))
        }

        /// Forgets counts, last requests and seen provider tokens; connections and faults stay.
        public func reset() { state.reset() }

        /// Says GOAWAY on every connection, with a reason such as `Shutdown` as debug data; streams in flight go on.
        public func goAway(reason: String = "Shutdown") async throws { try await loops.goAway(reason: reason) }

        /// Closes all connections without a word and stops serving; a second call does nothing.
        public func stop() async throws {
            guard isStopped.exchange(true, ordering: .acquiringAndReleasing) == false else { return }
            try await channel.close().get()
            try await control?.close().get()
            try await loops.closeAll()
            for group in groups { try await group.shutdownGracefully() }
        }
    }
}
