import AMQP
import TLS

/// The reason why a connection to the broker could not be made, or ended.
///
/// One clear line, without secrets.
public struct AMQPConnectError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Kind: Sendable, Equatable {
        /// No socket could be opened: nobody listens, no route, no such name, or no answer in time.
        case unreachable
        /// TLS failed: certificate, authority, host name, protocol.
        case tls
        /// The peer does not speak AMQP 0-9-1, or violates it.
        case notAMQP
        /// The broker refuses the user and password (403).
        case wrongPassword
        /// The virtual host does not exist, or the user has no access to it (530).
        case virtualHost
        /// Our files or settings cannot be used.
        case configuration
        /// The connection was established and has ended.
        case lost
        /// The broker was silent for two heartbeats.
        case heartbeatMissed
        /// The broker closed the channel, with its reply code (404 not found, 403 refused, 406 precondition …).
        case channelClosed(UInt16)
        /// The broker closed the connection, with its reply code (320 is a forced close, for example a shutdown).
        case connectionClosed(UInt16)
        /// We closed it.
        case closed
    }

    /// The kind of failure.
    public var kind: Kind
    /// The failure, its host, and the remedy.
    public var description: String

    /// Creates an error.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// True if waiting does not help and a person must fix the configuration (exit code 78; otherwise 69).
    public var isConfiguration: Bool {
        switch kind {
        case .wrongPassword, .virtualHost, .configuration, .tls: true
        default: false
        }
    }
}

extension AMQPConnectError {
    static func unreachable(_ host: AMQPEndpoint.Host, _ error: any Error) -> AMQPConnectError {
        AMQPConnectError(.unreachable, "RabbitMQ at \(host) is not reachable: \(SocketErrorText.words(error))")
    }

    static func session(_ host: AMQPEndpoint.Host, _ error: AMQPError) -> AMQPConnectError {
        AMQPConnectError(.notAMQP, "\(host): \(error)")
    }

    static func tls(_ host: AMQPEndpoint.Host, _ error: TLSError) -> AMQPConnectError {
        AMQPConnectError(.tls, "TLS with RabbitMQ at \(host): \(error.message)")
    }

    /// Returns the error for a `connection.close` during the login.
    static func refusedLogin(
        _ host: AMQPEndpoint.Host,
        user: String,
        virtualHost: String,
        code: UInt16,
        text: String
    ) -> AMQPConnectError {
        switch code {
        case 403:
            AMQPConnectError(
                .wrongPassword,
                "RabbitMQ at \(host) refuses user \(user): wrong name or password, check amqp.url (\(text))"
            )
        case 530:
            AMQPConnectError(
                .virtualHost,
                "RabbitMQ at \(host) does not let user \(user) into virtual host \(virtualHost): \(text)"
            )
        default: closedByBroker(host, code: code, text: text)
        }
    }

    static func closedByBroker(_ host: AMQPEndpoint.Host, code: UInt16, text: String) -> AMQPConnectError {
        AMQPConnectError(.connectionClosed(code), "RabbitMQ at \(host) closed the connection: \(text)")
    }

    static func channelClosed(_ host: AMQPEndpoint.Host, code: UInt16, text: String) -> AMQPConnectError {
        AMQPConnectError(.channelClosed(code), "RabbitMQ at \(host) closed the channel: \(text)")
    }
}
