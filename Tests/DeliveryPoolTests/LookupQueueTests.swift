import Delivery
import Testing

@Suite struct LookupQueueTests {
    @Test func `1,500 names that never answer leave threads to those that do`() {
        var queue = LookupQueue()
        // It had an address before, and so it always gets a thread.
        #expect(queue.ask("genuine.example") == ["genuine.example"])
        #expect(queue.ended("genuine.example", hasAddress: true) == [])
        var running: [String] = []
        for number in 0..<1500 { running += queue.ask("hole-\(number).example") }
        #expect(running.count == LookupQueue.unprovenMax)
        #expect(queue.ask("genuine.example") == ["genuine.example"])
        #expect(queue.ask("web.push.apple.com") == ["web.push.apple.com"])
        #expect(queue.ask("push.apple.com.example") == [])
        // A repeated request waits for the same look-up.
        #expect(queue.ask("genuine.example") == [] && queue.ask("hole-1.example") == [])
        #expect(queue.ended("genuine.example", hasAddress: false) == [])
        // An outage of the name server does not make a proven name unproven.
        #expect(queue.ask("genuine.example") == ["genuine.example"])
    }

    @Test func `a new name waits for others that are new, and for none that has failed`() {
        var queue = LookupQueue()
        let holes = (0..<2 * LookupQueue.unprovenMax).map { "hole-\($0).example" }
        for hole in holes {
            #expect(queue.ask(hole) == [hole])
            #expect(queue.ended(hole, hasAddress: false) == [])
        }
        // Half of them have a thread and the others wait when the new one comes.
        let again = holes.flatMap { queue.ask($0) }
        #expect(again.count == LookupQueue.unprovenMax)
        #expect(queue.ask("new.example") == [])
        #expect(queue.ended(again[0], hasAddress: false) == ["new.example"])
    }

    @Test func `what is asked for is looked up once at a time, and everything in the end`() {
        var queue = LookupQueue()
        var running: [String] = []
        var ended: [String: Int] = [:]
        for number in 0..<3000 {
            running += queue.ask("name-\(number % 700)")
            #expect(Set(running).count == running.count && running.count <= LookupQueue.runningMax)
            if number % 3 == 0, !running.isEmpty {
                let name = running.removeFirst()
                ended[name, default: 0] += 1
                running += queue.ended(name, hasAddress: number % 2 == 0)
            }
        }
        while !running.isEmpty {
            let name = running.removeFirst()
            ended[name, default: 0] += 1
            running += queue.ended(name, hasAddress: true)
        }
        #expect(ended.count == 700)
    }
}
