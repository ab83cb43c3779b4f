import Campaigns
import Delivery
import Sanitizers
import Seeds
import Testing

@Suite struct FaultRunTests {
    /// Faults that answer requests which are made one after the other.
    private func answers(_ faults: inout FaultRun, _ count: Int, attempt: UInt32 = 1) -> [FaultRun.Step] {
        (0..<count).map {
            let mark = faults.isSampling ? faults.mark(attempt: attempt) : 0
            return faults.answer(attempt: attempt, mark: mark, decides: false, now: Fixtures.after(Int64($0)))
        }
    }

    /// Faults that answer requests which were made before the first of them.
    private func lateAnswers(_ faults: inout FaultRun, _ count: Int) -> [FaultRun.Step] {
        (0..<count).map { _ in faults.answer(attempt: 1, mark: 0, decides: false, now: Fixtures.now) }
    }

    /// A good answer to a request that is made now.
    private func goodAnswer(_ faults: inout FaultRun) -> Bool {
        let mark = faults.isSampling ? faults.mark(attempt: 1) : 0
        return faults.healthy(mark: mark, decides: false)
    }

    @Test func `forty faults of the forty requests after the first one trip once`() {
        var faults = FaultRun()
        #expect(answers(&faults, 40).allSatisfy { $0 == .putOff })
        #expect(answers(&faults, 2) == [.trip(since: Fixtures.now), .hold])
    }

    @Test func `requests that were under way at the first fault do not count, nor do their good answers`() {
        var faults = FaultRun()
        #expect(lateAnswers(&faults, 1000).allSatisfy { $0 == .putOff })
        let isOver = faults.healthy(mark: 0, decides: false)
        #expect(!isOver && faults.isRaised)
        #expect(answers(&faults, 39).allSatisfy { $0 == .putOff })
        let isOverYet = faults.healthy(mark: 0, decides: false)
        #expect(!isOverYet)
        #expect(answers(&faults, 1) == [.trip(since: Fixtures.now)])
    }

    @Test func `the sample is forty requests, whatever comes first: faults that overtake good answers trip nothing`() {
        var faults = FaultRun()
        _ = lateAnswers(&faults, 1)
        let marks = (0..<1000).map { _ in faults.isSampling ? faults.mark(attempt: 1) : 0 }
        #expect(marks.count { $0 != 0 } == 40)
        for mark in marks.dropFirst() {
            let step = faults.answer(attempt: 1, mark: mark, decides: false, now: Fixtures.now)
            #expect(step == .putOff)
        }
        let isOver = faults.healthy(mark: marks[0], decides: false)
        #expect(isOver && !faults.isRaised)
    }

    @Test func `a request that ends with nothing that tells leaves its place to another`() {
        var faults = FaultRun()
        _ = lateAnswers(&faults, 1)
        let marks = (0..<40).map { _ in faults.mark(attempt: 1) }
        #expect(faults.mark(attempt: 1) == 0)
        faults.toldNothing(mark: marks[0], attempt: 1)
        for mark in marks.dropFirst() { _ = faults.answer(attempt: 1, mark: mark, decides: false, now: Fixtures.now) }
        #expect(answers(&faults, 1) == [.trip(since: Fixtures.now)])
    }

    @Test func `devices that always fail are not the provider, many of them are`() {
        var faults = FaultRun()
        #expect(answers(&faults, 200, attempt: 2).allSatisfy { $0 == .putOff })
        #expect(answers(&faults, 1, attempt: 3) == [.trip(since: Fixtures.now)])
    }

    @Test func `a healthy answer ends the run`() {
        var faults = FaultRun()
        _ = answers(&faults, 40)
        #expect(faults.isRaised)
        let isOver = goodAnswer(&faults)
        #expect(isOver && !faults.isRaised)
        #expect(answers(&faults, 40).allSatisfy { $0 == .putOff })
    }

    /// In which order answers come.
    enum Order: CaseIterable {
        case goodFirst, faultsFirst, mixed
    }

    /// A far side that answers whatever has come in one go, to a sender that reads the answers in pieces and makes a
    /// request for each.
    private struct Flight {
        var random: SeededRandom
        var order: Order
        var faults = FaultRun()
        /// Answers on the way, in their order, with what their requests carry.
        var answers: [(isFault: Bool, mark: UInt16)] = []
        /// Requests that the far side has not looked at.
        var requests: [UInt16] = []
        var putOff = 0
        var charged = 0
        var seen = 0
        var isOpen = false

        mutating func turn(share: Double, streams: Int) {
            while requests.count + answers.count < streams {
                requests.append(faults.isSampling ? faults.mark(attempt: 1) : 0)
            }
            if answers.isEmpty || random.fraction() < 0.5 {
                answers += requests.map { mark in (random.fraction() < share, mark) }
                requests = []
                switch order {
                case .goodFirst: answers.sort { !$0.isFault && $1.isFault }
                case .faultsFirst: answers.sort { $0.isFault && !$1.isFault }
                case .mixed:
                    for index in answers.indices {
                        answers.swapAt(index, Int(random.fraction() * Double(index + 1)))
                    }
                }
            }
            let read = 1 + Int(random.fraction() * Double(answers.count - 1))
            for answer in answers.prefix(read) where !isOpen {
                seen += 1
                if answer.isFault { fault(answer.mark) } else { healthy(answer.mark) }
            }
            answers.removeFirst(read)
        }

        private mutating func healthy(_ mark: UInt16) {
            guard faults.isRaised, faults.healthy(mark: mark, decides: false) else { return }
            (charged, putOff) = (charged + putOff, 0)
        }

