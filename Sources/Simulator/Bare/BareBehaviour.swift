/// The cheap faults that the bare server can add to answering 200.
///
/// The server reads nothing of a request, so the shares are of requests, evenly spread, and not of device tokens.
public struct BareBehaviour: Sendable, Equatable {
    /// The delay of every answer in milliseconds.
    public var latencyMilliseconds = 0
    /// The interval in requests of a connection at which one is answered 410 Unregistered (FCM: 404); 0 is never.
    public var deadEvery = 0
    /// The interval in requests of a connection at which one is answered 503 ServiceUnavailable; 0 is never.
    public var unavailableEvery = 0
    /// The requests of a connection after which it gets GOAWAY, later streams being ignored; 0 is never.
    public var goAwayEvery = 0
    /// The most answers per second over all connections of one event loop; 0 is unlimited.
    public var answersPerSecond = 0

    /// True if answers have FCM's form, token endpoint included, instead of APNs'.
    public var playsFCM = false

    /// Creates a behavior that answers everything with 200 at once.
    public init() {}

    /// Creates the behavior from faults of the simulator; throws the names of those that the bare server does not
    /// support.
    public init(_ faults: Faults) throws(FaultsError) {
        var known = Faults()
        known.latencyMilliseconds = faults.latencyMilliseconds
        known.dead = faults.dead
        known.unavailable = faults.unavailable
        known.goAwayEvery = faults.goAwayEvery
        guard known == faults, faults.latencyMilliseconds.count == 1 else {
            throw FaultsError(message: "--bare supports only latency (one number), dead, unavailable and goaway_every")
        }
        latencyMilliseconds = faults.latencyMilliseconds.lowerBound
        deadEvery = Self.every(faults.dead)
        unavailableEvery = Self.every(faults.unavailable)
        goAwayEvery = faults.goAwayEvery
    }

    /// Returns the interval for a share: 20 for 0.05.
    private static func every(_ share: Double) -> Int { share > 0 ? Int((1 / share).rounded()) : 0 }

    /// True if answers are delayed.
    var holdsBack: Bool { latencyMilliseconds > 0 || answersPerSecond > 0 }
}

/// The counts of a bare server since its start.
public struct BareCounts: Sendable, Equatable {
    /// Requests that were answered, with any status.
    public var answered = 0
    /// Answers with 410, among ``answered``.
    public var dead = 0
    /// Answers with 503, among ``answered``.
    public var unavailable = 0
    /// Requests above the last stream of a GOAWAY, which the sender knows were not processed.
    public var ignored = 0
    /// GOAWAYs sent.
    public var goAways = 0
    /// Access tokens issued; not among the answered requests.
    public var tokenFetches = 0
    /// Connections that completed the TLS handshake.
    public var connections = 0

    /// Creates counts of zero.
    public init() {}

    /// Adds other counts.
    static func += (left: inout BareCounts, right: BareCounts) {
        left.answered += right.answered
        left.dead += right.dead
        left.unavailable += right.unavailable
        left.ignored += right.ignored
        left.goAways += right.goAways
        left.tokenFetches += right.tokenFetches
        left.connections += right.connections
    }

    /// The counts as one JSON object.
    public var json: String {
        let members =
            [
                ("answered", answered), ("dead", dead), ("unavailable", unavailable), ("ignored", ignored),
                ("goaways", goAways), ("connections", connections),
            ] + (tokenFetches > 0 ? [("token_fetches", tokenFetches)] : [])
        return "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }
}
