import Campaigns
import Fleet

/// All pairs of a bench with their medians.
struct BenchReport: Sendable {
    /// What was measured.
    let subject: String
    /// The ratio that the design asks for (section 16).
    let target: Double
    /// Which core was whose.
    let cores: String
    let pairs: [BenchPair]

    /// The pairs that count.
    private var valid: [BenchPair] { pairs.filter { $0.refusal == nil } }

    /// Whether there is anything to say.
    var isWell: Bool { !valid.isEmpty }

    private func median(_ value: (BenchPair) -> Double) -> Double { BenchNumber.median(valid.map(value)) }

    private var residentPeak: Int? { pairs.compactMap(\.residentPeak).max() }

    /// For people: a line a pair, then the medians.
    var text: String {
        var table = TextTable([
            ("pair", .left), ("cpu", .right), ("h2load cpu", .right), ("ratio", .right), ("500 paths cpu", .right),
            ("per second", .right), ("h2load", .right), ("far cpu", .right), ("with h2load", .right), ("", .left),
        ])
        for (index, pair) in pairs.enumerated() { table.add(Self.cells("\(index + 1)", { $0(pair) }, pair.refusal)) }
        if isWell { table.add(Self.cells("median", median, nil)) }
        var lines = ["\(subject); CPU in µs per request, \(cores)", table.text]
        if let residentPeak {
            lines.append("resident peak of the worker: \(NumberText.grouped(residentPeak / 1024)) MB")
        }
        lines.append(verdict)
        return lines.joined(separator: "\n")
    }

    private var verdict: String {
        guard isWell else {
            return "no pair counts: the far side must cost less than the sender; give it a core of its own"
        }
        let ratio = median(\.ratio)
        let word = ratio <= target ? "reached" : "missed"
        return "\(BenchNumber.text(ratio, digits: 2)) of h2load's CPU in the median; "
            + "the target of \(BenchNumber.text(target, digits: 2)) is \(word)"
    }

    private static func cells(
        _ name: String,
        _ value: @escaping ((BenchPair) -> Double) -> Double,
        _ note: String?
    ) -> [String] {
        func decimal(_ part: (BenchPair) -> Double) -> String { BenchNumber.text(value(part), digits: 2) }
        func whole(_ part: (BenchPair) -> Double) -> String { NumberText.grouped(Int(value(part))) }
        return [
            name, decimal(\.fanfare.microseconds), decimal(\.h2load.microseconds), decimal(\.ratio),
            decimal(\.h2loadPaths.microseconds), whole(\.fanfare.rate), whole(\.h2load.rate),
            decimal(\.fanfare.farMicroseconds), decimal(\.h2load.farMicroseconds), note ?? "",
        ]
    }

    /// For scripts.
    var json: JSONValue {
        .object([
            "subject": .string(subject), "target": .decimal(target), "cores": .string(cores),
            "pairs": .array(pairs.map(\.json)),
            "median": isWell
                ? .object([
                    "cpu_us": .decimal(median(\.fanfare.microseconds)),
                    "h2load_cpu_us": .decimal(median(\.h2load.microseconds)),
                    "h2load_500_paths_cpu_us": .decimal(median(\.h2loadPaths.microseconds)),
                    "ratio": .decimal(median(\.ratio)), "rate": .decimal(median(\.fanfare.rate)),
                    "h2load_rate": .decimal(median(\.h2load.rate)),
                ]) : .null,
            "resident_peak_kib": residentPeak.map { .number(JSONNumber($0)) },
        ])
    }
}
