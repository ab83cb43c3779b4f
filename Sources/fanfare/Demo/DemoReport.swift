import Campaigns
import Operations

/// A demo's result: the ledger's closing table and its comparison with the simulator.
struct DemoReport: Sendable {
    let view: CampaignStatusView
    /// Devices a second until nine of ten had an outcome; nil when it did not get that far.
    let rate: Int?
    let comparison: DemoComparison
    let now: Timestamp

    /// True if every device is accounted for and both sides agree.
    var isWell: Bool {
        view.state == "completed" && view.isLawKept && view.pending.total == 0
            && view.attempts == comparison.ledger.requests && comparison.agrees
    }

    /// The report, for people.
    var text: String {
        var lines = ["", view.text(now: now)]
        if let rate, let seconds {
            let wait = view.attempts > view.audience ? ", with the wait for retries" : ""
            let speed = "\(NumberText.grouped(rate)) devices/s for the first nine in ten"
            lines.append("speed     \(speed); \(tenths(seconds)) s in all\(wait)")
        }
        lines += ["", comparison.text, "", verdict]
        return lines.joined(separator: "\n")
    }

    /// The report, for scripts.
    var json: JSONValue {
        .object([
            "well": .bool(isWell), "campaign": view.json, "comparison": comparison.json,
            "rate": rate.map { .number(JSONNumber($0)) } ?? .null,
            "seconds": seconds.map { .number(JSONNumber(text: tenths($0))) } ?? .null,
        ])
    }

    private var verdict: String {
        let audience = NumberText.grouped(view.audience)
        if isWell {
            return "Every one of \(audience) devices is accounted for, and ledger and simulator agree on every token."
        }
        var reasons: [String] = []
        if view.state != "completed" { reasons.append("the campaign is \(view.state)") }
        if view.pending.total > 0 { reasons.append("\(NumberText.grouped(view.pending.total)) devices are pending") }
        if !view.isLawKept { reasons.append("the ledger's own numbers do not add up") }
        if view.attempts != comparison.ledger.requests {
            reasons.append("the ledger's total of requests is not the sum over its devices")
        }
        if !comparison.agrees { reasons.append("ledger and simulator differ") }
        return "Not as it should be: \(reasons.joined(separator: "; "))."
    }

    /// Seconds from the first shard to the last outcome, at least a millisecond.
    private var seconds: Double? {
        guard let startedAt = view.startedAt, let completedAt = view.completedAt else { return nil }
        return Double(max(1, completedAt.milliseconds - startedAt.milliseconds)) / 1000
    }

    private func tenths(_ seconds: Double) -> String {
        let tenths = Int((seconds * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
