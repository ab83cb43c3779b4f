/// A failure of AMQP: the reason why a session cannot go on, or why a command was refused before a byte of it was
/// written.
public struct AMQPError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure; after the first four the connection must be dropped.
    public enum Code: Sendable, Equatable {
        /// The peer sent bytes that are not AMQP 0-9-1.
        case malformed
        /// The peer speaks another protocol version.
        case wrongProtocol
        /// The peer sent a legal frame at the wrong time.
        case unexpected
        /// The broker offers no SASL mechanism that we support.
        case noCommonMechanism
        /// A name, id or routing key has more than 255 bytes; nothing was written.
        case nameTooLong
        /// The properties or arguments do not fit into one frame; nothing was written.
        case propertiesTooLarge
        /// A command was given while no channel is open; nothing was written.
        case notOpen
    }

    /// The kind of failure.
    public let code: Code
    /// The failure as text, one line.
    public let message: String

    /// The message.
    public var description: String { message }

    private init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    static func malformed(_ what: String) -> AMQPError {
        AMQPError(.malformed, "the broker sent bytes that are not AMQP 0-9-1: \(what)")
    }

    static func wrongProtocol(_ header: String) -> AMQPError {
        AMQPError(.wrongProtocol, "the peer does not speak AMQP 0-9-1, it answered \(header)")
    }

    static func unexpected(_ what: String) -> AMQPError {
        AMQPError(.unexpected, "the broker sent \(what) where it does not belong")
    }

    static func noCommonMechanism(_ offered: String) -> AMQPError {
        let message = "the broker does not offer PLAIN for logging in, only \(offered)"
        return AMQPError(.noCommonMechanism, message)
    }

    static func nameTooLong(_ field: String) -> AMQPError {
        AMQPError(.nameTooLong, "\(field) has more than 255 bytes, the limit of AMQP")
    }

    static let propertiesTooLarge = AMQPError(
        .propertiesTooLarge,
        "the properties or arguments do not fit into one AMQP frame"
    )
    /// The error of a command that was given while no channel is open.
    public static let notOpen = AMQPError(.notOpen, "the AMQP channel is not open")
}
