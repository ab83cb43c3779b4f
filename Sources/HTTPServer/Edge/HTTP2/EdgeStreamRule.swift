import HTTP2
import NIOCore

/// What a connection of HTTP/2 may ask of the edge; no I/O.
enum EdgeStreamRule {
    /// Streams of a connection at once: a load balancer opens another connection, and one client holds so many bodies.
    static let streamsMax: UInt32 = 256
    /// Bytes of answers that a connection does not take; then further requests are told to come again.
    static let unsentMax = 8 << 20
    /// A connection on which nothing moves for so long is closed, unless an answer is being made.
    static let idleMax = TimeAmount.seconds(60)

    static var session: HTTP2ServerSession.Configuration {
        var configuration = HTTP2ServerSession.Configuration()
        configuration.maxConcurrentStreams = streamsMax
        // One byte more than the largest body tells that it is too large.
        configuration.bodyBytesMax = LaneRule.bodyMax + 1
        // The door refuses more than it takes; this is for those who do not stop.
        configuration.headerBytesMax = 4 * EdgeDoor.headerBytesMax
        return configuration
    }

    /// What becomes of a connection when its time is over, by when something moved last.
    static func isIdle(movedAt: NIODeadline, answering: Int, now: NIODeadline) -> Bool {
        answering == 0 && now - movedAt >= idleMax
    }
}
