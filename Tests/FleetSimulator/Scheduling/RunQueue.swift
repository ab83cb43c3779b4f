/// Work of one host that waits for its turn: the tasks of an event loop, the arrivals on a connection, Swift's jobs.
final class RunQueue {
    /// The order in which the work of a queue of work is taken.
    enum Order {
        /// As it came.
        case first
        /// Any: the seed decides.
        case any
    }

    let name: String
    let host: SimulatedHost
    let order: Order
    private var queue: [() -> Void] = []
    private var head = 0
    /// True while the scheduler counts this queue among those with work.
    var isListed = false

    init(_ name: String, of host: SimulatedHost, order: Order = .first) {
        self.name = name
        self.host = host
        self.order = order
    }

    var count: Int { queue.count - head }

    func append(_ work: @escaping () -> Void) { queue.append(work) }

    /// Removes the work that comes next; `draw` returns a number below its argument.
    func take(_ draw: (Int) -> Int) -> () -> Void {
        if case .any = order { queue.swapAt(head, head + draw(count)) }
        let work = queue[head]
        queue[head] = {}
        head += 1
        if head == queue.count {
            queue.removeAll(keepingCapacity: true)
            head = 0
        }
        return work
    }
}
