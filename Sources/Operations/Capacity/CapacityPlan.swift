import Campaigns
import Delivery
import PushProviders

/// The needs of a fleet for a question: arithmetic over measured figures, each step with its reason.
///
/// It is a plan, not a promise: a test with a simulator on one's own machines says more.
package struct CapacityPlan: Sendable, Equatable {
    /// The need for one resource.
    package struct Need: Sendable, Equatable {
        /// The resource, for example `connections`.
        package let what: String
        /// The amount, for scripts.
        package let value: Double
        /// The amount, for people.
        package let text: String
        /// The reason for the amount.
        package let because: String
    }

    /// The planned load of a core or a thread; the rest is reserve.
    package static let load = 0.6
    /// The share of devices that a provider refuses for a while, and that are sent to again.
    package static let retried = 0.05
    /// The devices of a shard (`Shard.devicesMax`).
    package static let shardDevices = 500.0
    /// The bytes of a device in a shard, its index included.
    ///
    /// In the ledger, with its list, a device takes 64: measured with a million devices with ids, 5 % of them sent to
    /// twice (`fanfare demo --devices 1000000`).
    package static let shardBytes = 40.0
    /// The bytes of a device in the ledger; see ``shardBytes``.
    package static let ledgerBytes = 64.0
    /// The writes to the ledger per shard: cut, claimed, progress, settled.
    package static let shardWrites = 4.0
    /// The most connections that a loop opens to one endpoint (`ConnectionPool.Configuration.connectionsMax`).
    package static let loopConnections = 32
    /// The memory of a worker in megabytes.
    package static let workerMegabytes = 100

    /// The needs.
    package let needs: [Need]
    /// The event loops of the planned workers.
    package let loops: Int
    /// The obstacles, and what must be different from a single machine.
    package let limits: [String]

    /// Calculates the plan.
    package init(_ ask: CapacityAsk, _ metrics: CapacityMetrics) {
        let requests = Double(ask.devices) * (1 + Self.retried)
        let rate = requests / ask.seconds
        let push = metrics.push[ask.provider.scenario] ?? 0
        let cores = rate * push / 1e6 / Self.load
        let underWay = rate * ask.latency
        let connections = max(1, (underWay / Double(ask.provider.streams)).rounded(.up))
        let loops = max(cores.rounded(.up), (connections / Double(Self.loopConnections)).rounded(.up))
        let workers = (loops / Double(ask.cores)).rounded(.up)
        let shards = rate / Self.shardDevices
        let writer = rate * metrics.ledger / 1e6
        self.loops = Int(workers) * ask.cores
        let bits = rate * Double(ask.payloadBytes + ask.provider.overheadBytes) * 8

        func need(_ what: String, _ value: Double, _ unit: String, _ because: String) -> Need {
            Need(what: what, value: value, text: Self.text(value) + unit, because: because)
        }
        let fiveInHundred = Int(Self.retried * 100)
        needs = [
            need("requests a second", rate, "", "\(fiveInHundred) % of the devices are asked twice"),
            need("requests under way", underWay, "", "rate × the time to an answer (Little's law)"),
            need("connections", connections, "", "\(ask.provider.streams) requests under way on each"),
            need(
                "connections kept warm",
                loops,
                "",
                "one on each loop for an hour or more after an app has sent (worker.warm_connections)"
            ),
            need(
                "cores for workers",
                cores,
                "",
                "\(Self.text(push)) µs a push, each core \(Int(Self.load * 100)) % busy"
            ),
            need("event loops", loops, "", "a core each, and \(Self.loopConnections) connections at most"),
            need("workers", workers, "", "one for each machine of \(ask.cores) cores, a loop for each core"),
            need("memory of the workers", workers * Double(Self.workerMegabytes), " MB", "whatever the audience"),
            need(
                "network, outwards",
                bits / 1e9,
                " Gbit/s",
                "payload and \(ask.provider.overheadBytes) bytes of headers"
            ),
            need(
                "broker, messages a second",
                shards * 2,
                "",
                "a shard of \(Int(Self.shardDevices)) devices in and out"
            ),
            need("broker, bytes a second", rate * Self.shardBytes * 2 / 1e6, " MB/s", "tokens are in the shards"),
            need("ledger, rows a second", shards * Self.shardWrites, "", "a shard is written four times"),
            need(
                "ledger, its writer's load",
                writer * 100,
                " %",
                "\(Self.text(metrics.ledger)) µs a push on one thread"
            ),
            need("ledger, bytes", Double(ask.devices) * Self.ledgerBytes / 1e6, " MB", "list, progress and outcomes"),
        ]
        limits = Self.limits(ask, rate: rate, workers: workers, writer: writer, connections: connections, loops: loops)
    }

    private static func limits(
        _ ask: CapacityAsk,
        rate: Double,
        workers: Double,
        writer: Double,
        connections: Double,
        loops: Double
    ) -> [String] {
        var limits: [String] = []
        if let quota = ask.quota {
            let seconds = RampedRate(Pace(quota)).seconds(for: Double(ask.devices) * (1 + retried))
            if seconds > ask.seconds {
                limits.append(
                    "the quota of \(NumberText.grouped(quota.perMinute)) requests a minute allows it in about "
                        + "\(RoundedText.span(seconds)) at best: have it raised, or give it that time"
                )
            }
        }
        if workers > 1 {
            limits.append("workers on several machines share a PostgreSQL ledger; SQLite is of one machine")
        }
        if writer > load {
            limits.append(
                "one writer cannot keep up with \(text(rate)) settled devices a second: on SQLite all workers share one, "
                    + "with PostgreSQL each worker has its own"
            )
        }
        let seconds = (connections / loops - 8).rounded(.up)
        if seconds > 0 {
            limits.append(
                "a loop opens eight connections at once and then one a second, so a cold fleet needs \(text(seconds)) s "
                    + "until all are open: send something shortly before, or prepare it with hold and fire it"
            )
        }
        return limits
    }

    /// Returns a number with three significant digits and its thousands separated.
    static func text(_ value: Double) -> String {
        if value >= 100 { return NumberText.grouped(Int(value.rounded())) }
        let tenths = value >= 10 ? (value * 10).rounded() / 10 : (value * 100).rounded() / 100
        return tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)"
    }
}
