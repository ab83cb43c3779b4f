import Campaigns
import Testing

@testable import Bench

@Suite struct BenchMetricTests {
    private func run(_ microseconds: Double, peer: Double) -> BenchRun {
        BenchRun(requests: 1_000_000, cpuSeconds: microseconds, rate: 1, peerMicroseconds: peer)
    }

    private func metric(_ name: String, in metrics: [BenchMetric]) -> BenchMetric? {
        metrics.first { $0.name == name }
    }

    @Test func `a pair does not count when the peer cost more than the sender`() {
        let good = BenchPair(fanfare: run(2, peer: 1), h2load: run(4, peer: 1), h2loadPaths: run(5, peer: 1))
        let idle = BenchPair(fanfare: run(2, peer: 3), h2load: run(4, peer: 1), h2loadPaths: run(5, peer: 1))
        #expect(good.refusal == nil)
        #expect(idle.refusal != nil)
        let ratio = metric("ratio", in: BenchPairs(pairs: [idle, good]).metrics(target: 0.65))
        #expect(ratio?.value == 0.5)
        #expect(ratio?.isMet == true)
        let none = BenchPairs(pairs: [idle])
        #expect(metric("ratio", in: none.metrics(target: 0.65))?.isMet == false)
        #expect(none.metrics(target: 0.65).allSatisfy { $0.value == nil })
        #expect(none.notes.count == 1)
    }

    @Test(arguments: [
        (BenchMetric.Target.atMost(0.8), 0.8, true), (.atMost(0.8), 0.81, false), (.atLeast(0.9), 0.9, true),
        (.atLeast(0.9), 0.89, false),
    ])
    func `a target is met at its edge and missed beyond`(target: BenchMetric.Target, value: Double, isMet: Bool) {
        let metric = BenchMetric("x", "x", value, target: target)
        #expect(metric.isMet == isMet)
        #expect(metric.verdict == (isMet ? "met" : "missed"))
    }

    @Test func `what was not measured is not met, and what has no target is neither`() {
        #expect(BenchMetric("x", "x", nil, target: .atMost(1)).verdict == "missed")
        #expect(BenchMetric("x", "x", nil).valueText == "not measured")
        #expect(BenchMetric("x", "x", 3).verdict.isEmpty)
    }

    @Test func `a metric is written with its unit and its digits`() {
        #expect(BenchMetric("x", "x", 1234567.8, digits: 0).valueText == "1,234,568")
        #expect(BenchMetric("x", "x", 1.236, unit: "µs", target: .atMost(2)).valueText == "1.24 µs")
        #expect(BenchMetric("x", "x", 1.236, unit: "µs", target: .atMost(2)).targetText == "at most 2.00 µs")
    }

    @Test func `the report is the same in text, JSON and Markdown`() throws {
        let met = BenchMetric("ratio", "share | of h2load's CPU", 0.7, target: .atMost(0.8))
        let missed = BenchMetric("rate_ratio", "share of the rate", 0.5, target: .atLeast(0.8))
        let results = [
            BenchResult(
                scenario: .sending,
                subject: "s",
                metrics: [met, BenchMetric("rate", "pushes", 10, digits: 0)]
            ),
            BenchResult(scenario: .latency, subject: "l", metrics: [missed]),
            BenchResult(scenario: .urgent, failure: "the broker is gone"),
        ]
        let report = BenchReport(cores: "one core", results: results)
        #expect(!report.isWell)
        #expect(report.text.contains("1 targets met, 1 missed"))
        #expect(report.text.contains("the broker is gone"))
        let lines = report.markdown.split(separator: "\n")
        #expect(lines.contains("| **sending** | share \\| of h2load's CPU | 0.70 | at most 0.80 | met |"))
        #expect(lines.contains("|  | pushes | 10 |  |  |"))
        #expect(lines.contains("| **latency** | share of the rate | 0.50 | at least 0.80 | missed |"))
        #expect(lines.contains("| **urgent** | could not be measured | not measured |  |  |"))
        let scenarios = try #require(report.json["scenarios"]?.array)
        #expect(scenarios.map { $0["measured"] } == [.bool(true), .bool(true), .bool(false)])
        let metrics = try #require(scenarios[0]["figures"]?.array)
        #expect(metrics[0]["met"] == .bool(true) && metrics[0]["at_most"] == .decimal(0.8))
        #expect(metrics[1]["met"] == nil)
    }

