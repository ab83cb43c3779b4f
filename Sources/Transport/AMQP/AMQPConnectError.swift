import AMQP
import NIOCore
import TLS

/// Why a connection to the broker could not be made, or ended.
///
/// One clear line, without secrets.
public struct AMQPConnectError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of trouble it is.
    public enum Kind: Sendable, Equatable {
        /// No socket could be opened: nobody listens, no route, no such name, no answer in time.
        case unreachable
        /// TLS failed: certificate, authority, host name, protocol.
        case tls
        /// The peer does not speak AMQP 0-9-1, or breaks it.
        case notAMQP
        /// The broker refuses user and password (403).
        case wrongPassword
        /// The virtual host does not exist, or the user may not enter it (530).
        case virtualHost
        /// Files or settings of ours cannot be used.
        case configuration
        /// The connection was there and is gone.
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

    /// What kind of trouble it is.
    public var kind: Kind
    /// What happened, where, and what to do about it.
    public var description: String

    /// An error.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// Whether waiting does not help: a person must mend the configuration (exit code 78; otherwise 69).
    public var isConfiguration: Bool {
        switch kind {
        case .wrongPassword, .virtualHost, .configuration, .tls: true
        default: false
        }
    }
}

extension AMQPConnectError {
    static func unreachable(_ host: AMQPEndpoint.Host, _ error: any Error) -> AMQPConnectError {
        AMQPConnectError(.unreachable, "RabbitMQ at \(host) is not reachable: \(text(error))")
    }

    private static func text(_ error: any Error) -> String {
        if let error = error as? IOError { return error.errnoCode == 111 ? "connection refused" : error.description }
        if let error = error as? ChannelError, case .connectTimeout = error { return "no answer in time" }
        return "\(error)"
    }

    static func session(_ host: AMQPEndpoint.Host, _ error: AMQPSessionError) -> AMQPConnectError {
        AMQPConnectError(.notAMQP, "\(host): \(error)")
    }

    static func tls(_ host: AMQPEndpoint.Host, _ error: TLSError) -> AMQPConnectError {
        AMQPConnectError(.tls, "TLS with RabbitMQ at \(host): \(error.message)")
    }

    /// What a `connection.close` during the login means.
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
