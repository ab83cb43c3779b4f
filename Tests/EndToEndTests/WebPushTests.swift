import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Campaigns to browsers.
    @Suite("Web Push campaigns")
    struct WebPush {
        /// Returns the first digits of the ids of subscriptions `16 * digit ..< 16 * digit + 16`, below 4096.
        private static func sixteen(_ digit: String) -> String { "0000000000000" + digit }

        @Test func `two thousand browsers get what the job says, each once, with dead and throttled ones among them`()
            async throws
        {
            let trouble = "\(Self.sixteen("70"))=webpush-410,\(Self.sixteen("71"))=webpush-404"
            let faults = ["rules": "\(trouble),\(Self.sixteen("72"))=503", "retry_after": "3"]
            try await PrivateFleet.with(faults: faults, webPush: WebPushAccess()) { fleet in
                _ = try await fleet.startWorker()
                let browsers = try (0..<2000).map { try #require(try fleet.simulator.subscription($0)) }
                // The watched devices: healthy ones, and some that are told to retry later.
                let watched = (0..<20).map { browsers[$0 * 50] } + browsers[0x720...0x72f]
                for browser in watched {
                    #expect(fleet.simulator.setDevice(browser.endpoint, isOnline: true, at: .webPush))
                }
                try await fleet.publish(TestJob("derby", [], webPush: browsers))
                try await eventually("sixteen are told to come later") {
                    fleet.simulator.statistics(of: .webPush)?.statuses[503] == 16
                }
                // The service is healthy before any of them may retry: the Retry-After is kept.
                try await fleet.simulator.changeFaults(of: .webPush) { faults throws(FaultsError) in
                    try faults.set("rules", to: trouble)
                }
                let status = try await fleet.completed("derby")
                #expect(status.audience == 2000)
                #expect(status.counts.accepted == 1968 && status.counts.invalid == 32)
                let statistics = try #require(fleet.simulator.statistics(of: .webPush))
                #expect(statistics.accepted == 1968 && statistics.repeatedTokens == 0)
                #expect(statistics.statuses == [201: 1968, 410: 16, 404: 16, 503: 16])
                #expect(statistics.own["deciphered"] == 1968 && statistics.own["undecipherable"] == 0)
                for browser in watched {
                    let shown = fleet.simulator.device(browser.endpoint, at: .webPush)?.shown ?? []
                    #expect(shown.map(\.title) == ["Kick-off!"], "\(browser.endpoint)")
                    #expect(shown.map(\.body) == ["The derby has begun."], "\(browser.endpoint)")
                }
                let json = try await fleet.run("campaign", "status", "derby", "--json")
                let value = try #require(JSONReader.read(Array(json.output.utf8)).value)
                #expect(value["providers"]?["webpush"]?["accepted"] == 1968)
                #expect(value["providers"]?["webpush"]?["invalid"] == 32)
                // Ended subscriptions are not tried again.
                try await fleet.publish(TestJob("again", [], webPush: browsers))
                let second = try await fleet.completed("again")
                #expect(second.counts.accepted == 1968 && second.counts.invalid == 32)
                #expect(fleet.simulator.statistics(of: .webPush)?.requests == statistics.requests + 1968)
            }
        }

        @Test func `a subscription in one's own network gets no connection, and the others get theirs`() async throws {
            try await PrivateFleet.with(webPush: WebPushAccess()) { fleet in
                let apps = URL(fileURLWithPath: fleet.folder + "/apps.yaml")
                let text = try String(contentsOf: apps, encoding: .utf8)
                let global = text.replacingOccurrences(of: "addresses: any", with: "addresses: global")
                try #require(global != text)
                try Data(global.utf8).write(to: apps)
                _ = try await fleet.startWorker()
                let browsers = try (0..<50).map { try #require(try fleet.simulator.subscription($0)) }
                try await fleet.publish(TestJob("derby", TestDevices.tokens(300), webPush: browsers))
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 300 && status.counts.failed == 50)
                #expect(status.reasons == ["AddressNotGlobal": 50])
                let statistics = try #require(fleet.simulator.statistics(of: .webPush))
                #expect(
                    statistics.connectionsOpened == 0 && statistics.handshakesFailed == 0 && statistics.requests == 0
                )
            }
        }

        @Test func `a push service that nobody can connect to holds up nobody but its own`() async throws {
            try await PrivateFleet.with(webPush: WebPushAccess()) { fleet in
                _ = try await fleet.startWorker()
                let browsers = try (0..<1500).map { try #require(try fleet.simulator.subscription($0)) }
                let port = try #require(fleet.simulator.port(of: .webPush))
                // A subscriber names the push service: nobody listens there.
                let closed = try #require(try LoopbackPorts.free(1).first)
                var job = TestJob("derby", TestDevices.tokens(300), webPush: browsers)
                let strangers = browsers.prefix(600).map { browser in
                    JSONValue.object([
                        "token": .string(browser.json.replacingOccurrences(of: ":\(port)/", with: ":\(closed)/")),
                        "provider": "webpush",
                    ])
                }
                job.audience = .object(["devices": .array(strangers + (job.audience["devices"]?.array ?? []))])
                try await fleet.publish(job.delivered(["max_attempts": 1]))
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 1800 && status.counts.failed == 600)
                #expect(status.reasons == ["NoConnection": 600])
                let breaker = try await fleet.ledger.read {
                    try $0.breaker(app: PrivateFleet.app, provider: ProviderName(rawValue: "webpush"))
                }
                #expect(breaker == nil)
                let statistics = try #require(fleet.simulator.statistics(of: .webPush))
                #expect(statistics.accepted == 1500 && statistics.repeatedTokens == 0)
            }
        }
    }
}
