import Delivery

/// What a loop says of itself when somebody asks; nothing is counted for it while it sends.
extension SenderLoop {
    var metrics: SenderMetrics {
        var metrics = SenderMetrics()
        metrics.providers = ended
        for sender in Array(endpoints.values) + retiring {
            metrics.providers[ProviderMetrics.Key(sender.account), default: ProviderMetrics()].add(sender.pool)
        }
        metrics.unflushed = runs.unflushed
        metrics.unflushedMax = runs.unflushedMax
        metrics.runs = runs.runCount
        return metrics
    }
}
