import Delivery
import HTTP2

/// The limits of an HTTP/2 connection at the edge; no I/O.
enum EdgeStreamRule {
    /// Concurrent streams of a connection, each of which may hold a body; a load balancer opens more connections.
    static let streamsMax = UInt32(ConnectionBudget.answeringMax)
    /// Memory of nghttp2 that a connection keeps for its next requests.
    private static let keptBytesMax = 1 << 16

    static var session: HTTP2ServerSession.Configuration {
        var configuration = HTTP2ServerSession.Configuration()
        configuration.maxConcurrentStreams = streamsMax
        // One byte more than the largest body, to recognize one that is too large.
        configuration.bodyBytesMax = FastPathRule.bodyMax + 1
        // The responder refuses smaller heads; this limit stops clients that never end theirs.
        configuration.headerBytesMax = 4 * EdgeResponder.headerBytesMax
        configuration.keptBytesMax = keptBytesMax
        return configuration
    }

    /// Returns true if a stream has waited too long for its client.
    static func isLate(_ phase: HTTP2ServerSession.Phase, since: Int64, now: MonotonicInstant) -> Bool {
        let since = MonotonicInstant(nanoseconds: since)
        switch phase {
        case .request(let received): return RequestDeadline.isOver(since: since, bytes: received, now: now)
        // The server's turn.
        case .answer: return false
        case .taking(let unsent): return RequestDeadline.isOver(since: since, bytes: unsent, now: now)
        // The client's to end; otherwise reset without an error.
        case .rest: return false
        }
    }

    /// Returns true if a client that was answered before it had sent everything has had time to read the answer.
    static func isLeftOver(_ phase: HTTP2ServerSession.Phase, since: Int64, now: MonotonicInstant) -> Bool {
        guard case .rest = phase else { return false }
        return now.since(MonotonicInstant(nanoseconds: since)) >= linger
    }

    private static let linger = Duration.seconds(5)
}
