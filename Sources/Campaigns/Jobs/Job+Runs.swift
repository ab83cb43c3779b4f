extension Job {
    /// The separator between a repeated campaign's id and a run's instant; no producer's id contains it.
    static let runMark = "@"
    /// The longest id of a repeated campaign: 128 bytes minus `@` and an instant.
    public static let repeatedIDBytesMax = 107

    /// Returns the id of a run, for example `daily@2026-11-23T08:00:00Z`.
    public static func runID(_ id: String, at run: Timestamp) -> String {
        id + runMark + run.rfc3339.prefix(19) + "Z"
    }

    /// Returns the job that is sent: for a repeated campaign a run, whose id is longer.
    public func asSent(at instant: Timestamp) -> Job {
        guard delivery.repetition != nil else { return self }
        var job = self
        job.id = Job.runID(id, at: instant)
        job.delivery.repetition = nil
        return job
    }

    /// Returns the job of a run, which is not itself repeated.
    public func run(at run: Timestamp, _ times: RunTimes) -> Job {
        var job = self
        job.id = Job.runID(id, at: run)
        job.createdAt = times.madeAt(run)
        job.delivery.repetition = nil
        if delivery.repetition?.isLocal == true { job.delivery.localSendAt = times.reading(at: run) }
        return job
    }
}
