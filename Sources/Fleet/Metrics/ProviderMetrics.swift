import Delivery
import Settings
import Transport

/// The metrics of an app's provider, of one loop or of several together.
struct ProviderMetrics: Sendable {
    /// Counters since the process began, closed connections included.
    var counters = ProviderPoolCounters()
    /// Answer times since the process began.
    var answerTimes = AnswerTimes()
    /// The connections and streams at this instant.
    var state = ConnectionPool.Snapshot()

    mutating func add(_ pool: ProviderPool) {
        count(pool)
        add(pool.state)
    }

    /// Adds the counters of a pool that closes.
    mutating func count(_ pool: ProviderPool) {
        counters.add(pool.counters)
        answerTimes.add(pool.answerTimes)
    }

    mutating func add(_ other: ProviderMetrics) {
        counters.add(other.counters)
        answerTimes.add(other.answerTimes)
        add(other.state)
    }

    private mutating func add(_ other: ConnectionPool.Snapshot) {
        state.connecting += other.connecting
        state.ready += other.ready
        state.draining += other.draining
        state.openStreams += other.openStreams
        state.streamsAllowed += other.streamsAllowed
        state.collapsed += other.collapsed
        state.warm += other.warm
        state.window += other.window
    }
}

/// The metrics of one event loop.
struct SenderMetrics: Sendable {
    var providers: [AccountKey: ProviderMetrics] = [:]
    /// Answers that the ledger does not have yet.
    var unflushed = 0
    /// The number of them at which no stream is opened.
    var unflushedMax = 0
    /// The shards that run.
    var runs = 0

    mutating func add(_ other: SenderMetrics) {
        providers.merge(other.providers) { mine, others in
            var sum = mine
            sum.add(others)
            return sum
        }
        unflushed += other.unflushed
        unflushedMax += other.unflushedMax
        runs += other.runs
    }
}
