package import NIOCore

/// Answers a responder's requests on their connection's loop, ahead of Hummingbird.
package protocol FastPath: Sendable {
    /// Returns the handler of an HTTP/1.1 connection, which passes on the requests that it does not answer.
    func http1(_ connection: ConnectionState, on channel: any Channel) -> any ChannelHandler

    /// Returns the handler of an HTTP/2 connection.
    func http2(_ connection: ConnectionState, on channel: any Channel) throws -> any ChannelHandler
}
