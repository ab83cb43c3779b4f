import AMQP
import Delivery
import NIOCore
import TLS

/// The state of a consumer or publisher, for readiness.
public enum AMQPRoleState: Sendable, Equatable {
    /// Not started yet.
    case idle
    /// Connecting, or waiting to try again; holds the reason why the latest attempt or connection failed.
    case connecting(AMQPConnectError?)
    /// Connected and working.
    case connected
    /// Closed for good.
    case closed
}

/// A connection that reconnects forever, over all hosts as `HostRounds` decides, with jittered backoff from 1 s to 8 s
/// between the rounds.
///
/// Confined to its event loop.
final class AMQPLink {
    private let loop: any EventLoop
    private let endpoint: AMQPEndpoint
    private let name: String
    private let confirms: Bool
    private var rounds: HostRounds
    private var retry: Scheduled<Void>?
    private var tls: TLSClientContext?
    private var closed = false

    /// The connection while it is up.
    private(set) var connection: AMQPConnection?
    /// The number of the current connection, counted from 1; delivery tags belong to one connection.
    private(set) var generation: UInt64 = 0
    private(set) var state = AMQPRoleState.idle

    var onUp: ((AMQPConnection) -> Void)?
    var onEvent: ((AMQPEvent) -> Void)?
    var onDown: ((AMQPConnectError) -> Void)?

    /// Creates a link; `seed` decides the order of the hosts.
    init(loop: any EventLoop, endpoint: AMQPEndpoint, name: String, seed: String? = nil, confirms: Bool) {
        precondition(!endpoint.hosts.isEmpty, "an endpoint has at least one host")
        self.loop = loop
        self.endpoint = endpoint
        self.name = name
        self.confirms = confirms
        rounds = HostRounds(hosts: endpoint.hosts.map(\.description), seed: seed ?? name)
    }

    /// True if another host can be tried than the present one.
    var hasOtherHosts: Bool { endpoint.hosts.count > 1 }

    func start() {
        loop.preconditionInEventLoop()
        guard case .idle = state else { return }
        connect(lastError: nil)
    }

    private func connect(lastError: AMQPConnectError?) {
        guard !closed else { return }
        state = .connecting(lastError)
        if tls == nil, endpoint.tls != nil {
            do throws(AMQPConnectError) {
                tls = try endpoint.makeTLSContext()
            } catch {
                return failed(error)
            }
        }
        let host = endpoint.hosts[rounds.next(now: NIODeadline.now().sinceBoot)]
        let settings = endpoint.settings(host: host, name: name, confirms: confirms, tls: tls)
        AMQPConnection.connect(loop: loop, settings: settings) { [weak self] result in
            self?.connected(result)
        }
    }

    private func connected(_ result: Result<AMQPConnection, AMQPConnectError>) {
        switch result {
        case .failure(let error): failed(error)
        case .success(let connection):
            guard !closed else { return connection.close {} }
            self.connection = connection
            generation += 1
            state = .connected
            connection.onEvent = { [weak self] event in self?.onEvent?(event) }
            connection.onEnd = { [weak self] error in self?.ended(error) }
            onUp?(connection)
        }
    }

    private func ended(_ error: AMQPConnectError) {
        connection = nil
        guard !closed else { return }
        failed(error)
    }

    /// Resets the backoff, because the connection has proved to work.
    func settled() {
        rounds.worked()
    }

    /// Leaves a node that lives and does not answer; its silence counts as a failure.
    func leave(_ what: String) {
        loop.preconditionInEventLoop()
        guard let connection = dropped() else { return }
        connection.close {}
        failed(
            AMQPConnectError(
                .lost,
                "RabbitMQ at \(connection.host) confirms no \(what): it may lack the majority of its cluster"
            )
        )
    }

    /// Takes the connection away from its handlers; nil without one.
    private func dropped() -> AMQPConnection? {
        guard let connection, !closed else { return nil }
        connection.onEnd = nil
        connection.onEvent = nil
        self.connection = nil
        return connection
    }

    private func failed(_ error: AMQPConnectError) {
        guard !closed else { return }
        state = .connecting(error)
        retry = loop.assumeIsolated().scheduleTask(in: pause()) { [weak self] in
            self?.connect(lastError: error)
        }
        onDown?(error)
    }

    /// The longest delay, in milliseconds: a broker that is back is tried within ten seconds, however long it was gone.
    static let longestBackoff = 8000

    /// Returns the time until the next attempt; the time that a round took counts for its pause.
    private func pause() -> TimeAmount {
        switch rounds.failed(now: NIODeadline.now().sinceBoot) {
        case .nextHost: .milliseconds(Int64.random(in: 0...250))
        case .wait(let rounds, let took): max(.seconds(1), Self.backoff(rounds) - TimeAmount(took))
        }
    }

    /// Returns a random delay between half and the whole of 2, 4, 8 s, never below 1 s.
    static func backoff(_ failures: Int) -> TimeAmount {
        let ceiling = min(longestBackoff, 1000 << min(max(failures, 1), 3))
        return .milliseconds(Int64.random(in: max(1000, Int64(ceiling) / 2)...Int64(ceiling)))
    }

    /// Drops the connection and reconnects at once.
    func reconnect() {
        loop.preconditionInEventLoop()
        guard let connection = dropped() else { return }
        connection.close { [weak self] in self?.connect(lastError: nil) }
    }

    func close(completion: @escaping () -> Void) {
        loop.preconditionInEventLoop()
        closed = true
        state = .closed
        retry?.cancel()
        guard let connection else { return completion() }
        self.connection = nil
        connection.close(completion: completion)
    }
}

extension AMQPEndpoint {
    func settings(
        host: Host,
        name: String,
        confirms: Bool,
        tls: TLSClientContext?,
        reopensChannel: Bool = false
    ) -> AMQPConnection.Setting {
        AMQPConnection.Setting(
            host: host,
            session: AMQPSessionConfiguration(
                user: user,
                password: password,
                virtualHost: virtualHost,
                connectionName: name,
                confirms: confirms
            ),
            tls: tls,
            reopensChannel: reopensChannel
        )
    }
}
