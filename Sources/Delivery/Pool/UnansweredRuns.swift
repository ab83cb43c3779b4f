/// The runs that give up their capacity because their push services have not answered yet; pure.
///
/// A worker has capacity for a limited number of shards. Whoever registers a browser names its push service, and may
/// name thousands that accept no connection. Their shards would take all capacity, each for as long as it waits for a
/// connection, and shards of good services would queue behind them. So runs of services that have not answered yet have
/// only a part of the capacity. When it is full, the run that has waited longest leaves: its devices take a rung, and
/// the connection is awaited without it. A run with a request in progress cannot leave; then the new run does.
///
/// One for each event loop, and confined to it.
public struct UnansweredRuns: Sendable {
    /// The caller's index of a run.
    public typealias Run = Int

    /// The number of a worker's 64 shards that such runs may have.
    public static let ofWorker = 32

    private let most: Int
    /// The runs that wait for a connection, in the order in which they came.
    private var connecting: [Run] = []
    /// The runs whose request waits for the first answer.
    private var asking: Set<Run> = []

    /// The share of one of a worker's loops.
    public init(loops: Int) { most = max(1, Self.ofWorker / max(1, loops)) }

    /// Notes that a run waits for a service that has not answered; returns the run that has to leave, which may be this
    /// one.
    public mutating func waits(_ run: Run) -> Run? {
        guard !asking.contains(run), !connecting.contains(run) else { return nil }
        connecting.append(run)
        return connecting.count + asking.count > most ? connecting.removeFirst() : nil
    }

    /// Notes that a run has a request in progress.
    public mutating func asks(_ run: Run) {
        guard asking.insert(run).inserted else { return }
        connecting.removeAll { $0 == run }
    }

    /// Notes that a run is over, or that its service has answered.
    public mutating func left(_ run: Run) {
        if asking.remove(run) == nil { connecting.removeAll { $0 == run } }
    }
}
