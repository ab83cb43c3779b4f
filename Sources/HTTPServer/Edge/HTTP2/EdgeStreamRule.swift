import Delivery
import HTTP2

/// What a connection of HTTP/2 may ask of the edge; no I/O.
enum EdgeStreamRule {
    /// Streams of a connection at once: a load balancer opens another connection, and one client holds so many bodies.
    static let streamsMax = UInt32(ConnectionBudget.answeringMax)
    /// Memory of nghttp2 that a connection keeps for its next requests.
    private static let keptBytesMax = 1 << 16

    static var session: HTTP2ServerSession.Configuration {
        var configuration = HTTP2ServerSession.Configuration()
        configuration.maxConcurrentStreams = streamsMax
        // One byte more than the largest body tells that it is too large.
        configuration.bodyBytesMax = LaneRule.bodyMax + 1
        // The door refuses more than it takes; this is for those who do not stop.
        configuration.headerBytesMax = 4 * EdgeResponder.headerBytesMax
        configuration.keptBytesMax = keptBytesMax
        return configuration
    }

    /// Whether a stream has waited too long for its client.
    static func isLate(_ phase: HTTP2ServerSession.Phase, since: Int64, now: MonotonicInstant) -> Bool {
        let since = MonotonicInstant(nanoseconds: since)
        switch phase {
        case .request(let received): return RequestDeadline.isOver(since: since, bytes: received, now: now)
        // Ours to end.
        case .answer: return false
        case .taking(let unsent): return RequestDeadline.isOver(since: since, bytes: unsent, now: now)
        // The client's to end, and else ended without blame.
        case .rest: return false
        }
    }

    /// Whether a client that was answered before it had sent all has had time to read the answer.
    static func isLeftOver(_ phase: HTTP2ServerSession.Phase, since: Int64, now: MonotonicInstant) -> Bool {
        guard case .rest = phase else { return false }
        return now.since(MonotonicInstant(nanoseconds: since)) >= linger
    }

    private static let linger = Duration.seconds(5)
}
