/// The reason why a worker does not start, in one clear line.
package enum WorkerError: Error, CustomStringConvertible {
    /// The broker's exchanges, queues or policies are missing or different; a line each.
    case topology([String])
    /// The address of metrics and probes cannot be used.
    case listen(address: String, reason: String)

    /// The problem and its fix.
    package var description: String {
        switch self {
        case .topology(let lines):
            (lines.first ?? "the topology differs") + (lines.count > 1 ? " (and \(lines.count - 1) more)" : "")
        case .listen(let address, let reason):
            "worker.listen: cannot listen on \(address): \(reason); name a free address, or leave the key out and the "
                + "worker takes the next free port from 9464 on"
        }
    }
}
