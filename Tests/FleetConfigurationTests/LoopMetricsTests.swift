import Operations
import Testing

@testable import Fleet

/// The metrics of a worker's event loops.
@Suite struct LoopMetricsTests {
    @Test func `stalls are counted, and the slowest answer is in seconds`() {
        var page = Exposition()
        page.write(LoopMetrics(stalls: 2, took: .milliseconds(1_250)))
        let samples = page.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(samples == ["fanfare_loop_stalls_total 2", "fanfare_loop_answer_seconds 1.25"])
    }
}
