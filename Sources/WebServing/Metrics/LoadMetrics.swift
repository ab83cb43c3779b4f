import Delivery
import Operations

/// The metrics of connections: bytes held, counts, refusals, and the end of the certificate.
package struct LoadMetrics: Sendable {
    /// The bytes that all connections hold together.
    let budget: ProcessBudget
    let refused: [EdgeReason: Int]
    /// The connections of each listening address.
    let connections: [(listener: String, caps: ConnectionCaps)]

    /// The end of the certificate in seconds since 1970; nil for HTTP in the clear.
    let certificateEnd: Int64?

    /// Takes the current values.
    init(
        _ load: ProcessLoad,
        _ limiters: [(listener: String, limiter: ConnectionLimiter)],
        certificateEnd: Int64?
    ) {
        self.certificateEnd = certificateEnd
        (budget, refused) = load.metrics
        connections = limiters.map { ($0.listener, $0.limiter.metrics) }
    }

    func write(to text: inout Exposition) {
        if let certificateEnd {
            let name = "fanfare_certificate_end_timestamp_seconds"
            text.single(name, .gauge, "End of the certificate of all addresses, in seconds since 1970.", certificateEnd)
        }
        text.single("fanfare_http_held_bytes", .gauge, "Bytes that connections hold.", budget.held)
        text.single("fanfare_http_held_bytes_max", .gauge, "Bytes that they may hold together.", budget.bytesMax)
        let answering = "fanfare_http_answering"
        text.single(answering, .gauge, "Requests of the edge that are being answered.", budget.answering)
        text.single(answering + "_max", .gauge, "Requests that may be answered at once.", budget.answeringMax)
        let open = "fanfare_http_connections"
        text.family(open, .gauge, "Connections that are open, by the address that they came to.")
        for (listener, caps) in connections { text.sample(open, [("listener", listener)], caps.open) }
        let most = "fanfare_http_connections_max"
        text.family(most, .gauge, "Connections that may be open; then accepting waits.")
        for (listener, caps) in connections { text.sample(most, [("listener", listener)], caps.total) }
        let name = "fanfare_http_refused_total"
        text.family(name, .counter, "Requests refused and connections ended because of what they cost, by reason.")
        for reason in EdgeReason.allCases {
            text.sample(name, [("reason", reason.rawValue)], refused[reason, default: 0])
        }
    }
}
