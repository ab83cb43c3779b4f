public import Campaigns

/// The cooldowns of push services that strangers name, as one event loop sees them.
///
/// Whoever registers a device names the push service. One that is out says nothing about the others, and anybody can
/// run one that is always out. So it opens no breaker. Its devices take their rungs and are charged; during the
/// cooldown, those of later shards do so without a request. The first fault after a cooldown begins a longer one, and
/// the first good answer ends it. Pure: the caller passes the time. At most `originsMax` are remembered.
public struct OriginCooldowns<Origin: Hashable & Sendable>: Sendable {
    private struct Rest: Sendable {
        var until: Timestamp
        var faults: Int
        var reason: String
    }

    private var cooldowns: RecentlyUsed<Origin, Rest>

    /// The number of push services that are remembered.
    public static var originsMax: Int { 8192 }
    /// The first cooldown; each fault after one doubles it.
    public static var firstRest: Duration { .seconds(5) }
    /// The longest cooldown that we choose ourselves.
    public static var restMax: Duration { .seconds(300) }
    /// The longest cooldown that a push service's `Retry-After` can set.
    public static var askedRestMax: Duration { Breaker.askedRestMax }

    /// No push service is out.
    public init(most: Int = Self.originsMax) {
        cooldowns = RecentlyUsed(most: most)
    }

    /// Begins a cooldown: the push service is out.
    public mutating func begin(_ origin: Origin, _ trip: Breaker.Trip, now: Timestamp) {
        let faults = cooldowns[origin]?.faults ?? 0
        let own = min(Self.firstRest * (1 << min(faults, 16)), Self.restMax)
        let rest = max(own, min(trip.rest ?? .zero, Self.askedRestMax))
        cooldowns[origin] = Rest(until: now.advanced(by: rest), faults: faults + 1, reason: trip.reason)
    }

    /// The reason for the cooldown in progress; nil if its devices are sent to.
    public mutating func reason(_ origin: Origin, now: Timestamp) -> String? {
        guard let rest = cooldowns[origin], now < rest.until else { return nil }
        return rest.reason
    }

    /// Returns true if it was out and has not given a good answer since: then one fault is enough.
    public mutating func isDoubted(_ origin: Origin) -> Bool { cooldowns[origin] != nil }

    /// Ends the cooldown: the push service has given a good answer.
    public mutating func end(_ origin: Origin) { cooldowns[origin] = nil }
}
