import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Push services that strangers have named and that answer no connection.
    @Suite("Black holes")
    struct BlackHoles {
        /// More than a worker has connections for; 1,500 were tried by hand.
        private static let count =
            ProcessInfo.processInfo.environment["FANFARE_BLACK_HOLES"].flatMap { Int($0) } ?? 300

        @Test func `three hundred push services that never answer do not stand before one that does`() async throws {
            let network = try SilentNetwork()
            defer { network.close() }
            try await PrivateFleet.with(webPush: WebPushAccess()) { fleet in
                let worker = try await fleet.startWorker()
                let browsers = try (0..<800).map { try #require(try fleet.simulator.subscription($0)) }
                let holes = try (0..<Self.count).map {
                    try Self.hole(browsers[$0 % 800], at: network.host($0), network, fleet)
                }
                // In one campaign they precede the reachable devices: fewer than a shard, which is cut at once.
                var derby = TestJob("derby", [], webPush: Array(browsers.prefix(400)))
                derby.audience = .object(["devices": .array(holes + (derby.audience["devices"]?.array ?? []))])
                try await fleet.publish(derby)
                try await eventually("the worker connects to those that never answer", within: .seconds(60)) {
                    try await fleet.status("derby")?.state == "sending"
                }
                // Another campaign is queued behind it.
                try await fleet.publish(TestJob("cup", [], webPush: Array(browsers.suffix(400))))
                try await eventually("every browser that can be reached has its push", within: .seconds(1200)) {
                    fleet.simulator.statistics(of: .webPush)?.accepted == 800
                }
                // An unanswered connection attempt ends after five seconds, and each service makes several.
                let ended = worker.errors.components(separatedBy: "no connection to the provider").count - 1
                #expect(ended <= Self.count / 4)
                #expect(fleet.simulator.statistics(of: .webPush)?.repeatedTokens == 0)
            }
        }

        /// Returns a subscription at a host that does not answer.
        private static func hole(
            _ browser: WebPushSubscriptions.Subscription,
            at host: String,
            _ network: SilentNetwork,
            _ fleet: PrivateFleet
        ) throws -> JSONValue {
            let port = try #require(fleet.simulator.port(of: .webPush))
            let text = browser.json.replacingOccurrences(
                of: "127.0.0.1:\(port)/",
                with: "\(host):\(network.port)/"
            )
            try #require(text != browser.json)
            return .object(["token": .string(text), "provider": "webpush"])
        }
    }
}
