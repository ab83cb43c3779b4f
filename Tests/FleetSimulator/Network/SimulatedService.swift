/// A server on the simulated network: accepts connections and speaks its protocol's bytes.
protocol SimulatedService: AnyObject {
    /// The host that it runs on.
    var host: SimulatedHost { get }
    /// False while nobody listens: connections are refused.
    var isListening: Bool { get }
    /// Takes a connection.
    func accept(_ connection: SimulatedConnection) -> any SimulatedSession
}

/// The server's side of one connection.
protocol SimulatedSession: AnyObject {
    func received(_ bytes: [UInt8])
    /// Sees what the client sends as it sends it.
    func written(_ bytes: [UInt8])
    /// Sees what the client has received as it does.
    func read(_ bytes: [UInt8])
    /// Notes that the client closed or the connection broke.
    func ended()
}

extension SimulatedSession {
    func written(_ bytes: [UInt8]) {}
    func read(_ bytes: [UInt8]) {}
}
