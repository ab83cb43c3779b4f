import Testing

@testable import Fleet

struct EventRoundTests {
    private let start = ContinuousClock.now

    @Test func `without a refusal every look begins at the head`() {
        var round = EventRound()
        round.passed(7)
        #expect(round.after == 7)
        round.waited(now: start)
        #expect(round.after == 0)
    }

    @Test func `what was refused is tried again after a pause that doubles, and what came behind it goes first`() {
        var round = EventRound()
        var now = start
        var pauses: [Duration] = []
        for _ in 1...7 {
            let refusedAt = now
            round.refused(now: now)
            round.passed(100)
            while round.after != 0 {
                now += .milliseconds(500)
                round.waited(now: now)
            }
            pauses.append(now - refusedAt)
        }
        #expect(pauses == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
        round.waited(now: now)
        round.refused(now: now)
        round.waited(now: now + .seconds(1))
        #expect(round.after == 0)
    }
}
