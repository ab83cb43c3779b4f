import Campaigns
import Operations

/// One sender's cost between two instants.
struct BenchRun: Sendable, Equatable {
    /// Requests answered in that time.
    var requests: Int
    /// The sender's CPU, in seconds.
    var cpuSeconds: Double
    /// Requests a second.
    var rate: Double
    /// The server's CPU for one request, in microseconds.
    var peerMicroseconds: Double

    /// The sender's CPU for one request, in microseconds.
    var microseconds: Double { cpuSeconds * 1e6 / Double(max(1, requests)) }

    /// True if the server was slower: the sender had to wait, so its batches say nothing.
    var isRefused: Bool { peerMicroseconds > microseconds }

    /// The run, for scripts.
    var json: JSONValue {
        .object([
            "requests": .number(JSONNumber(requests)), "cpu_us": .decimal(microseconds), "rate": .decimal(rate),
            "far_cpu_us": .decimal(peerMicroseconds), "refused": .bool(isRefused),
        ])
    }
}

/// Fanfare and h2load in the same minute against the same server.
struct BenchPair: Sendable {
    var fanfare: BenchRun
    /// h2load with one path.
    var h2load: BenchRun
    /// h2load with 500 distinct paths.
    var h2loadPaths: BenchRun

    /// Fanfare's CPU for a request as a share of h2load's.
    var ratio: Double { fanfare.microseconds / h2load.microseconds }

    /// The reason why the pair does not count; nil when it does.
    var refusal: String? {
        if fanfare.isRefused { return "refused: the peer used more CPU than Fanfare" }
        if h2load.isRefused { return "refused: the peer used more CPU than h2load" }
        return nil
    }

    /// The pair, for scripts.
    var json: JSONValue {
        .object([
            "fanfare": fanfare.json, "h2load": h2load.json, "h2load_500_paths": h2loadPaths.json,
            "ratio": .decimal(ratio), "refusal": refusal.map(JSONValue.string) ?? .null,
        ])
    }
}

/// All pairs of a scenario.
struct BenchPairs: Sendable {
    let pairs: [BenchPair]

    /// The pairs that count.
    var valid: [BenchPair] { pairs.filter { $0.refusal == nil } }

    /// Returns the median of the pairs that count; nil when none does.
    func median(_ value: (BenchPair) -> Double) -> Double? {
        valid.isEmpty ? nil : BenchNumber.median(valid.map(value))
    }

    /// Returns the comparison with h2load; the ratio may be at most `target`.
    func metrics(target: Double) -> [BenchMetric] {
        [
            BenchMetric("cpu_us", "CPU for a push", median(\.fanfare.microseconds), unit: "µs"),
            BenchMetric("h2load_cpu_us", "h2load, CPU for a request", median(\.h2load.microseconds), unit: "µs"),
            BenchMetric("ratio", "share of h2load's CPU", median(\.ratio), target: .atMost(target)),
            BenchMetric(
                "h2load_500_paths_cpu_us",
                "h2load with 500 distinct paths, CPU for a request",
                median(\.h2loadPaths.microseconds),
                unit: "µs"
            ),
            BenchMetric("rate", "pushes a second", median(\.fanfare.rate), digits: 0),
            BenchMetric("h2load_rate", "h2load, requests a second", median(\.h2load.rate), digits: 0),
        ]
    }

    /// Remarks about the pairs.
    var notes: [String] {
        valid.isEmpty ? ["no pair counts: the peer must cost less than the sender; give it a core of its own"] : []
    }

    /// The pairs as a table, a row each.
    var table: TextTable {
        var table = TextTable([
            ("pair", .left), ("cpu", .right), ("h2load cpu", .right), ("ratio", .right), ("500 paths cpu", .right),
            ("per second", .right), ("h2load", .right), ("far cpu", .right), ("with h2load", .right), ("", .left),
        ])
        for (index, pair) in pairs.enumerated() {
            func decimal(_ value: Double) -> String { BenchNumber.text(value, digits: 2) }
            func whole(_ value: Double) -> String { NumberText.grouped(Int(value)) }
            table.add([
                "\(index + 1)", decimal(pair.fanfare.microseconds), decimal(pair.h2load.microseconds),
                decimal(pair.ratio), decimal(pair.h2loadPaths.microseconds), whole(pair.fanfare.rate),
                whole(pair.h2load.rate), decimal(pair.fanfare.peerMicroseconds), decimal(pair.h2load.peerMicroseconds),
                pair.refusal ?? "",
            ])
        }
        return table
    }
}
