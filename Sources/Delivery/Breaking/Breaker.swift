public import Campaigns

/// The breaker of one app with one provider, as the ledger keeps it for the whole fleet (design, section 8).
///
/// While it is open, every shard of the app is set aside except the probe, which one worker runs. Pure: the caller
/// passes the time.
public struct Breaker: Sendable, Equatable {
    /// True while the app's shards are set aside.
    public private(set) var isOpen: Bool
    /// The instant at which it opened or closed.
    public private(set) var since: Timestamp
    /// The reason for opening, in the provider's words or ours.
    public private(set) var reason: String
    /// The probes that failed since it opened.
    public private(set) var failures: Int
    /// The earliest instant at which the next probe may begin.
    public private(set) var probeAt: Timestamp
    /// The probe in progress.
    public private(set) var probe: Probe?

    /// A shard that may be sent while the breaker is open.
    public struct Probe: Sendable, Equatable {
        /// The shard.
        public var key: ShardKey
        /// The worker that runs it; 0 until one has claimed it.
        public var owner: Int64
        /// The end of its lease, after which another shard may be the probe, so that a killed worker blocks nobody.
        public var until: Timestamp

        /// A probe.
        public init(key: ShardKey, owner: Int64, until: Timestamp) {
            self.key = key
            self.owner = owner
            self.until = until
        }
    }

    /// The result of a probe.
    public enum ProbeResult: Sendable, Equatable {
        /// The provider answered normally.
        case healthy
        /// The provider is no better.
        case failed
        /// The probe showed nothing: the campaign was paused or over, or the shard had no device left.
        case nothing
    }

    /// A worker's observation that opens a breaker.
    public struct Trip: Sendable, Equatable {
        /// The reason, in the provider's words or ours.
        public var reason: String
        /// The beginning of the run of faults.
        public var since: Timestamp
        /// The cooldown that the provider asks for.
        public var rest: Duration?

        /// A trip.
        public init(reason: String, since: Timestamp, rest: Duration? = nil) {
            self.reason = reason
            self.since = since
            self.rest = rest
        }
    }

    /// The wait between the opening and the first probe; each failed probe doubles it.
    public static let firstRest = Duration.seconds(1)
    /// The longest wait between probes that we choose ourselves.
    public static let restMax = Duration.seconds(60)
    /// The longest cooldown of an app that a provider's `Retry-After` can set; also the top rung of the ladder.
    public static let askedRestMax = Duration.seconds(7200)
    /// The time that a probe may take: a connection, a stream's deadline and the rest of a shard.
    public static let probeLease = Duration.seconds(60)
    /// The extra wait before a retry shard may be the probe: two polls of a planner.
    public static let retryDelay = Duration.seconds(1)
    /// The number of shards that each poll of the planner (every 500 ms) may release just after the breaker has closed.
    ///
    /// The number doubles every second up to `paceMax`, because the provider has only just come back.
    public static let paceFirst = 4
    /// The number of shards for each poll once the provider has been healthy for a while.
    public static let paceMax = 200

    /// A breaker as the ledger has it.
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

    /// A breaker that opens now.
    public init(opening trip: Trip, now: Timestamp) {
        self.init(isOpen: true, since: now, reason: trip.reason, failures: 0, probeAt: now, probe: nil)
        rest(trip.rest, now: now)
    }

    /// Opens the breaker; returns false if that changes nothing.
    ///
    /// Nothing changes if the breaker is already open, or if the faults began before it closed: the probe has refuted
    /// such a late report.
    public mutating func open(_ trip: Trip, now: Timestamp) -> Bool {
        // A closing in the future was written by a wrong clock, so it refutes nothing.
        guard !isOpen, trip.since >= since || since > FutureLimit.done.limit(now) else { return false }
        self = Breaker(opening: trip, now: now)
        return true
    }

    /// Returns true if a shard of this attempt may be chosen as the probe now.
    ///
    /// Retries have to wait longer, until no first attempt was on offer: they may consist of devices that always fail.
    public func isProbeDue(attempt: UInt32 = 1, now: Timestamp) -> Bool {
        let delay = attempt > 1 ? Self.retryDelay : .zero
        guard isOpen, FutureLimit.breakerCooldown.isPassed(probeAt, now: now.advanced(by: .zero - delay)) else {
            return false
        }
        return probe.map { FutureLimit.probe.isPassed($0.until, now: now) } ?? true
    }

    /// Notes that a shard was chosen as the probe.
    public mutating func begin(_ key: ShardKey, now: Timestamp) {
        probe = Probe(key: key, owner: 0, until: now.advanced(by: Self.probeLease))
    }

    /// Notes that a worker has claimed the probe.
    public mutating func claimed(_ key: ShardKey, by worker: Int64, now: Timestamp) {
        guard isOpen, probe?.key == key else { return }
        probe = Probe(key: key, owner: worker, until: now.advanced(by: Self.probeLease))
    }

    /// Ends a probe; returns false if it is no longer this breaker's probe.
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

    /// Makes the next probe due at once, because an operator has stepped in.
    public mutating func expedite(now: Timestamp) {
        if isOpen { probeAt = min(probeAt, now) }
    }

    private mutating func rest(_ asked: Duration?, now: Timestamp) {
        let own = min(Self.firstRest * (1 << min(failures, 16)), Self.restMax)
        probeAt = now.advanced(by: max(own, min(asked ?? .zero, Self.askedRestMax)))
    }

    /// The breaker's state as campaigns of the app see it.
    public var gate: Gate { isOpen ? .open(probe: probe?.key) : .closed(since: since) }

    /// A breaker's state as one shard meets it.
    public enum Gate: Sendable, Equatable {
        /// Everything passes; `since` is the instant of the closing, nil if the breaker was never open.
        case closed(since: Timestamp?)
        /// Only the probe passes.
        case open(probe: ShardKey?)

        /// True while the app's shards are set aside.
        public var isOpen: Bool {
            if case .open = self { return true }
            return false
        }

        /// Returns true if this shard is the probe of an open breaker.
        public func isProbe(_ key: ShardKey) -> Bool { self == .open(probe: key) }

        /// The number of shards that one poll of the planner may release.
        public func pace(now: Timestamp) -> Int {
            guard case .closed(let since?) = self, since <= FutureLimit.done.limit(now) else { return Breaker.paceMax }
            let seconds = max(0, min(now.seconds - since.seconds, 8))
            return min(Breaker.paceMax, Breaker.paceFirst << Int(seconds))
        }
    }
}

extension FutureLimit {
    /// The lease of a breaker's probe.
    public static var probe: FutureLimit { FutureLimit(Breaker.probeLease) }
    /// A breaker's cooldown before its next probe.
    public static var breakerCooldown: FutureLimit { FutureLimit(Breaker.askedRestMax) }
}
