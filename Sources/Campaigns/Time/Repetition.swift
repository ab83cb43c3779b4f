/// When a campaign comes again (contract, section 1: `repeat`).
public struct Repetition: Sendable, Equatable {
    /// The five fields of cron, one space between.
    public var cron: String
    /// The IANA name of the time zone on whose clock they are read.
    public var timeZone: String
    /// Runs are before it; nil for ever.
    public var until: Until?
    /// Whether a run's hour is that of each device's own clock (`local_time`).
    public var isLocal: Bool

    /// When it ends.
    public enum Until: Sendable, Equatable {
        /// An instant.
        case at(Timestamp)
        /// A reading of the clock of `timeZone` (with `local_time`).
        case local(LocalTime)
    }

    /// A repetition.
    public init(cron: String, timeZone: String, until: Until? = nil, isLocal: Bool = false) {
        self.cron = cron
        self.timeZone = timeZone
        self.until = until
        self.isLocal = isLocal
    }

    /// How late a run is made when its job gives no `ttl`, after a time in which no worker was there.
    public static let grace = Duration.seconds(3600)
}

/// The runs of a repetition, on a clock whose rules are known.
///
/// Pure: a planner asks what is due, and writes that down by compare-and-set.
public struct RunTimes: Sendable {
    private let cron: CronExpression
    private let zone: TimeZoneRules
    private let isLocal: Bool
    private let patience: Duration
    /// Runs are before this instant; nil for ever.
    public let until: Timestamp?

    /// The runs of a job that is repeated.
    ///
    /// - Parameters:
    ///   - repetition: When it comes again.
    ///   - ttl: How long a run is of use, in seconds; nil when the job does not say.
    ///   - zone: The rules of its time zone.
    public init(_ repetition: Repetition, ttl: Int?, zone: TimeZoneRules) throws(CronExpression.FormatError) {
        cron = try CronExpression(repetition.cron)
        self.zone = zone
        isLocal = repetition.isLocal
        patience = ttl.map { .seconds($0) } ?? Repetition.grace
        until =
            switch repetition.until {
            case .at(let instant): instant
            case .local(let reading): zone.instant(of: reading)
            case nil: nil
            }
    }

    /// The first run after an instant; nil when none comes before the end.
    public func next(after instant: Timestamp) -> Timestamp? {
        guard let next = cron.next(after: instant, in: zone), until.map({ next < $0 }) ?? true else { return nil }
        return next
    }

    /// The first run of a campaign that is accepted at an instant: one that no clock of the world is past.
    public func first(after instant: Timestamp) -> Timestamp? {
        // By each device's clock those of the next 26 hours may be too early, which are 1,560 of an expression that fits
        // every minute: they are passed over within their day.
        let first = cron.next(after: instant, in: zone) { madeAt($0) >= instant }
        guard let first, until.map({ first < $0 }) ?? true else { return nil }
        return first
    }

    /// When a run is made: at its instant or, by each device's clock, when the first clock of the world shows it, which
    /// is 14 hours ahead of UTC.
    public func madeAt(_ run: Timestamp) -> Timestamp {
        guard isLocal else { return run }
        return Timestamp(milliseconds: (zone.local(at: run).seconds - Self.firstClock) * 1000)
    }

    /// What the clock of the time zone shows at a run.
    public func reading(at run: Timestamp) -> LocalTime { zone.local(at: run) }

    /// What is to be done at an instant about a run that is due, and about those that were missed behind it.
    public struct Step: Sendable, Equatable {
        /// The run that is to be made.
        public var run: Timestamp?
        /// The latest that is not made any more.
        public var missed: Timestamp?
        /// The run after these; nil when it was the last.
        public var next: Timestamp?
    }

    /// The step at an instant; nil while nothing is due.
    ///
    /// Of several that were missed the latest alone is made, and only while it is of use: within the job's `ttl`, else
    /// within an hour.
    public func step(due: Timestamp, now: Timestamp) -> Step? {
        guard madeAt(due) <= now else { return nil }
        // The latest that is due too.
        var limit = isLocal ? zone.instant(of: LocalTime(seconds: now.seconds + Self.firstClock)) : now
        if let until { limit = min(limit, until.advanced(by: .milliseconds(-1))) }
        let latest = cron.last(after: due, through: limit, in: zone) ?? due
        guard now < madeAt(latest).advanced(by: patience) else {
            return Step(run: nil, missed: latest, next: next(after: latest))
        }
        let before = latest.advanced(by: .milliseconds(-1))
        let missed = latest > due ? cron.last(after: due, through: before, in: zone) ?? due : nil
        return Step(run: latest, missed: missed, next: next(after: latest))
    }

    private static let firstClock: Int64 = 14 * 3600
}

extension Job {
    /// What stands between a repeated campaign's id and a run's instant: no producer's id has it.
    static let runMark = "@"
    /// The longest id of a campaign that is repeated: 128 with `@` and an instant behind it.
    public static let repeatedIDBytesMax = 107

    /// The id of the run of an instant, for example `daily@2026-11-23T08:00:00Z`.
    public static func runID(_ id: String, at run: Timestamp) -> String {
        id + runMark + run.rfc3339.prefix(19) + "Z"
    }

    /// What is sent of the job: of a repeated campaign a run, whose id is longer.
    public func asSent(at instant: Timestamp) -> Job {
        guard delivery.repetition != nil else { return self }
        var job = self
        job.id = Job.runID(id, at: instant)
        job.delivery.repetition = nil
        return job
    }

    /// The job of one run of a repeated campaign; it is no repeated one itself.
    public func run(at run: Timestamp, _ times: RunTimes) -> Job {
        var job = self
        job.id = Job.runID(id, at: run)
        job.createdAt = times.madeAt(run)
        job.delivery.repetition = nil
        if delivery.repetition?.isLocal == true { job.delivery.localSendAt = times.reading(at: run) }
        return job
    }
}
