public import Campaigns

extension Shard.Facts {
    /// Creates the facts of a job's shards from its push for a provider.
    public init(
        _ push: CompiledPush,
        of job: Job,
        provider: ProviderName,
        environment: PushEnvironment? = nil,
        expiresAt: Timestamp,
        traceParent: String = ""
    ) {
        self.init(
            app: job.app,
            campaignID: job.id,
            provider: provider,
            environment: environment,
            policy: job.delivery.policy,
            pushType: push.pushType,
            priority: push.priority,
            expiresAt: expiresAt,
            collapseID: push.collapseID,
            payload: push.payload,
            messageIDAt: push.messageIDAt,
            personal: push.personal,
            traceParent: traceParent
        )
    }
}
