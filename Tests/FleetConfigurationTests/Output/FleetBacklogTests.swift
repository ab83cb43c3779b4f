import Campaigns
import Delivery
import Testing
import Transport

@testable import Operations
@testable import Store

/// The queues and the parked messages in the fleet's status.
@Suite struct FleetBacklogTests {
    @Test func `a refused job is its producer's business, and a message on its way to the ledger a worker's`() {
        var facts = FleetFacts(at: Timestamp(milliseconds: 0))
        facts.parkedInLedger.producers = 2
        facts.parkedQueue = QueueCounts(ready: 1, consumers: 1)
        let view = facts.view(since: facts)
        #expect(!view.needs.contains { $0.contains("parked") })
        #expect(view.text.contains("parked messages: 3, of them 2 refused jobs"))
        #expect(view.json["parked"]?.integer == 3 && view.json["refused_jobs"]?.integer == 2)
        facts.parkedQueue = QueueCounts(ready: 1, consumers: 0)
        #expect(facts.view(since: facts).needs.contains("1 message is parked: see fanfare parked list"))
    }

    @Test func `a rung says until when its devices wait and why, also while the ledger does not answer`() {
        let now = Timestamp(milliseconds: 1_795_204_510_000)
        var facts = FleetFacts(at: now)
        facts.queues = [
            ("fcm.bulk", "fanfare.v1.work.fcm.bulk", true, QueueCounts(ready: 5, consumers: 1)),
            ("retry 2m.a", "fanfare.v1.retry.2m.a", false, QueueCounts(ready: 4, consumers: 0)),
            ("retry 2m.b", "fanfare.v1.retry.2m.b", false, QueueCounts(ready: 3, consumers: 0)),
        ]
        let late = now.advanced(by: .seconds(120))
        #expect(facts.view(since: facts).text.contains("waits until \(late.rfc3339)"))
        let due = now.advanced(by: .seconds(70))
        facts.rungs[.minutes2] = RetryWait()
        facts.rungs[.minutes2]?.add(1958, reasons: ["TooManyRequests": 1958], due: due)
        let view = facts.view(since: facts)
        #expect(view.text.contains("waits until \(due.rfc3339), TooManyRequests 1,958"))
        #expect(view.text.contains("waits until \(due.advanced(by: .seconds(30)).rfc3339), TooManyRequests 1,958"))
        #expect(view.text.ranges(of: "standing still").count == 1)
        let rung = view.json["backlogs"]?.array?[1]
        #expect(rung?["waits_until"]?.string == due.rfc3339)
        #expect(rung?["retry_reasons"]?["TooManyRequests"]?.integer == 1958)
        #expect(view.json["backlogs"]?.array?[0]["waits_until"] == .null)
    }

    @Test func `queues that are missing, or that nobody takes from, are reasons of campaigns by their own names`() {
        var facts = FleetFacts(at: Timestamp(milliseconds: 0))
        facts.queues = [
            ("jobs", "fanfare.v1.campaigns", true, nil),
            ("fcm.bulk", "fanfare.v1.work.fcm.bulk", true, QueueCounts(ready: 5, consumers: 0)),
        ]
        #expect(facts.forCampaigns.missing == ["fanfare.v1.campaigns"])
        #expect(facts.forCampaigns.idle == ["fanfare.v1.work.fcm.bulk"])
        #expect(facts.view(since: facts).needs.contains { $0.contains("(1): fanfare.v1.campaigns") })
    }
}
