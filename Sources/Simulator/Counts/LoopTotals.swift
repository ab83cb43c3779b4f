/// The running totals of one event loop for one provider.
struct LoopTotals {
    var accepted: UInt64 = 0
    /// Answers by status.
    var statuses: [Int: UInt64] = [:]
    var reasons: [String: UInt64] = [:]
    var refused: UInt64 = 0
    var reset: UInt64 = 0
    var stalled: UInt64 = 0
    var asides: UInt64 = 0
    var connectionsOpened: UInt64 = 0
    var connectionsOpen = 0
    var handshakesFailed: UInt64 = 0
    var goAways: UInt64 = 0
    var streamsMost = 0
    var streamsMostUnauthenticated = 0

    mutating func note(_ reaction: Reaction) {
        switch reaction {
        case .refuse: refused += 1
        case .reset: reset += 1
        case .stall: stalled += 1
        case .answer(let answer):
            statuses[answer.status, default: 0] += 1
            if answer.isAccepted { accepted += 1 }
            if let reason = answer.reason { reasons[reason, default: 0] += 1 }
        }
    }

    /// Resets the totals, except the number of open connections.
    mutating func forget() {
        let open = connectionsOpen
        self = LoopTotals()
        connectionsOpen = open
    }

    func add(to statistics: inout Statistics) {
        statistics.accepted += accepted
        statistics.statuses.merge(statuses, uniquingKeysWith: +)
        statistics.reasons.merge(reasons, uniquingKeysWith: +)
        statistics.requests += statuses.values.reduce(0, +) + reset + stalled
        statistics.refused += refused
        statistics.reset += reset
        statistics.stalled += stalled
        statistics.asides += asides
        statistics.connectionsOpened += connectionsOpened
        statistics.connectionsOpen += connectionsOpen
        statistics.handshakesFailed += handshakesFailed
        statistics.goAways += goAways
        statistics.streamsMost = max(statistics.streamsMost, streamsMost)
        statistics.streamsMostUnauthenticated = max(
            statistics.streamsMostUnauthenticated,
            streamsMostUnauthenticated
        )
    }
}
