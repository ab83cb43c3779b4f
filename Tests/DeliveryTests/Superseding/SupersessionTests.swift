import Campaigns
import Delivery
import Testing

@Suite struct SupersessionTests {
    @Test func `the later instant is the newer, and of equal ones the later acceptance`() {
        func position(_ seconds: Int64, _ number: UInt32) -> Supersession.Position {
            Supersession.Position(createdAt: Fixtures.after(seconds), number: number)
        }
        #expect(position(0, 9) < position(1, 2))
        #expect(position(1, 2) < position(1, 9))
        #expect(!(position(1, 2) < position(1, 2)))
    }

    @Test func `it begins when no run is left, and in any case when no worker can open a stream`() {
        func mayBegin(_ running: Int, after seconds: Int64) -> Bool {
            Supersession.mayBegin(markedAt: Fixtures.now, running: running, now: Fixtures.after(seconds))
        }
        #expect(mayBegin(0, after: 0))
        #expect(!mayBegin(1, after: 14))
        #expect(mayBegin(1, after: 15))
        #expect(Supersession.knowledgeLasts < Supersession.timeout)
    }

    @Test func `a superseded campaign ends so, unless it was cancelled before`() {
        var facts = Fixtures.campaign()
        facts.supersededBy = 7
        #expect(facts.ending(at: Fixtures.now) == .superseded)
        #expect(!facts.mayPlan(at: Fixtures.now))
        facts.stage = .cancelled
        #expect(facts.ending(at: Fixtures.now) == .cancelled)
        var waiting = Fixtures.campaign()
        waiting.isReleased = false
        #expect(waiting.mayRelease(at: Fixtures.now) && !waiting.mayPlan(at: Fixtures.now))
    }
}
