import HTTP2
import TLS
import Testing

@testable import Simulator

@Suite(.timeLimit(.minutes(10))) struct WebPushSimulatorTests {
    @Test func `messages come over the wire, and subscriptions from the control address`() async throws {
        var configuration = PushSimulator.Configuration()
        configuration.webPush = WebPushAccess()
        let simulator = try await PushSimulator.start(configuration)
        do {
            let control = ControlClient(port: try #require(simulator.controlPort))
            let lines = try await control.get("/subscriptions?from=3&count=2").body.split(separator: "\n")
            #expect(lines.count == 2)
            let subscription = try #require(try simulator.subscription(3))
            #expect(lines[0] == subscription.json)
            #expect(try await control.get("/subscriptions?count=0").status == 400)
            let port = try #require(simulator.port(of: .webPush))
            let origin = "https://127.0.0.1:\(port)"
            #expect(subscription.endpoint.hasPrefix("\(origin)/push/"))

            let world = try WebPushWorld()
            world.now = TestClient.now()
            let fields = [
                HeaderField("authorization", try world.vapid(audience: origin), indexing: .never),
                HeaderField("ttl", "60"), HeaderField("urgency", "high"),
            ]
            let context = try TLSClientContext(
                trust: .authorities(pem: simulator.identity.authorityPEM, source: "the simulator's authority")
            )
            let path = String(subscription.endpoint.dropFirst(origin.count))
            try await simulator.changeFaults(of: .webPush) { faults throws(FaultsError) in
                try faults.set("rules", to: "0000000000000004=webpush-410")
            }
            let dead = try #require(try simulator.subscription(4)).endpoint.dropFirst(origin.count)
            let requests = [path, String(dead), path].map { TestRequest(path: $0, body: "") }
            let run = try await TestClient.send(requests, fields: fields, to: port, context: context)
            #expect(run.statuses == [201, 410, 201])
            #expect(simulator.counts(ofToken: subscription.endpoint, at: .webPush).accepted == 2)
            let statistics = try #require(simulator.statistics(of: .webPush))
            #expect(statistics.accepted == 2)
            #expect(statistics.distinctTokens == 2)
            #expect(statistics.reasons == ["webpush-410": 1])
        } catch {
            try await simulator.stop()
            throw error
        }
        try await simulator.stop()
    }
}
