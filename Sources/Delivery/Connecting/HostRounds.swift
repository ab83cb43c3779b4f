import Campaigns

/// The order in which a connection tries the hosts of a cluster.
///
/// Each worker has an order of its own, which its name decides: workers spread over the nodes, and those of a node that
/// fails spread over the others. A host that failed goes to the end. When all have failed one after another, a round is
/// over, and the next one waits. A machine without a clock or randomness: the driver passes both.
public struct HostRounds: Sendable, Equatable {
    /// A driver's next step after a failure.
    public enum Step: Sendable, Equatable {
        /// Try the next host, which has not failed in this round.
        case nextHost
        /// Wait before the next round: this many rounds have failed since a connection worked, and the last one took
        /// so long.
        case wait(rounds: Int, took: Duration)
    }

    private var order: [Int]
    private var failures = 0
    private var rounds = 0
    private var began = Duration.zero
    private var hasWorked = false

    /// Rounds of these hosts, at least one, in the order that `seed` decides.
    public init(hosts: [String], seed: String) {
        precondition(!hosts.isEmpty, "a cluster has at least one host")
        // By a hash of both, so that a host that is added or removed leaves the order of the others as it is.
        let ranks = hosts.map { Self.rank($0, seed) }
        order = hosts.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }
    }

    /// Returns the index of the host to try now; `now` is monotonic.
    public mutating func next(now: Duration) -> Int {
        if failures == 0 { began = now }
        hasWorked = false
        return order[0]
    }

    /// Notes that the connection to the host works.
    public mutating func worked() { (failures, rounds, hasWorked) = (0, 0, true) }

    /// Notes that the host failed: it refused, went away, or did not answer.
    public mutating func failed(now: Duration) -> Step {
        if hasWorked { began = now }
        hasWorked = false
        order.append(order.removeFirst())
        failures += 1
        guard failures == order.count else { return .nextHost }
        failures = 0
        rounds += 1
        return .wait(rounds: rounds, took: now - began)
    }

    private static func rank(_ host: String, _ seed: String) -> UInt64 {
        var key = FNV1a(host.utf8)
        key.take(0)
        for byte in seed.utf8 { key.take(byte) }
        return key.mixed
    }
}
