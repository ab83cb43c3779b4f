import Campaigns
import Delivery
import Settings
import Store
import Testing

@testable import Fleet

/// The notes that a worker takes of its own faults.
struct HealthRecorderTests {
    private let recorder = HealthRecorder()
    private let start = Timestamp(milliseconds: 1_795_289_400_000)

    private func report() throws -> WorkerHealth { recorder.report(try AppDirectory([])) }

    private func after(_ seconds: Int64) -> Timestamp { start.advanced(by: .seconds(seconds)) }

    @Test func `writes that fail are told once for each reason, and their end when none fails any more`() throws {
        let full = LedgerError.full(path: "x")
        #expect(!recorder.wrote(.report))
        #expect(recorder.failed(.work, full, at: start))
        #expect(!recorder.failed(.work, full, at: after(1)))
        #expect(!recorder.failed(.report, full, at: after(2)) && !recorder.failed(.test, full, at: after(2)))
        #expect(recorder.failed(.work, .busy(path: "x"), at: after(3)))
        #expect(
            try report().ledger == WorkerHealth.Fault(since: start, reason: LedgerError.busy(path: "x").description)
        )
        // A report may fit where a settlement does not.
        #expect(!recorder.wrote(.report) && !recorder.wrote(.test))
        #expect(try report().ledger?.since == start)
        #expect(recorder.wrote(.work) && !recorder.wrote(.work))
        #expect(try report().ledger == nil)
    }

    @Test func `the loss of either connection counts from its beginning until both are there`() throws {
        recorder.lost(.consumer, "refused", at: start)
        recorder.lost(.consumer, "refused again", at: after(5))
        recorder.lost(.publisher, "reset", at: after(1))
        #expect(try report().broker == WorkerHealth.Fault(since: start, reason: "refused again"))
        recorder.connected(.consumer)
        #expect(try report().broker == WorkerHealth.Fault(since: after(1), reason: "reset"))
        recorder.connected(.publisher)
        #expect(try report().broker == nil)
    }

    @Test func `an alarm has its beginning, and a skew is the last one`() throws {
        recorder.alarm(isOn: true, at: start)
        recorder.alarm(isOn: true, at: after(3))
        recorder.compared(brokerSkew: 3_600_000)
        #expect(try report().alarmSince == start && report().brokerSkew == 3_600_000)
        recorder.alarm(isOn: false, at: after(4))
        recorder.compared(brokerSkew: nil)
        #expect(try report() == WorkerHealth())
    }
}
