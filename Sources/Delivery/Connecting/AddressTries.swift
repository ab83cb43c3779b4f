/// The tries of one connection to a name that may have several addresses: one address after the other.
///
/// Each try has its share of the remaining time, so that an unresponsive address leaves time for the others. A machine
/// without a clock: the driver passes the remaining time.
public struct AddressTries: Sendable, Equatable {
    /// A driver's next step.
    public struct Try: Sendable, Equatable {
        /// The address's index in the list.
        public var index: Int
        /// The time limit for the whole try: the socket, TLS and a login.
        public var whole: Duration
        /// The time limit for the socket; at most ``whole``.
        public var socket: Duration

        /// A try from its parts.
        public init(index: Int, whole: Duration, socket: Duration) {
            self.index = index
            self.whole = whole
            self.socket = socket
        }
    }

    /// The number of addresses that are tried for one connection.
    ///
    /// Names of clusters in containers have one for each node; if four do not answer, it is an outage.
    public static let most = 4
    /// The time limit for a socket while other addresses follow: a lost SYN is sent again after 1 s (RFC 6298, 2.1).
    public static let socketMost = Duration.seconds(2)

    private let count: Int
    private var tried = 0

    /// Tries of this many addresses, in their order.
    public init(count: Int) {
        self.count = min(count, Self.most)
    }

    /// Returns the next try; nil if no address or no time is left.
    public mutating func next(left: Duration) -> Try? {
        guard left > .zero, tried < count else { return nil }
        let others = count - tried - 1
        let whole = left / (others + 1)
        defer { tried += 1 }
        return Try(index: tried, whole: whole, socket: others == 0 ? whole : min(whole, Self.socketMost))
    }
}
