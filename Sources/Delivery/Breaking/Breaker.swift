public import Campaigns

/// The breaker of one app with one provider, as the ledger keeps it for the whole fleet (design, section 8).
///
/// Open, every shard of the app is set aside but one: the probe, which one worker runs. Pure: instants are handed in.
public struct Breaker: Sendable, Equatable {
    /// Whether the app's shards are set aside.
    public private(set) var isOpen: Bool
    /// Since when it is open, or closed.
    public private(set) var since: Timestamp
    /// What opened it, in the provider's word or ours.
    public private(set) var reason: String
    /// Probes that failed since it opened.
    public private(set) var failures: Int
    /// Not before this instant a probe begins.
    public private(set) var probeAt: Timestamp
    /// The probe that is under way.
    public private(set) var probe: Probe?

    /// A shard that may be sent while the breaker is open.
    public struct Probe: Sendable, Equatable {
        /// The shard.
        public var key: ShardKey
        /// The worker that runs it; 0 until one has claimed it.
        public var owner: Int64
        /// Its lease: from this instant on another shard may be the probe, so that a killed prober blocks nobody.
        public var until: Timestamp

        /// A probe.
        public init(key: ShardKey, owner: Int64, until: Timestamp) {
            self.key = key
            self.owner = owner
            self.until = until
        }
    }

    /// How a probe ended.
    public enum ProbeResult: Sendable, Equatable {
        /// The provider answered as it should.
        case healthy
        /// It is no better.
        case failed
        /// Nothing was learnt: the campaign was paused or over, or the shard had no device left.
        case nothing
    }

    /// What a worker saw that opens a breaker.
    public struct Trip: Sendable, Equatable {
        /// The provider's word for it, or ours.
        public var reason: String
        /// When the run of faults began.
        public var since: Timestamp
        /// How long the provider asks to be left alone.
        public var rest: Duration?

        /// A trip.
        public init(reason: String, since: Timestamp, rest: Duration? = nil) {
            self.reason = reason
            self.since = since
            self.rest = rest
        }
    }

    /// The first probe comes this long after the opening; each failed one doubles the wait.
    public static let firstRest = Duration.seconds(1)
    /// The longest wait between probes that is our own choice.
    public static let restMax = Duration.seconds(60)
    /// The longest rest that a provider's `Retry-After` gives an app: the ladder's top, too.
    public static let askedRestMax = Duration.seconds(7200)
    /// How long a probe may take: a connection, a stream's deadline, and the rest of a shard.
    public static let probeLease = Duration.seconds(60)
    /// So much later a retry shard may be the probe; two looks of a planner.
    public static let retryPatience = Duration.seconds(1)
    /// After a closing, shards that may go out with each of the planner's looks (every 500 ms) double every second,
    /// from `paceFirst` to `paceMax`: the provider has just come back.
    public static let paceFirst = 4
    /// Shards a look when the provider has been well for a while.
    public static let paceMax = 200

    /// What the ledger has of it.
    public init(
        isOpen: Bool,
        since: Timestamp,
        reason: String,
        failures: Int,
        probeAt: Timestamp,
        probe: Probe?
    ) {
        self.isOpen = isOpen
        self.since = since
        self.reason = reason
        self.failures = failures
        self.probeAt = probeAt
        self.probe = probe
    }

    /// One that opens now.
    public init(opening trip: Trip, now: Timestamp) {
        self.init(isOpen: true, since: now, reason: trip.reason, failures: 0, probeAt: now, probe: nil)
        rest(trip.rest, now: now)
    }

    /// Opens it; false when that changes nothing.
    ///
    /// It is open already, or the faults began before it was closed: a late word of what the probe has refuted.
    public mutating func open(_ trip: Trip, now: Timestamp) -> Bool {
        // A closing that lies ahead was written by a clock that was wrong: it refutes nothing.
        guard !isOpen, trip.since >= since || since > Ahead.done.limit(now) else { return false }
        self = Breaker(opening: trip, now: now)
        return true
    }

    /// Whether a shard of this attempt is to be chosen as the probe.
    ///
    /// Retries come when nobody had a first attempt to offer: they may be devices that always fail.
    public func isProbeDue(attempt: UInt32 = 1, now: Timestamp) -> Bool {
        let patience = attempt > 1 ? Self.retryPatience : .zero
        guard isOpen, Ahead.breakerRest.isPassed(probeAt, now: now.advanced(by: .zero - patience)) else { return false }
        return probe.map { Ahead.probe.isPassed($0.until, now: now) } ?? true
    }

    /// A shard was chosen.
    public mutating func begin(_ key: ShardKey, now: Timestamp) {
        probe = Probe(key: key, owner: 0, until: now.advanced(by: Self.probeLease))
    }

    /// A worker has claimed the probe.
    public mutating func claimed(_ key: ShardKey, by worker: Int64, now: Timestamp) {
        guard isOpen, probe?.key == key else { return }
        probe = Probe(key: key, owner: worker, until: now.advanced(by: Self.probeLease))
    }

    /// A probe ended; false when it was not this breaker's any more.
    public mutating func ended(_ key: ShardKey, _ result: ProbeResult, now: Timestamp) -> Bool {
        guard isOpen, probe?.key == key else { return false }
        probe = nil
        switch result {
        case .healthy:
            isOpen = false
            since = now
            failures = 0
        case .failed:
            failures += 1
            rest(nil, now: now)
        case .nothing: probeAt = now
        }
        return true
    }

    /// A person has looked: the next probe is due at once.
    public mutating func hurry(now: Timestamp) {
        if isOpen { probeAt = min(probeAt, now) }
    }

    private mutating func rest(_ asked: Duration?, now: Timestamp) {
        let own = min(Self.firstRest * (1 << min(failures, 16)), Self.restMax)
        probeAt = now.advanced(by: max(own, min(asked ?? .zero, Self.askedRestMax)))
    }

    /// What campaigns of the app see of it.
    public var gate: Gate { isOpen ? .open(probe: probe?.key) : .closed(since: since) }

    /// A breaker as one shard meets it.
    public enum Gate: Sendable, Equatable {
        /// Everything goes through; since when, if it ever was open.
        case closed(since: Timestamp?)
        /// Only the probe goes through.
        case open(probe: ShardKey?)

        /// Whether the app's shards are set aside.
        public var isOpen: Bool {
            if case .open = self { return true }
            return false
        }

        /// Whether this shard is the probe of an open breaker.
        public func isProbe(_ key: ShardKey) -> Bool { self == .open(probe: key) }

        /// How many shards may go out with one look of the planner.
        public func pace(now: Timestamp) -> Int {
            guard case .closed(let since?) = self, since <= Ahead.done.limit(now) else { return Breaker.paceMax }
            let seconds = max(0, min(now.seconds - since.seconds, 8))
            return min(Breaker.paceMax, Breaker.paceFirst << Int(seconds))
        }
    }
}
