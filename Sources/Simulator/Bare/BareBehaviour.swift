/// What the bare server does besides answering 200, as cheaply as that.
///
/// It reads nothing of a request, so that shares are of requests, evenly spread, and not of device tokens.
public struct BareBehaviour: Sendable, Equatable {
    /// Every answer is held back so long, in milliseconds.
    public var latencyMilliseconds = 0
    /// Each so-manieth request of a connection is answered 410 Unregistered (FCM: 404); 0 is none.
    public var deadEvery = 0
    /// Each so-manieth request of a connection is answered 503 ServiceUnavailable; 0 is none.
    public var unavailableEvery = 0
    /// A connection gets GOAWAY after so many requests, and those of later streams are ignored; 0 is never.
    public var goAwayEvery = 0
    /// Answers a second over all connections of one event loop at most; 0 is as many as can be.
    public var answersPerSecond = 0

    /// Answers in FCM's form, token endpoint included, instead of APNs'.
    public var playsFCM = false

    /// Answers everything with 200 at once.
    public init() {}

    /// The same from faults of the simulator; throws the names of those that the bare server does not know.
    public init(_ faults: Faults) throws(FaultsError) {
        var known = Faults()
        known.latencyMilliseconds = faults.latencyMilliseconds
        known.dead = faults.dead
        known.unavailable = faults.unavailable
        known.goAwayEvery = faults.goAwayEvery
        guard known == faults, faults.latencyMilliseconds.count == 1 else {
            throw FaultsError(message: "--bare knows latency (one number), dead, unavailable and goaway_every only")
        }
        latencyMilliseconds = faults.latencyMilliseconds.lowerBound
        deadEvery = Self.every(faults.dead)
        unavailableEvery = Self.every(faults.unavailable)
        goAwayEvery = faults.goAwayEvery
    }

    /// Each so-manieth of a share: 20 of 0.05.
    private static func every(_ share: Double) -> Int { share > 0 ? Int((1 / share).rounded()) : 0 }

    /// Whether answers wait for a time of theirs.
    var holdsBack: Bool { latencyMilliseconds > 0 || answersPerSecond > 0 }
}

/// What a bare server has seen since it started.
public struct BareCounts: Sendable, Equatable {
    /// Requests that were answered, with whatever status.
    public var answered = 0
    /// Of these, answers 410.
    public var dead = 0
    /// Of these, answers 503.
    public var unavailable = 0
    /// Requests above the last stream of a GOAWAY: known to the sender as not processed.
    public var ignored = 0
    /// GOAWAYs sent.
    public var goAways = 0
    /// Access tokens given out; not among the answered requests.
    public var tokenFetches = 0
    /// Connections whose TLS was established.
    public var connections = 0

    /// Nothing seen.
    public init() {}

    /// The sum of two.
    static func += (left: inout BareCounts, right: BareCounts) {
        left.answered += right.answered
        left.dead += right.dead
        left.unavailable += right.unavailable
        left.ignored += right.ignored
        left.goAways += right.goAways
        left.tokenFetches += right.tokenFetches
        left.connections += right.connections
    }

    /// All numbers as one JSON object.
    public var json: String {
        let members =
            [
                ("answered", answered), ("dead", dead), ("unavailable", unavailable), ("ignored", ignored),
                ("goaways", goAways), ("connections", connections),
            ] + (tokenFetches > 0 ? [("token_fetches", tokenFetches)] : [])
        return "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }
}
