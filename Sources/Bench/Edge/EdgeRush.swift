/// The result of one rush.
struct EdgeRush: Sendable {
    /// A rush's name: the suffix of its numbers' names, and its label for people.
    struct Name: Sendable {
        let id: String
        let label: String
    }

    let name: Name
    let opens: Int
    let report: EdgeLoad.Report
    /// Opens counted in the ledger.
    let counted: Int
    /// Seconds from the last answer until the ledger had the last open.
    let written: Double
    /// CPU of the server, in seconds.
    let serverCPU: Double
    /// CPU of the worker in that time, in seconds.
    let workerCPU: Double

    /// The target for a phone's wait at the 99th percentile, in milliseconds.
    private static let waitMax = 50.0

    /// The progress line, printed while the bench goes on.
    var line: String {
        let wait = report.percentile(0.99).map { BenchNumber.text($0, digits: 1) } ?? "?"
        let cpu = BenchNumber.text(microseconds(serverCPU), digits: 1)
        let own = BenchNumber.text(microseconds(report.cpuSeconds), digits: 1)
        return "\(name.label): 99 of 100 phones waited at most \(wait) ms, the server took \(cpu) µs of CPU for each,"
            + " the phones \(own) µs"
    }

    var metrics: [BenchMetric] {
        let refused = report.statuses.filter { $0.key != 202 }.values.reduce(0, +) + report.unanswered
        return [
            BenchMetric(
                "lost_\(name.id)",
                "opens lost, \(name.label)",
                Double(opens - counted),
                digits: 0,
                target: .atMost(0)
            ),
            BenchMetric("refused_\(name.id)", "opens not answered 202", Double(refused), digits: 0, target: .atMost(0)),
            BenchMetric("p50_\(name.id)", "a phone waits, median", report.percentile(0.5), unit: "ms"),
            BenchMetric(
                "p99_\(name.id)",
                "99 of 100 phones wait at most",
                report.percentile(0.99),
                unit: "ms",
                target: .atMost(Self.waitMax)
            ),
            BenchMetric("max_\(name.id)", "the longest wait", report.percentile(1), unit: "ms"),
            cpu("server_us", "CPU of the server for an open", serverCPU),
            cpu("worker_us", "CPU of the worker in that time, per open", workerCPU),
            cpu("phones_us", "CPU of the phones for an open", report.cpuSeconds),
            BenchMetric("written_\(name.id)", "until the ledger had the last one", written, unit: "s"),
        ]
    }

    private func cpu(_ kind: String, _ label: String, _ seconds: Double) -> BenchMetric {
        BenchMetric("\(kind)_\(name.id)", label, microseconds(seconds), unit: "µs")
    }

    private func microseconds(_ seconds: Double) -> Double { seconds * 1e6 / Double(opens) }
}
