/// The tries of one connection to a name that may have several addresses: one address after the other.
///
/// Each try has its share of the time that is left, so that an address which says nothing leaves time for the others.
/// A machine without a clock: the driver says how much time is left.
public struct AddressTries: Sendable, Equatable {
    /// What a driver does next.
    public struct Try: Sendable, Equatable {
        /// The address's place in the list.
        public var index: Int
        /// How long all of the try may take: the socket, TLS, a login.
        public var whole: Duration
        /// How long the socket may take; at most ``whole``.
        public var socket: Duration

        /// A try from its parts.
        public init(index: Int, whole: Duration, socket: Duration) {
            self.index = index
            self.whole = whole
            self.socket = socket
        }
    }

    /// Addresses that are tried for one connection.
    ///
    /// Names of clusters in containers have one for each node; what none of four answers is an outage.
    public static let most = 4
    /// How long a socket may take while other addresses follow: a lost SYN is sent again after 1 s (RFC 6298, 2.1).
    public static let socketMost = Duration.seconds(2)

    private let count: Int
    private var tried = 0

    /// Tries of so many addresses, in their order.
    public init(count: Int) {
        self.count = min(count, Self.most)
    }

    /// The next try; nil when no address or no time is left.
    public mutating func next(left: Duration) -> Try? {
        guard left > .zero, tried < count else { return nil }
        let others = count - tried - 1
        let whole = left / (others + 1)
        defer { tried += 1 }
        return Try(index: tried, whole: whole, socket: others == 0 ? whole : min(whole, Self.socketMost))
    }
}
