import Campaigns

/// What is wrong with a job's `repeat` that only the system's time zones can tell.
enum RepeatCheck {
    /// The runs of a job; nil for one that is not repeated, or in whose time zone no clock is known here.
    static func times(of job: Job) -> RunTimes? {
        guard let repetition = job.delivery.repetition, let zone = ZoneFiles.rules(repetition.timeZone) else {
            return nil
        }
        return try? RunTimes(repetition, ttl: job.delivery.expiry.ttl, zone: zone)
    }

    static func problems(_ job: Job, now: Timestamp) -> [Problem] {
        guard let repetition = job.delivery.repetition else { return [] }
        guard let times = times(of: job) else {
            return [
                Problem(
                    pointer: "/delivery/repeat/time_zone",
                    code: .value,
                    detail: "no time zone has the name \(NameRule.shown(repetition.timeZone))",
                    fix: "give an IANA name, for example Europe/Madrid"
                )
            ]
        }
        if let until = times.until, until <= now {
            return [
                Problem(
                    pointer: "/delivery/repeat/until",
                    code: .expired,
                    detail: "the campaign ended at \(until.rfc3339), and it is \(now.rfc3339) now",
                    fix: "give a later instant, or leave it out"
                )
            ]
        }
        guard times.first(after: now) == nil else { return [] }
        return [
            Problem(
                pointer: "/delivery/repeat/cron",
                code: .conflict,
                detail: repetition.until == nil
                    ? "it comes in none of the next nine years" : "it never comes before until",
                fix: "give another expression, or a later until"
            )
        ]
    }
}
