extension Job {
    /// Returns the job as it is sent to a channel: where Apple stores nothing, it accepts no end but at once.
    public func addressed(to channel: BroadcastChannel?) -> Job {
        guard channel?.storage == .nothing else { return self }
        var job = self
        job.delivery.policy.dropIfOffline = true
        return job
    }
}
