import NIOCore

/// One connection of a rush; what it hears it tells its ``EdgeLoad``.
///
/// Confined to the load's loop.
protocol EdgeLink: AnyObject {
    /// A request is due: it goes out with the next ``flush()``, or later when the connection takes no more.
    func send(_ number: Int)

    /// Sends what may go.
    func flush()
}

/// How the requests of a rush come to the edge.
enum EdgeWire: Sendable {
    /// From the phones themselves.
    case http1
    /// From a load balancer or proxy that speaks HTTP/2 in the clear to its backends, with prior knowledge (RFC 9113
    /// section 3.3).
    case http2

    /// How many connections there are.
    var connections: Int {
        switch self {
        // Enough that hardly any phone waits for the answer to another one.
        case .http1: 2_048
        // What a few load balancers keep open.
        case .http2: 16
        }
    }

    /// How many requests in a row a connection gets before the next one's turn.
    var inRow: Int {
        switch self {
        // Every one is another phone's.
        case .http1: 1
        // Proxies go on with a connection while it takes more, and the sockets' writes and reads, most of what a phone
        // costs the machine that is measured, are a sixth. No more than that: what a stall has held back is spread.
        case .http2: 16
        }
    }

    /// For people.
    var name: String {
        switch self {
        case .http1: "HTTP/1.1"
        case .http2: "HTTP/2"
        }
    }
}
