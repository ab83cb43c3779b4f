/// The limits on the number of connections, in total and per address; no I/O.
public struct ConnectionCaps: Sendable {
    /// The fate of an accepted connection.
    public enum Verdict: Sendable, Equatable {
        /// It stays.
        case accept
        /// It is closed at once.
        case refuse(EdgeReason)
    }

    /// The limit on all open connections.
    public let total: Int
    /// The limit on open connections of one IPv4 address, or of one IPv6 network of 64 bits.
    public let ofAddress: Int
    /// The number of open connections.
    public private(set) var open = 0
    private var byAddress: [ClientAddress: Int] = [:]

    /// Returns the descriptors reserved for the ledger, the broker, files and late comers: an eighth, at least 64.
    public static func reserve(descriptors: Int) -> Int { max(64, descriptors / 8) }

    /// Caps for one of `listeners` addresses of a process that may have this many descriptors; one client address gets
    /// half.
    ///
    /// `total` and `ofAddress` are an operator's settings; 0 means unset.
    public init(descriptors: Int, listeners: Int, total: Int = 0, ofAddress: Int = 0) {
        let share = max(8, (descriptors - Self.reserve(descriptors: descriptors)) / max(1, listeners))
        self.total = total > 0 ? min(total, share) : share
        self.ofAddress = ofAddress > 0 ? ofAddress : max(4, self.total / 2)
    }

    /// True if another connection may be accepted; otherwise accepting waits until one ends.
    public var hasRoom: Bool { open < total }

    /// True if so many connections are open that silent ones have to go sooner.
    public var isFull: Bool { open >= total - total / 8 }

    /// Notes that a connection was accepted.
    public mutating func opened() { open += 1 }

    /// Notes that an accepted connection has ended.
    public mutating func closed() { open -= 1 }

    /// Counts a connection's client address once it is known: at once, or when a trusted proxy has named it.
    ///
    /// A trusted proxy's own connections have no client address, and are not counted here.
    public mutating func named(_ address: ClientAddress) -> Verdict {
        let network = address.network
        guard byAddress[network, default: 0] < ofAddress else { return .refuse(.addressConnections) }
        byAddress[network, default: 0] += 1
        return .accept
    }

    /// Notes the end of a connection whose address was counted.
    public mutating func left(_ address: ClientAddress) {
        let network = address.network
        guard let count = byAddress[network] else { return }
        byAddress[network] = count > 1 ? count - 1 : nil
    }
}
