package import Campaigns

/// The check of a job's `repeat` against the system's time zones.
package enum RepeatCheck {
    /// Returns the runs of a job; nil if it is not repeated, or its time zone is not known here.
    package static func times(of job: Job) -> RunTimes? {
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
                    ? "it has no run in the next nine years" : "it has no run before until",
                fix: "give another expression, or a later until"
            )
        ]
    }
}
