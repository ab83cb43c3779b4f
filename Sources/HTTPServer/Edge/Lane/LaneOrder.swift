/// Which of a connection's requests take the lane, so that answers leave in the order of their requests (RFC 9112, section
/// 9.3.2); no I/O.
///
/// One request at a time is in the lane, and what comes behind it waits. A request that comes while others are on the
/// common way follows them there.
struct LaneOrder {
    /// Where parts of a request go.
    enum Way: Equatable {
        case lane, common
    }

    /// Where the parts go that follow the last head.
    private(set) var way = Way.common
    /// A request of the lane is read to its end and not answered yet: what comes has to wait.
    private(set) var isAnswering = false
    private var unansweredOnCommonWay = 0

    /// A request begins.
    mutating func began(fitsLane: Bool) -> Way {
        way = fitsLane && unansweredOnCommonWay == 0 ? .lane : .common
        if way == .common { unansweredOnCommonWay += 1 }
        return way
    }

    /// The last request is read to its end.
    mutating func ended() { isAnswering = way == .lane }

    /// The answer from the lane is written.
    mutating func answered() { isAnswering = false }

    /// An answer from the common way is written to its end.
    mutating func answeredOnCommonWay() { unansweredOnCommonWay -= 1 }
}
