import Campaigns
import Delivery
import Testing

/// A process's estimate of the shared time from a database server's answers.
@Suite struct ServerClockTests {
    /// Returns an answer of a server whose clock is `lead` milliseconds ahead of the monotonic one.
    ///
    /// It was asked at `asked`, answered after `took` and read its clock after `read`.
    private func sample(lead: Int64, asked: Int64, took: Int64, read: Int64) -> ServerClock.Sample {
        ServerClock.Sample(
            server: Timestamp(milliseconds: asked + read + lead),
            asked: MonotonicInstant(nanoseconds: asked * 1_000_000),
            answered: MonotonicInstant(nanoseconds: (asked + took) * 1_000_000)
        )
    }

    @Test func `a slow answer moves nothing that quick ones have said`() {
        var clock = ServerClock(sample(lead: 50_000, asked: 1000, took: 2, read: 1))
        #expect(abs(clock.lead - 50_000_000) <= 2000)
        let known = clock.lead
        // It waited four seconds for a lock, and the server read its clock at the very end or beginning.
        for read in [Int64(0), 4000] {
            clock.heard(sample(lead: 50_000, asked: 2000, took: 4000, read: read))
            #expect(clock.lead == known)
        }
    }

    @Test func `quick answers narrow what a slow one has said`() {
        var clock = ServerClock(sample(lead: 50_000, asked: 1000, took: 4000, read: 0))
        #expect(abs(clock.lead - 50_000_000) <= 2_001_000)
        clock.heard(sample(lead: 50_000, asked: 6000, took: 2, read: 1))
        #expect(abs(clock.lead - 50_000_000) <= 2000)
    }

    @Test(arguments: [Int64(-86_400_000), -3_600_000, -2000, 2000, 3_600_000, 86_400_000])
    func `a server that was set, or another one, is believed`(step: Int64) {
        var clock = ServerClock(sample(lead: 50_000, asked: 1000, took: 2, read: 1))
        clock.heard(sample(lead: 50_000 + step, asked: 3000, took: 2, read: 1))
        #expect(abs(clock.lead - (50_000 + step) * 1000) <= 2000)
    }

    @Test func `clocks that drift are followed`() {
        var clock = ServerClock(sample(lead: 50_000, asked: 0, took: 2, read: 1))
        // 200 ms in a thousand seconds.
        for second in Int64(1)...1000 {
            clock.heard(sample(lead: 50_000 + second / 5, asked: second * 1000, took: 2, read: 1))
        }
        #expect(abs(clock.lead - 50_200_000) <= 3000)
    }

    @Test(arguments: [
        (Int64(0), ClockStanding.Verdict.inStep, ClockStanding.Verdict.inStep), (4999, .inStep, .inStep),
        (-5000, .apart, .apart), (59_999, .apart, .apart), (60_000, .lost, .apart), (-86_400_000, .lost, .apart),
        (.min, .lost, .apart),
    ])
    func `five seconds are told, and a minute stops a worker unless its clock is all there is`(
        skew: Int64,
        server: ClockStanding.Verdict,
        host: ClockStanding.Verdict
    ) {
        #expect(ClockStanding(skew: skew, source: .server).verdict == server)
        #expect(ClockStanding(skew: skew, source: .host).verdict == host)
    }

    @Test func `a skew is said in words`() {
        #expect(ClockStanding(skew: -7000, source: .server).text == "7 s behind the shared time")
        #expect(ClockStanding(skew: 3_720_000, source: .server).text == "62 min 0 s ahead of the shared time")
        #expect(ClockStanding(skew: 90_000_000, source: .host).text == "25 h 0 min ahead of the shared time")
        #expect(ClockStanding(skew: 3_600_400, source: .server).mark == "CLOCK +3600s")
        #expect(ClockStanding(skew: -7000, source: .server).mark == "CLOCK -7s")
        #expect(ClockStanding(skew: .min, source: .server).mark.hasPrefix("CLOCK -"))
    }
}
