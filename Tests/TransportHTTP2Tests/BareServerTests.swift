import Delivery
import NIOConcurrencyHelpers
import Simulator
import TLS
import Testing
import Transport

@Suite(.timeLimit(.minutes(10))) struct BareServerTests {
    @Test func `it counts what it answers, and refuses in even steps`() async throws {
        let bed = try Bed()
        var behaviour = BareBehaviour()
        behaviour.deadEvery = 20
        behaviour.unavailableEvery = 30
        let server = try await BareServer.start(
            host: "127.0.0.1",
            port: 0,
            loops: 1,
            tls: bed.server,
            behaviour: behaviour,
            now: 1_790_000_000_000
        )
        let outcome = try await bed.run(port: server.port, requests: 3000) { $0.connections.connectionsMax = 1 }
        let bodies = outcome.ends.values.compactMap(\.last)
        let dead = #"{"reason":"Unregistered","timestamp":1790000000000}"#
        #expect(bodies.count { $0 == .status(410, retryAfter: "", body: dead) } == 150)
        let unavailable = #"{"reason":"ServiceUnavailable"}"#
        // Every sixtieth is dead already.
        #expect(bodies.count { $0 == .status(503, retryAfter: "", body: unavailable) } == 50)
        #expect(server.counts.answered == 3000)
        #expect(server.counts.dead == 150 && server.counts.unavailable == 50)
        #expect(server.counts.connections == 1)
        try await server.stop()
        try await bed.stop()
    }

    @Test func `after a GOAWAY later streams are not answered, and another connection answers them`() async throws {
        let bed = try Bed()
        var behaviour = BareBehaviour()
        behaviour.goAwayEvery = 1000
        let server = try await BareServer.start(
            host: "127.0.0.1",
            port: 0,
            loops: 1,
            tls: bed.server,
            behaviour: behaviour
        )
        let outcome = try await bed.run(port: server.port, requests: 2500, resendsMax: .max) {
            $0.connections.connectionsMax = 1
        }
        #expect(outcome.answered == 2500)
        #expect(server.counts.answered == 2500)
        #expect(server.counts.goAways >= 2)
        #expect(server.counts.connections > 2)
        try await server.stop()
        try await bed.stop()
    }

    @Test func `answers that are held back or paced all come, and arrivals are told`() async throws {
        let bed = try Bed()
        var behaviour = BareBehaviour()
        behaviour.latencyMilliseconds = 1
        behaviour.answersPerSecond = 1_000_000
        let arrived = NIOLockedValueBox(0)
        let server = try await BareServer.start(
            host: "127.0.0.1",
            port: 0,
            loops: 2,
            tls: bed.server,
            behaviour: behaviour,
            arrived: { requests, _ in arrived.withLockedValue { $0 += requests } }
        )
        let outcome = try await bed.run(port: server.port, requests: 5000)
        #expect(outcome.answered == 5000)
        #expect(arrived.withLockedValue { $0 } == 5000)
        try await server.stop()
        try await bed.stop()
    }

    @Test func `of the simulator's faults it knows four`() throws {
        var faults = Faults()
        try faults.set("dead", to: "0.05")
        try faults.set("latency", to: "50")
        let behaviour = try BareBehaviour(faults)
        #expect(behaviour.deadEvery == 20 && behaviour.latencyMilliseconds == 50)
        try faults.set("stall", to: "0.1")
        #expect(throws: FaultsError.self) { try BareBehaviour(faults) }
        var range = Faults()
        try range.set("latency", to: "20-80")
        #expect(throws: FaultsError.self) { try BareBehaviour(range) }
    }
}
