/// How many connections there may be, in all and of one address; no I/O.
public struct ConnectionCaps: Sendable {
    /// What becomes of a connection that was accepted.
    public enum Verdict: Sendable, Equatable {
        /// It stays.
        case accept
        /// It is closed at once.
        case refuse(EdgeReason)
    }

    /// Connections at once.
    public let total: Int
    /// Connections at once of one IPv4 address, or of one IPv6 network of 64 bits.
    public let ofAddress: Int
    /// Those that are open.
    public private(set) var open = 0
    private var byAddress: [ClientAddress: Int] = [:]

    /// Descriptors that are left to the ledger, the broker, files and whoever comes last: at least 64, an eighth.
    public static func reserve(descriptors: Int) -> Int { max(64, descriptors / 8) }

    /// Caps for one of `listeners` addresses of a process that may have so many descriptors; half of them for one address.
    ///
    /// `total` and `ofAddress` are what an operator has said; 0 is nothing.
    public init(descriptors: Int, listeners: Int, total: Int = 0, ofAddress: Int = 0) {
        let share = max(8, (descriptors - Self.reserve(descriptors: descriptors)) / max(1, listeners))
        self.total = total > 0 ? min(total, share) : share
        self.ofAddress = ofAddress > 0 ? ofAddress : max(4, self.total / 2)
    }

    /// Whether another one may be accepted; otherwise accepting waits for one to end.
    public var hasRoom: Bool { open < total }

    /// Whether so many are open that those who say nothing have to go sooner.
    public var isFull: Bool { open >= total - total / 8 }

    /// A connection was accepted.
    public mutating func opened() { open += 1 }

    /// A connection that was accepted has ended.
    public mutating func closed() { open -= 1 }

    /// Where a connection comes from is known: at once, or when a trusted proxy has said it.
    ///
    /// A trusted proxy's own connections are nobody's, and are not counted here.
    public mutating func named(_ address: ClientAddress) -> Verdict {
        let network = address.network
        guard byAddress[network, default: 0] < ofAddress else { return .refuse(.addressConnections) }
        byAddress[network, default: 0] += 1
        return .accept
    }

    /// A connection has ended whose address was counted.
    public mutating func left(_ address: ClientAddress) {
        let network = address.network
        guard let count = byAddress[network] else { return }
        byAddress[network] = count > 1 ? count - 1 : nil
    }
}
