/// Decides which of a connection's requests take the fast path, so that answers leave in the order of their requests
/// (RFC 9112, section 9.3.2); no I/O.
///
/// The fast path holds one request at a time, and later input waits. A request that arrives while others are on the
/// common path follows them there.
struct FastPathOrder {
    /// The path of a request's parts.
    enum Way: Equatable {
        case fast, common
    }

    /// The path of the parts that follow the last head.
    private(set) var way = Way.common
    /// True while a complete request of the fast path is unanswered: new input has to wait.
    private(set) var isAnswering = false
    private var unansweredOnCommonPath = 0

    /// Records a request's head and chooses its path.
    mutating func began(fits: Bool) -> Way {
        way = fits && unansweredOnCommonPath == 0 ? .fast : .common
        if way == .common { unansweredOnCommonPath += 1 }
        return way
    }

    /// Records the end of the last request.
    mutating func ended() { isAnswering = way == .fast }

    /// Records that the fast path's answer is written.
    mutating func answered() { isAnswering = false }

    /// Records that an answer of the common path is completely written.
    mutating func answeredOnCommonPath() { unansweredOnCommonPath -= 1 }
}
