import Campaigns
import Delivery
import Testing

@testable import Operations
@testable import Store

/// The actions that `status` asks of a person.
@Suite struct FleetNeedsTests {
    @Test(arguments: [
        (1, "1 message is parked: see fanfare parked list"),
        (1200, "1,200 messages are parked: see fanfare parked list"),
    ])
    func `parked messages are counted as people count`(count: Int, text: String) {
        var facts = FleetFacts(at: Timestamp(milliseconds: 0))
        facts.parkedInLedger.fleets = count
        #expect(facts.view(since: facts).needs.contains(text))
    }

    @Test func `a worker whose clock is wrong is not down, and status says how wrong its clock is`() {
        func worker(_ name: String, skew: Int64) -> WorkerRecord {
            WorkerRecord(
                id: 1,
                name: name,
                roles: ["sender"],
                accounts: AppAccounts(["news": [.apns]]),
                startedAt: Timestamp(milliseconds: 0),
                seenAt: Timestamp(milliseconds: 0),
                skew: skew
            )
        }
        var facts = FleetFacts(at: Timestamp(milliseconds: 0))
        facts.clockSource = .server
        facts.workers = [worker("a", skew: 3_600_000), worker("b", skew: -7000), worker("c", skew: 40)]
        let view = facts.view(since: facts)
        #expect(view.text.contains("worker a  CLOCK +3600s  sender; news"))
        #expect(view.text.contains("worker b  CLOCK -7s     sender; news"))
        #expect(view.text.contains("worker c  ok            sender; news"))
        #expect(!view.text.contains("DOWN"))
        let wells = view.json["parts"]?.array?.compactMap { $0["well"] }
        #expect(wells == [true, true, false, false, true])
        #expect(view.needs.count { $0.contains("set the clock right") } == 2)
    }

    @Test func `nothing parked needs nobody`() {
        let facts = FleetFacts(at: Timestamp(milliseconds: 0))
        #expect(!facts.view(since: facts).needs.contains { $0.contains("parked") })
    }
}
