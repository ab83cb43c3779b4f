/// One connection of a rush; reports to its ``EdgeLoad``.
///
/// Confined to the load's loop.
protocol EdgeLink: AnyObject {
    /// Queues a request that is due: it leaves with the next ``flush()``, or later when the connection takes no more.
    func send(_ number: Int)

    /// Sends as much as the connection takes.
    func flush()
}

/// The path of a rush's requests to the edge.
enum EdgeWire: Sendable {
    /// From the phones themselves.
    case http1
    /// From a load balancer or proxy that speaks HTTP/2 in the clear to its backends, with prior knowledge (RFC 9113
    /// section 3.3).
    case http2

    /// The number of connections.
    var connections: Int {
        switch self {
        // Enough that hardly any phone waits for another one's answer.
        case .http1: 2_048
        // As many as a few load balancers keep open.
        case .http2: 16
        }
    }

    /// The number of consecutive requests on one connection before the next one's turn.
    var inRow: Int {
        switch self {
        // Each request is from another phone.
        case .http1: 1
        // Proxies keep using a connection while it takes more, which cuts the sockets' writes and reads, most of a
        // phone's cost to the measured machine, to a sixth. Not more: requests held back by a stall are spread.
        case .http2: 16
        }
    }

    /// The name for people.
    var name: String {
        switch self {
        case .http1: "HTTP/1.1"
        case .http2: "HTTP/2"
        }
    }
}
