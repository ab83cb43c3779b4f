import PushProviders

/// Shares a few threads among the names that are to be looked up, so that names of strangers which nobody answers cannot
/// keep the others waiting; pure.
///
/// A look-up blocks a thread, for as long as the system's resolver has patience (5 to 30 s where a name server is silent).
/// Whoever registers a browser names a push service, and may name thousands that never answer. So names that have had an
/// address before, and those of well-known services, always find a thread; the others share a part of them, those that were
/// never tried before those that have failed. A name is looked up once for all who wait for it.
public struct LookupQueue: Sendable {
    /// Look-ups at a time.
    public static let runningMax = 32
    /// Of them names that never had an address.
    public static let unprovenMax = 24
    /// Names that are remembered.
    static let namesMax = 8192

    private enum Standing: Sendable {
        case proven, failed
    }

    private var known = RecentlyUsed<String, Standing>(most: Self.namesMax)
    /// The names under way; true for a proven one.
    private var running: [String: Bool] = [:]
    private var unprovenRunning = 0
    /// By standing: proven, new, failed; each in the order in which they came.
    private var waiting: [[String]] = [[], [], []]
    private var waitingNames: Set<String> = []

    /// Nothing is under way.
    public init() {}

    /// Somebody wants a name's addresses: the names whose look-up is to begin now.
    public mutating func ask(_ name: String) -> [String] {
        if running[name] != nil || !waitingNames.insert(name).inserted { return [] }
        waiting[rank(name)].append(name)
        return next()
    }

    /// A look-up ended: the names whose look-up is to begin now.
    public mutating func ended(_ name: String, hasAddress: Bool) -> [String] {
        guard let isProven = running.removeValue(forKey: name) else { return [] }
        if !isProven { unprovenRunning -= 1 }
        if hasAddress {
            known[name] = .proven
        } else if known[name] == nil {
            // One that had an address once is not a stranger's for a name server that is away.
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
