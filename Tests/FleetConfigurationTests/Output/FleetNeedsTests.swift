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

    private func worker(_ name: String, id: Int64 = 1, skew: Int64 = 0, seenAt: Int64 = 0) -> WorkerRecord {
        WorkerRecord(
            id: id,
            name: name,
            roles: ["sender"],
            accounts: AppAccounts(["news": [.apns]]),
            startedAt: Timestamp(milliseconds: -3_600_000),
            seenAt: Timestamp(milliseconds: seenAt),
            skew: skew
        )
    }

    @Test func `a worker whose clock is wrong is not down, and status says how wrong its clock is`() {
        var facts = FleetFacts(at: Timestamp(milliseconds: 0))
        facts.clock = ClockStanding(skew: 0, source: .server)
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

    @Test func `a worker that vanished stays with the time since its last report, until another takes its place`() {
        var facts = FleetFacts(at: Timestamp(milliseconds: 12_000))
        facts.workers = [worker("a", seenAt: 12_000), worker("b", id: 2)]
        let view = facts.view(since: facts)
        #expect(view.text.contains("worker b  SILENT  last heard 12 s ago; sender; news"))
        #expect(view.needs.count == 1 && view.needs.first?.hasPrefix("worker b fell silent") == true)
        var another = worker("c", id: 3, seenAt: 12_000)
        another.startedAt = Timestamp(milliseconds: 5000)
        facts.workers.append(another)
        let later = facts.view(since: facts)
        #expect(later.text.contains("worker b  REPLACED  last heard 12 s ago") && later.needs.isEmpty)
    }

    @Test func `a ledger that takes no writes is not ok, and explains the workers' silence`() throws {
        var facts = FleetFacts(at: Timestamp(milliseconds: 60_000))
        facts.workers = [worker("a")]
        facts.ledgerWriteFailure = .full(path: "/var/fanfare.db")
        let view = facts.view(since: facts)
        #expect(view.text.contains("NO WRITES  the disk of the ledger /var/fanfare.db is full; make room"))
        #expect(view.problems.map(\.code) == [.ledgerWrites] && view.problems.first?.subject == "store")
        let need = try #require(view.needs.first)
        #expect(need.hasSuffix("the disk of the ledger /var/fanfare.db is full: make room, nothing is lost"))
        // A lock passes.
        facts.ledgerWriteFailure = .busy(path: "/var/fanfare.db")
        #expect(facts.problems.first?.needsPerson == false)
    }

    @Test func `the state of a worker names what it cannot do`() {
        var facts = FleetFacts(at: Timestamp(milliseconds: 60_000))
        var lost = worker("a", seenAt: 60_000)
        lost.health = WorkerHealth()
        lost.health?.broker = WorkerHealth.Fault(since: Timestamp(milliseconds: 0), reason: "connection refused")
        facts.workers = [lost]
        let view = facts.view(since: facts)
        #expect(view.text.contains("worker a  BROKER  sender; news"))
        #expect(view.text.contains("connection refused (since 1970-01-01T00:00:00.000Z)"))
        #expect(view.json["problems"]?.array?.compactMap { $0["code"]?.string } == ["broker"])
        #expect(view.json["needs"]?.array?.count == 1)
        let part = view.json["parts"]?.array?.last
        #expect(part?["last_heard_at"] == "1970-01-01T00:01:00.000Z")
        #expect(part?["health"]?["broker"]?["since"] == "1970-01-01T00:00:00.000Z")
        #expect(view.json["parts"]?.array?.first?["health"] == nil)
    }

    @Test func `nothing parked needs nobody`() {
        let facts = FleetFacts(at: Timestamp(milliseconds: 0))
        #expect(!facts.view(since: facts).needs.contains { $0.contains("parked") })
    }
}
