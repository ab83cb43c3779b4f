import Glibc
import NIOCore

/// Words for errors of sockets, which describe themselves with the name of one of NIO's functions and a number.
public enum SocketErrorText {
    /// Returns an error for people: `connection reset by peer`; an error of another kind says itself what it is.
    public static func words(_ error: any Error) -> String {
        switch error {
        case let error as IOError: words(errno: error.errnoCode)
        case ChannelError.connectTimeout: "no answer in time"
        case ChannelError.eof, ChannelError.ioOnClosedChannel, ChannelError.alreadyClosed: "the connection is closed"
        case is CancellationError, EventLoopError.shutdown: "the process is stopping"
        default: "\(error)"
        }
    }

    /// Returns the words for a connection that ended with an error: it broke, or its peer speaks something else.
    static func end(of place: String, speaking protocolName: String, _ error: any Error) -> String {
        error is IOError || error is ChannelError
            ? "the connection to \(place) broke: \(words(error))"
            : "\(place) does not speak \(protocolName): \(error)"
    }

    private static func words(errno code: CInt) -> String {
        switch code {
        case ECONNREFUSED: "connection refused"
        case ECONNRESET: "connection reset by peer"
        case ECONNABORTED: "connection aborted"
        case EPIPE: "the peer closed the connection"
        case ETIMEDOUT: "no answer in time"
        case EHOSTUNREACH: "no route to the host"
        case ENETUNREACH: "the network is unreachable"
        case ENETDOWN: "the network is down"
        case EADDRINUSE: "the address is in use"
        case EADDRNOTAVAIL: "the address is not this machine's"
        case EACCES, EPERM: "not permitted"
        case EMFILE, ENFILE: "no more files may be open"
        case ENOBUFS, ENOMEM: "no memory left"
        default: "system error \(code)"
        }
    }
}
