import Campaigns
import Sanitizers
import Seeds
import Testing

@testable import Delivery

/// Faults among many requests in flight, whose answers overtake one another.
@Suite struct EndpointFaultsFlightTests {
    /// The order of answers.
    enum Order: CaseIterable {
        case goodFirst, faultsFirst, mixed
    }

    /// A provider that answers all received requests at once.
    ///
    /// Its sender reads the answers in pieces and makes a new request for each.
    private struct Flight {
        var random: SeededRandom
        var order: Order
        var faults = EndpointFaults()
        /// The answers on the way, in order, with the marks of their requests.
        var answers: [(isFault: Bool, mark: UInt16)] = []
        /// The requests that the provider has not processed.
        var requests: [UInt16] = []
        var decided: [EndpointFaults.Decision] = []
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
            guard faults.isRaised, faults.healthy(Fixtures.request(mark)) != .tellsNothing else { return }
            (charged, putOff) = (charged + faults.decided.count, 0)
            faults.take(&decided)
        }

        private mutating func fault(_ mark: UInt16) {
            let device = EndpointFaults.Device(runIndex: 0, position: seen)
            switch faults.fault(of: device, Fixtures.request(mark), Fixtures.retry, now: Fixtures.now).fate {
            case .putOff: putOff += 1
            case .pending, .asSaid: isOpen = true
            }
        }
    }

    /// The seeds of flights, each with its number of streams.
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
            // Every device with a fault was charged, except those that the next good answer decides about.
            #expect(Double(flight.charged + flight.putOff) > share * 0.8 * 20_000)
        }
    }

    @Test(arguments: Order.allCases)
    func `a storm opens it within a few round trips, and nobody pays for it`(_ order: Order) {
        for (seed, streams) in Self.flights {
            // Good answers from before the storm arrive among its faults.
            var flight = Flight(random: SeededRandom(seed: seed), order: order)
            while flight.seen < 5000 { flight.turn(share: 0, streams: streams) }
            let before = flight.seen
            while !flight.isOpen, flight.seen < before + 100_000 { flight.turn(share: 1, streams: streams) }
            #expect(flight.isOpen)
            #expect(flight.seen - before <= 20 * streams + 2 * EndpointFaults.answersMax)
            #expect(flight.charged == 0)
        }
    }
}
