import NIOCore
import NIOPosix
import Synchronization
public import TLS

extension PushSimulator {
    /// A running simulator.
    ///
    /// Every member may be used from any thread; call `stop` at the end. Members about one provider mean APNs by
    /// default.
    public final class Running: Sendable {
        /// Authority, certificates and signing keys.
        public let identity: Identity
        /// The port of the control address on 127.0.0.1; nil without one.
        public let controlPort: Int?

        private let isStopped = Atomic(false)
        private let listeners: ProviderListeners
        private let control: (any Channel)?
        private let groups: [MultiThreadedEventLoopGroup]

        init(
            identity: Identity,
            listeners: ProviderListeners,
            control: (any Channel)?,
            groups: [MultiThreadedEventLoopGroup]
        ) {
            self.identity = identity
            self.listeners = listeners
            self.control = control
            self.groups = groups
            controlPort = control?.localAddress?.port
        }

        /// The port for APNs.
        public var port: Int { listeners[.apns]?.port ?? 0 }

        /// Returns the port of a provider; nil if it is not simulated.
        public func port(of provider: SimulatedProvider) -> Int? { listeners[provider]?.port }

        /// The statistics since the start or the last `reset`, over all providers.
        public var statistics: Statistics { listeners.statistics }

        /// Returns the statistics of one provider; nil if it is not simulated.
        public func statistics(of provider: SimulatedProvider) -> Statistics? {
            listeners[provider]?.state.statistics
        }

        /// The last processed requests of APNs, oldest first: at most `Configuration.requestsKept`.
        public var lastRequests: [ReceivedRequest] { lastRequests(of: .apns) }

        /// Returns the last processed requests of one provider, oldest first: at most `Configuration.requestsKept`.
        public func lastRequests(of provider: SimulatedProvider) -> [ReceivedRequest] {
            listeners[provider]?.state.last.all ?? []
        }

        /// The current faults of APNs.
        public var faults: Faults { faults(of: .apns) }

        /// Returns the current faults of one provider.
        public func faults(of provider: SimulatedProvider) -> Faults {
            listeners[provider]?.state.faults ?? Faults()
        }

        /// Changes the faults of one provider or (nil) of all; returns once every loop and connection has them.
        ///
        /// The result is the faults of that provider, or of APNs.
        @discardableResult
        public func changeFaults(
            of provider: SimulatedProvider? = nil,
            _ change: (inout Faults) throws(FaultsError) -> Void
        ) async throws -> Faults {
            try await listeners.changeFaults(of: provider, change)
        }

        /// Returns the processed and accepted requests of one device token (hexadecimal for APNs, as written for the
        /// others).
        public func counts(
            ofToken token: String,
            at provider: SimulatedProvider = .apns
        ) -> (requests: Int, accepted: Int, refused: Int) {
            let counts = listeners[provider]?.state.counts(ofToken: token) ?? TokenCounts()
            return (Int(counts.requests), Int(counts.accepted), Int(counts.refused))
        }

        /// Resets counts, last requests, devices and seen provider tokens; connections and faults stay.
        public func reset() { listeners.reset() }

        /// Watches a device from now on, if it was not watched before, and puts it online or offline.
        ///
        /// Returns false if the token is no device token of a simulated provider.
        @discardableResult
        public func setDevice(_ token: String, isOnline: Bool, at provider: SimulatedProvider = .apns) -> Bool {
            guard let state = listeners[provider]?.state, let key = state.side.key(of: Array(token.utf8)[...]) else {
                return false
            }
            state.side.devices?.set(key, isOnline: isOnline, now: SimulatorClock.milliseconds(state.faults))
            return true
        }

        /// Returns the view of a device; nil if it is not watched (`setDevice`).
        public func device(_ token: String, at provider: SimulatedProvider = .apns) -> DeviceView? {
            guard let state = listeners[provider]?.state, let key = state.side.key(of: Array(token.utf8)[...]) else {
                return nil
            }
            return state.side.devices?.inbox(of: key, now: SimulatorClock.milliseconds(state.faults))
                .map { DeviceView($0) }
        }

        /// Returns Web Push subscription `number`; nil if Web Push is not simulated.
        ///
        /// Throws only when OpenSSL fails.
        public func subscription(_ number: UInt64) throws(TLSError) -> WebPushSubscriptions.Subscription? {
            guard let listener = listeners[.webPush], let side = listener.state.side as? WebPushSide else { return nil }
            return try side.subscriptions.subscription(number, origin: "https://\(listener.host):\(listener.port)")
        }

        /// Revokes all of FCM's issued access tokens.
        public func revokeAccessTokens() { listeners.revokeAccessTokens() }

        /// Closes all connections without GOAWAY and stops serving; a second call has no effect.
        public func stop() async throws {
            guard isStopped.exchange(true, ordering: .acquiringAndReleasing) == false else { return }
            try await control?.close().get()
            for listener in listeners.all { try await listener.stop() }
            for group in groups { try await group.shutdownGracefully() }
        }
    }
}
