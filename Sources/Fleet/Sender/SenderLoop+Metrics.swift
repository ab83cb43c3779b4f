import Delivery
import Settings

/// A loop's metrics, taken when somebody asks; nothing is counted for them while it sends.
extension SenderLoop {
    var metrics: SenderMetrics {
        var metrics = SenderMetrics()
        metrics.providers = ended
        for sender in Array(endpoints.values) + retiring {
            metrics.providers[sender.account.key, default: ProviderMetrics()].add(sender.pool)
        }
        metrics.unflushed = runs.unflushed
        metrics.unflushedMax = runs.unflushedMax
        metrics.runs = runs.runCount
        return metrics
    }
}
