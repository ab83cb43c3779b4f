import Logging

/// The log of a simulated process, as lines of the trace; without values that differ between machines.
struct TracedLog: LogHandler {
    let host: String
    let trace: Trace
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    /// The metadata that names files and addresses of this machine.
    private static let local: Set<String> = ["ledger", "metrics"]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let values = (event.metadata ?? [:]).filter { !Self.local.contains($0.key) }.sorted { $0.key < $1.key }
        let text = values.map { " \($0.key)=\($0.value)" }.joined()
        trace.note(host, "\(event.level): \(event.message)\(text)")
        trace.logged("\(event.message)")
    }
}
