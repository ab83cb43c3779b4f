import PushProviders

/// Shares a few threads among the names to look up, so that strangers' dead names cannot delay the others; pure.
///
/// A look-up blocks a thread for as long as the system's resolver is patient (5 to 30 s if a name server is silent).
/// Whoever registers a browser names a push service, and may name thousands that never answer. So names that have had
/// an address before, and those of well-known services, always find a thread. The others share some of the threads, and
/// new names come before those that have failed. A name is looked up once for all who wait for it.
public struct LookupQueue: Sendable {
    /// The number of concurrent look-ups.
    public static let runningMax = 32
    /// The number of concurrent look-ups of names that never had an address.
    public static let unprovenMax = 24
    /// The number of names that are remembered.
    static let namesMax = 8192

    private enum Standing: Sendable {
        case proven, failed
    }

    private var known = RecentlyUsed<String, Standing>(most: Self.namesMax)
    /// The names being looked up; true for a proven one.
    private var running: [String: Bool] = [:]
    private var unprovenRunning = 0
    /// The waiting names by standing (proven, new, failed), each in the order in which they came.
    private var waiting: [[String]] = [[], [], []]
    private var waitingNames: Set<String> = []

    /// No look-ups.
    public init() {}

    /// Asks for a name's addresses; returns the names whose look-up is to begin now.
    public mutating func ask(_ name: String) -> [String] {
        if running[name] != nil || !waitingNames.insert(name).inserted { return [] }
        waiting[rank(name)].append(name)
        return next()
    }

    /// Notes that a look-up ended; returns the names whose look-up is to begin now.
    public mutating func ended(_ name: String, hasAddress: Bool) -> [String] {
        guard let isProven = running.removeValue(forKey: name) else { return [] }
        if !isProven { unprovenRunning -= 1 }
        if hasAddress {
            known[name] = .proven
        } else if known[name] == nil {
            // A name that once had an address stays proven while a name server is unavailable.
            known[name] = .failed
        }
        return next()
    }

    private mutating func rank(_ name: String) -> Int {
        if WellKnownServices.has(name) { return 0 }
        return switch known[name] {
        case .proven: 0
        case nil: 1
        case .failed: 2
        }
    }

    private mutating func next() -> [String] {
        var begun: [String] = []
        for rank in waiting.indices {
            var taken = 0
            while taken < waiting[rank].count, running.count < Self.runningMax,
                rank == 0 || unprovenRunning < Self.unprovenMax
            {
                let name = waiting[rank][taken]
                taken += 1
                waitingNames.remove(name)
                running[name] = rank == 0
                if rank > 0 { unprovenRunning += 1 }
                begun.append(name)
            }
            waiting[rank].removeFirst(taken)
        }
        return begun
    }
}
