import Campaigns

/// What one sender cost between two moments.
struct BenchRun: Sendable, Equatable {
    /// Requests answered between them.
    var requests: Int
    /// The sender's CPU.
    var cpuSeconds: Double
    /// Requests a second.
    var rate: Double
    /// The far side's CPU for one request, in microseconds.
    var farMicroseconds: Double

    /// The sender's CPU for one request, in microseconds.
    var microseconds: Double { cpuSeconds * 1e6 / Double(max(1, requests)) }

    /// The far side was the slower one: the sender had to wait, and its batches say nothing.
    var isRefused: Bool { farMicroseconds > microseconds }

    /// For scripts.
    var json: JSONValue {
        .object([
            "requests": .number(JSONNumber(requests)), "cpu_us": .decimal(microseconds), "rate": .decimal(rate),
            "far_cpu_us": .decimal(farMicroseconds), "refused": .bool(isRefused),
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
    /// The most memory that the worker has had resident so far, in KiB; nil where there is no worker.
    var residentPeak: Int?

    /// Fanfare's CPU for a request as a share of h2load's.
    var ratio: Double { fanfare.microseconds / h2load.microseconds }

    /// Why the pair does not count; nil when it does.
    var refusal: String? {
        if fanfare.isRefused { return "refused: the far side used more CPU than Fanfare" }
        if h2load.isRefused { return "refused: the far side used more CPU than h2load" }
        return nil
    }

    /// For scripts.
    var json: JSONValue {
        .object([
            "fanfare": fanfare.json, "h2load": h2load.json, "h2load_500_paths": h2loadPaths.json,
            "ratio": .decimal(ratio), "resident_peak_kib": residentPeak.map { .number(JSONNumber($0)) },
            "refusal": refusal.map(JSONValue.string) ?? .null,
        ])
    }
}

extension JSONValue {
    /// A measured number, to three digits behind the point.
    static func decimal(_ value: Double) -> JSONValue { .number(JSONNumber(text: BenchNumber.text(value, digits: 3))) }
}

/// Measured numbers as text.
enum BenchNumber {
    /// Rounded to so many digits behind the point, which is a point everywhere.
    static func text(_ value: Double, digits: Int) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "0" }
        let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
        let scaled = Int((abs(value) * Double(scale)).rounded())
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard digits > 0 else { return sign + String(scaled) }
        let fraction = String(scaled % scale)
        return "\(sign)\(scaled / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    /// The middle one, the mean of both in the middle, 0 of none.
    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard let last = sorted.indices.last else { return 0 }
        return (sorted[last / 2] + sorted[(last + 1) / 2]) / 2
    }
}
