/// The schedule of a repeated campaign (contract, section 1: `repeat`).
public struct Repetition: Sendable, Equatable {
    /// The five fields of cron, separated by single spaces.
    public var cron: String
    /// The IANA name of the time zone of the schedule.
    public var timeZone: String
    /// The end, before which all runs are; nil for none.
    public var until: Until?
    /// True if a run's hour is that of each device's own clock (`local_time`).
    public var isLocal = false

    /// The end of a repetition.
    public enum Until: Sendable, Equatable {
        /// An instant.
        case at(Timestamp)
        /// A local time in `timeZone` (with `local_time`).
        case local(LocalTime)
    }

    /// The longest delay of a run without a `ttl`, after a period without workers.
    public static let grace = Duration.seconds(3600)
}

/// The runs of a repetition, with the rules of its time zone.
///
/// Pure: a planner asks for due runs, and records the answer by compare-and-set.
public struct RunTimes: Sendable {
    private let cron: CronExpression
    private let zone: TimeZoneRules
    private let isLocal: Bool
    private let tolerance: Duration
    /// The end, before which all runs are; nil for none.
    public let until: Timestamp?

    /// Creates the runs of a repeated job.
    ///
    /// - Parameters:
    ///   - repetition: The schedule.
    ///   - ttl: The seconds for which a run is useful; nil if the job has no `ttl`.
    ///   - zone: The rules of its time zone.
    public init(_ repetition: Repetition, ttl: Int?, zone: TimeZoneRules) throws(CronExpression.FormatError) {
        cron = try CronExpression(repetition.cron)
        self.zone = zone
        isLocal = repetition.isLocal
        tolerance = ttl.map { .seconds($0) } ?? Repetition.grace
        until =
            switch repetition.until {
            case .at(let instant): instant
            case .local(let reading): zone.instant(of: reading)
            case nil: nil
            }
    }

    /// Returns the first run after an instant; nil if there is none before the end.
    public func next(after instant: Timestamp) -> Timestamp? {
        guard let next = cron.next(after: instant, in: zone), until.map({ next < $0 }) ?? true else { return nil }
        return next
    }

    /// Returns the first run of a campaign that is accepted at an instant: the first one that no clock of the world has
    /// passed.
    public func first(after instant: Timestamp) -> Timestamp? {
        // By each device's clock, the runs of the next 26 hours may be too early: 1,560 for an expression that matches
        // every minute. They are skipped within their day.
        let first = cron.next(after: instant, in: zone) { madeAt($0) >= instant }
        guard let first, until.map({ first < $0 }) ?? true else { return nil }
        return first
    }

    /// Returns the instant at which a run is created.
    ///
    /// It is the run's own instant or, by each device's clock, the one at which the first clock of the world, 14 hours
    /// ahead of UTC, shows the run's time.
    public func madeAt(_ run: Timestamp) -> Timestamp {
        guard isLocal else { return run }
        return Timestamp(milliseconds: (zone.local(at: run).seconds - Self.firstClock) * 1000)
    }

    /// Returns the time on the zone's clock at a run.
    public func reading(at run: Timestamp) -> LocalTime { zone.local(at: run) }

    /// The actions at an instant for a due run, and for earlier runs that were missed.
    public struct Step: Sendable, Equatable {
        /// The run to create.
        public var run: Timestamp?
        /// The latest run that is no longer created.
        public var missed: Timestamp?
        /// The run after these; nil if there is none.
        public var next: Timestamp?
    }

    /// Returns the step at an instant; nil while nothing is due.
    ///
    /// Of several missed runs only the latest is created, and only while it is useful: within the job's `ttl`, or
    /// without one within an hour.
    public func step(due: Timestamp, now: Timestamp) -> Step? {
        guard madeAt(due) <= now else { return nil }
        // The latest due run.
        var limit = isLocal ? zone.instant(of: LocalTime(seconds: now.seconds + Self.firstClock)) : now
        if let until { limit = min(limit, until.advanced(by: .milliseconds(-1))) }
        let latest = cron.last(after: due, through: limit, in: zone) ?? due
        guard now < madeAt(latest).advanced(by: tolerance) else {
            return Step(run: nil, missed: latest, next: next(after: latest))
        }
        let before = latest.advanced(by: .milliseconds(-1))
        let missed = latest > due ? cron.last(after: due, through: before, in: zone) ?? due : nil
        return Step(run: latest, missed: missed, next: next(after: latest))
    }

    private static let firstClock: Int64 = 14 * 3600
}