        private mutating func fault(_ mark: UInt16) {
            switch faults.answer(attempt: 1, mark: mark, decides: false, now: Fixtures.now) {
            case .putOff: putOff += 1
            case .trip, .hold: isOpen = true
            }
        }
    }

    /// Seeds of flights, each with its number of streams.
    private static var flights: some Sequence<(UInt64, Int)> {
        let streams = [1, 16, 1000]
        return (0..<UInt64(Sanitizer.rounds(30))).lazy.map { ($0, streams[Int($0) % streams.count]) }
    }

    @Test(arguments: [0.05, 0.3, 0.5], Order.allCases)
    func `a share of faults opens nothing, however answers overtake one another`(_ share: Double, _ order: Order) {
        for (seed, streams) in Self.flights {
            var flight = Flight(random: SeededRandom(seed: seed), order: order)
            while flight.seen < 20_000, !flight.isOpen { flight.turn(share: share, streams: streams) }
            #expect(!flight.isOpen, "seed \(seed), after \(flight.seen) answers")
            // Whoever got a fault has paid for it, but for those that the next good answer decides about.
            #expect(Double(flight.charged + flight.putOff) > share * 0.8 * 20_000)
        }
    }

    @Test(arguments: Order.allCases)
    func `a storm opens it within a few round trips, and nobody pays for it`(_ order: Order) {
        for (seed, streams) in Self.flights {
            // Good answers of before the storm come in the midst of its faults.
            var flight = Flight(random: SeededRandom(seed: seed), order: order)
            while flight.seen < 5000 { flight.turn(share: 0, streams: streams) }
            let before = flight.seen
            while !flight.isOpen, flight.seen < before + 100_000 { flight.turn(share: 1, streams: streams) }
            #expect(flight.isOpen)
            #expect(flight.seen - before <= 20 * streams + 2 * FaultRun.answersMax)
            #expect(flight.charged == 0)
        }
    }

    @Test func `when no answer is left that could tell, some ask again, and they tell`() {
        var faults = FaultRun()
        #expect(lateAnswers(&faults, 60).allSatisfy { $0 == .putOff })
        #expect(faults.drained(mayAsk: true) == .ask(FaultRun.retriesMax))
        // An outage: forty of them are enough.
        var outage = faults
        #expect(answers(&outage, 39).allSatisfy { $0 == .putOff })
        #expect(answers(&outage, 1) == [.trip(since: Fixtures.now)])
        // None: the next such end asks again only if it is as bad.
        let isOver = goodAnswer(&faults)
        #expect(isOver)
        #expect(lateAnswers(&faults, 39).allSatisfy { $0 == .putOff })
        #expect(faults.drained(mayAsk: true) == .charge)
        #expect(!faults.isRaised)
    }

    @Test func `where the provider forbade to ask, or the runs are stopped, nobody does`() {
        var faults = FaultRun()
        _ = lateAnswers(&faults, 60)
        #expect(faults.drained(mayAsk: false) == .charge)
        // Nothing is left of it.
        #expect(answers(&faults, 40).allSatisfy { $0 == .putOff })
    }

    @Test func `where most answers were good, nobody asks`() {
        var faults = FaultRun()
        _ = lateAnswers(&faults, 60)
        for _ in 0..<60 {
            let isOver = faults.healthy(mark: 0, decides: false)
            #expect(!isOver)
        }
        #expect(faults.drained(mayAsk: true) == .charge)
    }

    @Test func `those that ask do not ask for ever`() {
        var faults = FaultRun()
        _ = lateAnswers(&faults, 60)
        _ = faults.drained(mayAsk: true)
        #expect(answers(&faults, 20).allSatisfy { $0 == .putOff })
        #expect(faults.drained(mayAsk: true) == .charge)
    }

    @Test func `streams without an answer are no matter of order`() {
        var faults = FaultRun()
        for _ in 1...39 { #expect(faults.certain(attempt: 1, decides: false, now: Fixtures.now) == .putOff) }
        #expect(faults.certain(attempt: 1, decides: false, now: Fixtures.now) == .trip(since: Fixtures.now))
    }

    @Test func `five connections that come to nothing trip`() {
        var faults = FaultRun()
        for _ in 1...4 { #expect(faults.connection(decides: false, now: Fixtures.now) == .putOff) }
        #expect(faults.connection(decides: false, now: Fixtures.now) == .trip(since: Fixtures.now))
    }

    @Test func `a probe's first fault decides, and the answers of others do not hide its own`() {
        var faults = FaultRun()
        faults.begin(isProbe: true)
        #expect(faults.isRaised)
        _ = faults.healthy(mark: 0, decides: false)
        #expect(faults.isRaised)
        let step = faults.answer(attempt: 1, mark: 0, decides: true, now: Fixtures.now)
        #expect(step == .trip(since: Fixtures.now))
        faults.begin(isProbe: true)
        let isOver = faults.healthy(mark: 0, decides: true)
        #expect(isOver && !faults.isRaised)
        faults.begin(isProbe: true)
        faults.probeEnded()
        _ = faults.healthy(mark: 0, decides: false)
        #expect(!faults.isRaised)
    }

    @Test func `what the ledger lets through begins anew`() {
        var faults = FaultRun()
        _ = answers(&faults, 45)
        faults.begin(isProbe: false)
        #expect(answers(&faults, 40).allSatisfy { $0 == .putOff })
        // A run that begins in the middle of a run of faults does not end it.
        faults.begin(isProbe: false)
        #expect(answers(&faults, 1) == [.trip(since: Fixtures.now)])
    }
}
