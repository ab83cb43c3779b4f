/// The reason why a session cannot go on, or why a command was refused before a byte of it was written.
public enum AMQPSessionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The peer sent bytes that are not AMQP 0-9-1; the connection must be dropped. The text names the fault.
    case malformed(String)
    /// The peer speaks another protocol version; its header is in the text.
    case wrongProtocol(String)
    /// The peer sent a legal frame at the wrong time; the connection must be dropped.
    case unexpected(String)
    /// The broker offers no SASL mechanism that we support; the text lists those it offers.
    case noCommonMechanism(String)
    /// A name, id or routing key has more than 255 bytes; nothing was written. The text names the field.
    case nameTooLong(String)
    /// The properties or arguments do not fit into one frame; nothing was written.
    case propertiesTooLarge
    /// A command was given while no channel is open; nothing was written.
    case notOpen

    /// The error as one line for a log.
    public var description: String {
        switch self {
        case .malformed(let what): "the broker sent bytes that are not AMQP 0-9-1: \(what)"
        case .wrongProtocol(let header): "the peer does not speak AMQP 0-9-1, it answered \(header)"
        case .unexpected(let what): "the broker sent \(what) where it does not belong"
        case .noCommonMechanism(let offered): "the broker does not offer PLAIN for logging in, only \(offered)"
        case .nameTooLong(let field): "\(field) has more than 255 bytes, the limit of AMQP"
        case .propertiesTooLarge: "the properties or arguments do not fit into one AMQP frame"
        case .notOpen: "the AMQP channel is not open"
        }
    }
}
