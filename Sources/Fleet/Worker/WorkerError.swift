/// Why a worker does not start: one clear line each.
public enum WorkerError: Error, CustomStringConvertible {
    /// Exchanges, queues or policies are missing or different; a line each.
    case topology([String])

    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .topology(let lines):
            (lines.first ?? "the topology differs") + (lines.count > 1 ? " (and \(lines.count - 1) more)" : "")
        }
    }
}
