/// The runs that give their places back because their push services have not answered yet; pure.
///
/// A worker has places for so many shards. Whoever registers a browser names its push service, and may name thousands that
/// answer no connection: shards of theirs would fill all places, each for as long as connections are waited for, and those
/// of good ones would stand behind them. So runs of services that have not answered yet have a part of the places. When it
/// is full, the run that has waited longest leaves: its devices take a rung, and its connection is waited for without it. A
/// run with a request under way cannot leave; then the one that comes does.
///
/// One for each event loop, and confined to it.
public struct StrangerPlaces: Sendable {
    /// The caller's number of a run.
    public typealias Run = Int

    /// Places of a worker's 64 that such runs may have.
    public static let ofWorker = 32

    private let most: Int
    /// Runs that wait for a connection, in the order in which they came.
    private var connecting: [Run] = []
    /// Runs whose request waits for the first answer.
    private var asking: Set<Run> = []

    /// Places of one of a worker's loops.
    public init(loops: Int) { most = max(1, Self.ofWorker / max(1, loops)) }

    /// A run waits for a service that has not answered: the run that gives its place back, which may be this one.
    public mutating func waits(_ run: Run) -> Run? {
        guard !asking.contains(run), !connecting.contains(run) else { return nil }
        connecting.append(run)
        return connecting.count + asking.count > most ? connecting.removeFirst() : nil
    }

    /// A run has a request under way.
    public mutating func asks(_ run: Run) {
        guard asking.insert(run).inserted else { return }
        connecting.removeAll { $0 == run }
    }

    /// A run is over, or its service has answered.
    public mutating func left(_ run: Run) {
        if asking.remove(run) == nil { connecting.removeAll { $0 == run } }
    }
}