    @Test func `steady state is between a tenth and nine tenths of the devices`() throws {
        var track = CampaignTrack(devices: 1000)
        for (done, seconds) in [(0, 0.0), (50, 1), (100, 2), (500, 3), (900, 4), (950, 5), (1000, 6)] {
            track.add(CampaignSample(done: done, seconds: seconds))
        }
        let (first, last) = try #require(track.window)
        #expect((first.done, last.done) == (100, 900))
        #expect((first.seconds, last.seconds) == (2, 4))
    }

    @Test func `a campaign too short for that is measured whole, one in which nothing was done not at all`() throws {
        var track = CampaignTrack(devices: 1000)
        track.add(CampaignSample())
        #expect(track.window == nil)
        track.add(CampaignSample(done: 1000, seconds: 1))
        track.add(CampaignSample(done: 1000, seconds: 2))
        let (first, last) = try #require(track.window)
        #expect((first.done, last.done, last.seconds) == (0, 1000, 1))
    }

    @Test func `threads are known by their names`() {
        var metrics = ThreadMetrics()
        metrics.add(name: "NIO-ELT-0-#0\n", schedstat: "2000000000 5 6\n")
        metrics.add(name: "NIO-ELT-0-#1\n", schedstat: "1000000000 5 6\n")
        metrics.add(name: "ledger\n", schedstat: "500000000 5 6\n")
        metrics.add(name: "fanfare\n", schedstat: "250000000 5 6\n")
        metrics.add(name: "fanfare\n", schedstat: "")
        #expect(metrics[.loops] == 3 && metrics[.ledger] == 0.5 && metrics[.tasks] == 0.25)
        let twice = metrics + metrics
        #expect((twice - metrics) == metrics)
    }

    @Test func `what is neither transport nor ledger nor tasks is the rest`() {
        let shares = CPUShares(total: 2, transport: 1.25, ledger: 0.25, tasks: 0.125)
        #expect(shares.rest == 0.375)
        let metrics = CPUShares.metrics([shares])
        #expect(metric("ledger_us", in: metrics)?.isMet == false)
        #expect(metric("transport_us", in: metrics)?.isMet == nil)
    }

    @Test func `allocations for a device are what one more device costs`() {
        #expect(AllocationScenario.perDevice(few: (1000, 5_000), many: (5000, 9_000)) == 1)
        #expect(AllocationScenario.perDevice(few: (1000, 5_000), many: (5000, 5_000)) == 0)
    }

    @Test(
        arguments: [
            ([3, 1, 2], 2), ([4, 1, 3, 2], 2.5), ([7], 7), ([], 0),
        ] as [([Double], Double)]
    )
    func `the median is the middle`(values: [Double], median: Double) {
        #expect(BenchNumber.median(values) == median)
    }

    @Test func `a percentile is one of the values`() {
        let values = (1...100).reversed().map(Double.init)
        #expect(BenchNumber.percentile(0.5, of: values) == 50)
        #expect(BenchNumber.percentile(0.99, of: values) == 99)
        #expect(BenchNumber.percentile(1, of: values) == 100)
        #expect(BenchNumber.percentile(0.99, of: [4, 2]) == 4)
        #expect(BenchNumber.percentile(0.5, of: []) == nil)
    }

    @Test(arguments: [(1.2345, 2, "1.23"), (0.05, 3, "0.050"), (-0.001, 2, "0.00"), (12, 0, "12")])
    func `measured numbers are rounded`(value: Double, digits: Int, text: String) {
        #expect(BenchNumber.text(value, digits: digits) == text)
    }
}
