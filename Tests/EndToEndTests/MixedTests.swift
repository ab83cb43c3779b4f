import Campaigns
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// One campaign over several push services.
    @Suite("Mixed campaigns")
    struct Mixed {
        @Test func `iPhones and Androids get one campaign, each device once, with one status`() async throws {
            try await PrivateFleet.with(faults: ["rules": "dead=dead,cGone=dead"], fcm: FCMAccess()) { fleet in
                _ = try await fleet.startWorker()
                let apple = TestDevices.tokens(1200) + TestDevices.tokens(30, prefix: "dead")
                let google = TestDevices.fcm(700) + TestDevices.fcm(20, prefix: "cGone")
                try await fleet.publish(TestJob("derby", apple, fcm: google))
                let status = try await fleet.completed("derby")
                #expect(status.audience == 1950)
                #expect(status.counts.accepted == 1900 && status.counts.invalid == 50)
                #expect(status.reasons == ["Unregistered": 30, "UNREGISTERED": 20])
                let sides = [SimulatedProvider.apns, .fcm].compactMap { fleet.simulator.statistics(of: $0) }
                #expect(sides.map(\.accepted) == [1200, 700])
                #expect(sides.map(\.repeatedTokens) == [0, 0])
                let json = try await fleet.run("campaign", "status", "derby", "--json")
                let value = try #require(JSONReader.read(Array(json.output.utf8)).value)
                #expect(value["providers"]?["fcm"]?["accepted"] == 700)
                #expect(value["providers"]?["apns"]?["accepted"] == 1200)
                // Tokens that Google reported as dead are not sent to again; Apple's devices go on.
                try await fleet.publish(TestJob("again", apple, fcm: google))
                let second = try await fleet.completed("again")
                #expect(second.counts.accepted == 1900 && second.counts.invalid == 50)
                #expect(fleet.simulator.statistics(of: .fcm)?.requests == 720 + 700)
            }
        }

        @Test func `an access token that ends in mid-campaign costs one refresh and no device`() async throws {
            try await PrivateFleet.with(faults: ["latency": "20-40"], fcm: FCMAccess()) { fleet in
                _ = try await fleet.startWorker()
                try await fleet.publish(TestJob("derby", [], fcm: TestDevices.fcm(6000)))
                try await eventually("some are sent") {
                    (fleet.simulator.statistics(of: .fcm)?.accepted ?? 0) > 300
                }
                fleet.simulator.revokeAccessTokens()
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 6000)
                let google = try #require(fleet.simulator.statistics(of: .fcm))
                #expect(google.accepted == 6000 && google.repeatedTokens <= Int(google.statuses[401] ?? 0))
                #expect((google.statuses[401] ?? 0) > 0)
                #expect(google.own["token_fetches"] == 2, "\(google.own)")
            }
        }

        @Test func `a pause of one push service leaves the other one alone`() async throws {
            try await PrivateFleet.with(fcm: FCMAccess()) { fleet in
                _ = try await fleet.startWorker()
                #expect(try await fleet.run("pause", "--provider", "fcm").exit == 0)
                try await fleet.publish(TestJob("derby", TestDevices.tokens(900), fcm: TestDevices.fcm(600)))
                try await eventually("Apple's devices have it") {
                    try await fleet.status("derby")?.counts.accepted == 900
                }
                #expect(fleet.simulator.statistics(of: .fcm)?.accepted == 0)
                #expect(try await fleet.run("resume", "--provider", "fcm").exit == 0)
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 1500)
                #expect(fleet.simulator.statistics(of: .fcm)?.repeatedTokens == 0)
            }
        }
    }
}
