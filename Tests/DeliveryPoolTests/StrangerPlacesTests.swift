import Delivery
import Testing

@Suite struct StrangerPlacesTests {
    @Test func `of 1,500 runs that wait for a connection each new one sends the oldest away`() {
        var places = StrangerPlaces(loops: 2)
        let most = StrangerPlaces.ofWorker / 2
        #expect((0..<most).allSatisfy { places.waits($0) == nil })
        #expect((most..<1500).map { places.waits($0) } == (0..<1500 - most).map { $0 })
        // A waiting run does not wait a second time.
        #expect(places.waits(1499) == nil)
    }

    @Test func `a run whose service has answered, or that is over, takes no place`() {
        var places = StrangerPlaces(loops: StrangerPlaces.ofWorker)
        #expect(places.waits(1) == nil)
        places.left(1)
        #expect(places.waits(2) == nil && places.waits(3) == 2)
        places.asks(3)
        places.left(3)
        #expect(places.waits(4) == nil)
    }

    @Test func `a run with a request under way stays, and the one that comes leaves`() {
        var places = StrangerPlaces(loops: StrangerPlaces.ofWorker / 2)
        #expect(places.waits(1) == nil && places.waits(2) == nil)
        places.asks(1)
        places.asks(2)
        #expect(places.waits(3) == 3)
        #expect(places.waits(1) == nil)
        places.left(2)
        #expect(places.waits(3) == nil)
    }

    @Test func `a worker of many loops has a place for one run on each`() {
        var places = StrangerPlaces(loops: 96)
        #expect(places.waits(1) == nil && places.waits(2) == 1)
    }
}
