package import Campaigns
import Operations

/// One measured number, with its target where the design has one (section 16).
struct BenchMetric: Sendable, Equatable {
    /// A bound that a number has to meet.
    enum Target: Sendable, Equatable {
        case atMost(Double)
        case atLeast(Double)
    }

    /// The name in JSON.
    let name: String
    /// The label for people.
    let label: String
    /// Nil when it could not be measured.
    let value: Double?
    /// Its unit; may be empty.
    let unit: String
    /// Digits after the decimal point.
    let digits: Int
    let target: Target?

    init(
        _ name: String,
        _ label: String,
        _ value: Double?,
        unit: String = "",
        digits: Int = 2,
        target: Target? = nil
    ) {
        self.name = name
        self.label = label
        self.value = value
        self.unit = unit
        self.digits = digits
        self.target = target
    }

    /// True if the target is met; nil without one.
    ///
    /// A target without a measured number counts as missed.
    var isMet: Bool? {
        switch target {
        case nil: nil
        case .atMost(let most): value.map { $0 <= most } ?? false
        case .atLeast(let least): value.map { $0 >= least } ?? false
        }
    }

    /// The number with its unit.
    var valueText: String { value.map { text($0) } ?? "not measured" }

    /// `at most 0.80`; empty without a target.
    var targetText: String {
        switch target {
        case nil: ""
        case .atMost(let most): "at most \(text(most))"
        case .atLeast(let least): "at least \(text(least))"
        }
    }

    /// `met`, `missed` or empty.
    var verdict: String { isMet.map { $0 ? "met" : "missed" } ?? "" }

    private func text(_ number: Double) -> String {
        let plain = digits == 0 ? NumberText.grouped(Int(number.rounded())) : BenchNumber.text(number, digits: digits)
        return unit.isEmpty ? plain : "\(plain) \(unit)"
    }

    var json: JSONValue {
        let bound: (String, Double)? =
            switch target {
            case nil: nil
            case .atMost(let most): ("at_most", most)
            case .atLeast(let least): ("at_least", least)
            }
        return .object(
            [
                JSONMember("name", .string(name)), JSONMember("label", .string(label)),
                JSONMember("value", value.map(JSONValue.decimal) ?? .null), JSONMember("unit", .string(unit)),
            ]
                + (bound.map { [JSONMember($0.0, .decimal($0.1)), JSONMember("met", .bool(isMet == true))] } ?? [])
        )
    }
}

extension BenchResult {
    /// Makes the result of a scenario that failed.
    package init(scenario: BenchScenario, failure: String) {
        self.init(scenario: scenario, subject: "could not be measured", metrics: [], notes: [failure])
    }
}

/// The result of a scenario.
package struct BenchResult: Sendable {
    let scenario: BenchScenario
    /// The subject of the measurement, in one line.
    let subject: String
    /// The runs, for people; nil for none.
    var runs: TextTable?
    /// Medians, percentiles, peaks.
    let metrics: [BenchMetric]
    /// Remarks that the numbers need.
    var notes: [String] = []
    /// The runs, for scripts.
    var details: [JSONValue] = []

    /// True if any number was measured; without one, no run counted.
    var isMeasured: Bool { metrics.contains { $0.value != nil } }

    /// The result, for people.
    var text: String {
        var table = TextTable(columns: [.left, .left, .right, .left])
        for metric in metrics { table.add([metric.verdict, metric.label, metric.valueText, metric.targetText]) }
        return (["\(scenario.rawValue): \(subject)"] + (runs.map { [$0.text] } ?? []) + [table.text] + notes)
            .joined(separator: "\n")
    }

    /// The result, for scripts.
    var json: JSONValue {
        .object([
            "scenario": .string(scenario.rawValue), "subject": .string(subject), "measured": .bool(isMeasured),
            "figures": .array(metrics.map(\.json)), "notes": .array(notes.map(JSONValue.string)),
            "runs": .array(details),
        ])
    }
}

/// The results of a bench.
package struct BenchReport: Sendable {
    /// The assignment of the cores.
    let cores: String
    let results: [BenchResult]

    /// Creates the report of a bench.
    package init(cores: String, results: [BenchResult]) {
        self.cores = cores
        self.results = results
    }

    /// True if every scenario was measured.
    package var isWell: Bool { results.allSatisfy(\.isMeasured) }

    private var withTarget: [BenchMetric] { results.flatMap(\.metrics).filter { $0.target != nil } }

    /// The report, for people.
    package var text: String {
        let met = withTarget.count { $0.isMet == true }
        let missed = withTarget.count - met
        let end = withTarget.isEmpty ? [] : ["\(met) targets met, \(missed) missed"]
        return ([cores] + results.map(\.text) + end).joined(separator: "\n\n")
    }

    /// The report, for scripts.
    package var json: JSONValue {
        .object([
            "cores": .string(cores), "scenarios": .array(results.map(\.json)),
        ])
    }

    /// The report as a Markdown table: a row for each number.
    package var markdown: String {
        var lines = ["| | | measured | must reach | |", "|---|---|---:|---:|---|"]
        for result in results {
            if result.metrics.isEmpty {
                lines.append(Self.row(["**\(result.scenario.rawValue)**", result.subject, "not measured", "", ""]))
            }
            for (index, metric) in result.metrics.enumerated() {
                let name = index == 0 ? "**\(result.scenario.rawValue)**" : ""
                lines.append(Self.row([name, metric.label, metric.valueText, metric.targetText, metric.verdict]))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func row(_ cells: [String]) -> String {
        "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }
}
