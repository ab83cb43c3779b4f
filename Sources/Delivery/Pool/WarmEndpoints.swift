/// The endpoints to which an event loop keeps a connection while there is nothing to send, by their recent use.
///
/// A handshake with a provider costs two or three round trips, and APNs then takes one request until it has read the
/// provider token. An app that sends often should not pay that with each campaign. Providers dislike thousands of idle
/// connections, so the number is bounded for a worker, and for each host over the whole fleet.
///
/// Each minute in which an endpoint was used counts 1, half as much an hour later, and so on. An endpoint is kept while
/// its sum is a half or more: for an hour after one campaign, for two after two in a row, for seven after a day of
/// constant sending. When there are too many, those with the largest sums are kept.
///
/// One for each event loop; the caller passes the time.
public struct WarmEndpoints<Endpoint: Hashable & Sendable>: Sendable {
    /// The bounds for one event loop.
    public struct Limits: Sendable, Equatable {
        /// The most endpoints of the loop.
        public var most: Int
        /// The most endpoints of the loop at one host.
        public var ofHost: Int

        /// Bounds, each at least 0.
        public init(most: Int, ofHost: Int) {
            self.most = max(0, most)
            self.ofHost = max(0, ofHost)
        }

        /// Shares a worker's limit among its loops, and the fleet's limit for a host among the loops of all workers.
        ///
        /// A share is at least 1: a loop without one would make some of an app's campaigns slow for no visible reason.
        /// - Parameters:
        ///   - worker: The most connections that a worker keeps (`worker.warm_connections`); 0 for none.
        ///   - loops: The event loops of this worker, at least 1.
        ///   - workers: The workers of the fleet that send, this one included.
        public init(worker: Int, loops: Int, workers: Int) {
            guard worker > 0 else {
                self.init(most: 0, ofHost: 0)
                return
            }
            let ofHost = WarmEndpoints.hostMax / (max(1, workers) * max(1, loops))
            self.init(most: max(1, worker / max(1, loops)), ofHost: max(1, ofHost))
        }
    }

    /// The most connections that a whole fleet keeps to one host, as long as it has no more event loops than that.
    ///
    /// Apple names no number. A fleet of 512 loops sends to millions of devices in seconds.
    public static var hostMax: Int { 512 }
    /// The time after which a use counts half.
    public static var halfLife: Duration { .seconds(3600) }
    /// The sum below which an endpoint is not kept.
    public static var least: Double { 0.5 }
    /// The time within which further uses count as the same one.
    public static var useSpan: Duration { .seconds(60) }
    /// The time for which ``needed(_:host:now:)`` holds; it is repeated every half second.
    public static var needSpan: Duration { .seconds(30) }

    private struct Use: Sendable {
        var host: String
        /// The sum as of `countedAt`.
        var sum = 0.0
        var countedAt: MonotonicInstant
        var neededUntil: MonotonicInstant?
    }

    private var uses: [Endpoint: Use] = [:]

    /// No endpoint was used.
    public init() {}

    /// The number of endpoints that are remembered.
    public var count: Int { uses.count }

    /// Notes that requests go to an endpoint.
    public mutating func used(_ endpoint: Endpoint, host: String, now: MonotonicInstant) {
        guard var use = uses[endpoint] else {
            uses[endpoint] = Use(host: host, sum: 1, countedAt: now)
            return
        }
        // The first use may have been a need, which counts nothing.
        guard use.sum == 0 || now.since(use.countedAt) >= Self.useSpan else { return }
        use.sum = Self.sum(use, now) + 1
        use.countedAt = now
        use.host = host
        uses[endpoint] = use
    }

    /// Notes that a campaign may be fired at any moment that needs an endpoint: it is kept whatever the limits.
    public mutating func needed(_ endpoint: Endpoint, host: String, now: MonotonicInstant) {
        uses[endpoint, default: Use(host: host, countedAt: now)].neededUntil = now.advanced(by: Self.needSpan)
    }

    /// Returns the endpoints to keep a connection to, and forgets those that were not used for long.
    ///
    /// Those that are needed come first, then those of the largest sums.
    public mutating func kept(within limits: Limits, now: MonotonicInstant) -> [Endpoint] {
        let ranked = uses.map { (endpoint: $0.key, use: $0.value, sum: Self.sum($0.value, now)) }
            .sorted { ($0.sum, $0.use.countedAt) > ($1.sum, $1.use.countedAt) }
        let needed = ranked.filter { $0.use.neededUntil.map { $0 > now } ?? false }
        var kept: [Endpoint] = []
        var hosts: [String: Int] = [:]
        func keep(_ endpoint: Endpoint, _ host: String) {
            kept.append(endpoint)
            hosts[host, default: 0] += 1
        }
        for one in needed { keep(one.endpoint, one.use.host) }
        let isNeeded = Set(kept)
        for one in ranked where !isNeeded.contains(one.endpoint) {
            guard one.sum >= Self.least else {
                uses[one.endpoint] = nil
                continue
            }
            guard kept.count < limits.most, hosts[one.use.host, default: 0] < limits.ofHost else { continue }
            keep(one.endpoint, one.use.host)
        }
        return kept
    }

    /// The sum at this instant; between whole half-lives along a straight line.
    private static func sum(_ use: Use, _ now: MonotonicInstant) -> Double {
        let lives = max(0, now.since(use.countedAt) / halfLife)
        let whole = min(62, Int(min(lives, 62)))
        let rest = min(1, lives - Double(whole))
        return use.sum / Double(1 << whole) * (1 - rest / 2)
    }
}
