import Campaigns
import Fleet

/// One measured number, with what it has to reach where the design says so (section 16).
struct BenchMetric: Sendable, Equatable {
    /// What a figure has to reach.
    enum Target: Sendable, Equatable {
        case atMost(Double)
        case atLeast(Double)
    }

    /// The name in JSON.
    let name: String
    /// What it is, for people.
    let label: String
    /// nil when it could not be measured.
    let value: Double?
    /// Its unit; may be empty.
    let unit: String
    /// Digits behind the point.
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

    /// Whether the target is met; nil without one.
    ///
    /// What could not be measured is not met.
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

    /// `met`, `missed` or nothing.
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
    /// A scenario that broke off.
    init(scenario: BenchScenario, failure: String) {
        self.init(scenario: scenario, subject: "could not be measured", metrics: [], notes: [failure])
    }
}

/// What a scenario found out.
struct BenchResult: Sendable {
    let scenario: BenchScenario
    /// What was measured, in one line.
    let subject: String
    /// Its runs, for people; nil when there is nothing to see.
    var runs: TextTable?
    /// Medians, percentiles, peaks.
    let metrics: [BenchMetric]
    /// What a reader of the figures has to know.
    var notes: [String] = []
    /// Its runs, for scripts.
    var details: [JSONValue] = []

    /// Whether there is anything to say: a scenario none of whose runs counted has no number.
    var isMeasured: Bool { metrics.contains { $0.value != nil } }

    /// For people.
    var text: String {
        var table = TextTable(columns: [.left, .left, .right, .left])
        for metric in metrics { table.add([metric.verdict, metric.label, metric.valueText, metric.targetText]) }
        return (["\(scenario.rawValue): \(subject)"] + (runs.map { [$0.text] } ?? []) + [table.text] + notes)
            .joined(separator: "\n")
    }

    /// For scripts.
    var json: JSONValue {
        .object([
            "scenario": .string(scenario.rawValue), "subject": .string(subject), "measured": .bool(isMeasured),
            "figures": .array(metrics.map(\.json)), "notes": .array(notes.map(JSONValue.string)),
            "runs": .array(details),
        ])
    }
}

/// All scenarios of a bench.
struct BenchReport: Sendable {
    /// Which core was whose.
    let cores: String
    let results: [BenchResult]

    /// Whether every scenario could be measured.
    var isWell: Bool { results.allSatisfy(\.isMeasured) }

    private var withTarget: [BenchMetric] { results.flatMap(\.metrics).filter { $0.target != nil } }

    /// For people.
    var text: String {
        let met = withTarget.count { $0.isMet == true }
        let missed = withTarget.count - met
        let end = withTarget.isEmpty ? [] : ["\(met) targets met, \(missed) missed"]
        return ([cores] + results.map(\.text) + end).joined(separator: "\n\n")
    }

    /// For scripts.
    var json: JSONValue {
        .object([
            "cores": .string(cores), "scenarios": .array(results.map(\.json)),
        ])
    }

    /// A table in Markdown: a row for each figure.
    var markdown: String {
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
