public import Campaigns

/// Which push services of strangers are out, as one event loop sees it: each rests by itself.
///
/// Where whoever registers a device names the push service, one that is out says nothing of the others, and anybody can
/// have one that is always out. So it opens no breaker: its devices take their rungs, charged, and while it rests those of
/// later shards do so without a request. The first fault after a rest begins a longer one, the first good answer ends it.
/// Pure: instants are handed in. At most `originsMax` are remembered.
public struct OriginRests<Origin: Hashable & Sendable>: Sendable {
    private struct Rest: Sendable {
        var until: Timestamp
        var faults: Int
        var reason: String
    }

    private var rests: RecentlyUsed<Origin, Rest>

    /// Push services that are remembered at most.
    public static var originsMax: Int { 8192 }
    /// The first rest; each fault after one doubles it.
    public static var firstRest: Duration { .seconds(5) }
    /// The longest rest that is our own choice.
    public static var restMax: Duration { .seconds(300) }
    /// The longest rest that a push service's `Retry-After` gives it.
    public static var askedRestMax: Duration { Breaker.askedRestMax }

    /// None is out.
    public init(most: Int = Self.originsMax) {
        rests = RecentlyUsed(most: most)
    }

    /// A push service is out.
    public mutating func begin(_ origin: Origin, _ trip: Breaker.Trip, now: Timestamp) {
        let faults = rests[origin]?.faults ?? 0
        let own = min(Self.firstRest * (1 << min(faults, 16)), Self.restMax)
        let rest = max(own, min(trip.rest ?? .zero, Self.askedRestMax))
        rests[origin] = Rest(until: now.advanced(by: rest), faults: faults + 1, reason: trip.reason)
    }

    /// Why its devices are not asked now; nil when they are.
    public mutating func reason(_ origin: Origin, now: Timestamp) -> String? {
        guard let rest = rests[origin], now < rest.until else { return nil }
        return rest.reason
    }

    /// Whether it was out and has not given a good answer since: then one fault is enough.
    public mutating func isDoubted(_ origin: Origin) -> Bool { rests[origin] != nil }

    /// It has given a good answer.
    public mutating func end(_ origin: Origin) { rests[origin] = nil }
}
