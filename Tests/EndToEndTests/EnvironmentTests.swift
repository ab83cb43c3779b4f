import Campaigns
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Faults of a whole campaign and not of its devices.
    @Suite("Wrong campaigns")
    struct WrongCampaigns {
        @Test func `P18: nearly all tokens called wrong pause the campaign, and none is invalid after the fix`()
            async throws
        {
            try await PrivateFleet.with(faults: ["bad_token": "0.95"]) { fleet in
                for _ in 1...2 { _ = try await fleet.startWorker() }
                try await fleet.putList("fans", TestDevices.tokens(6000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await eventually("the campaign is paused, and nothing runs") {
                    let status = try await fleet.status("derby")
                    return status?.stateReason == "wrong_environment" && status?.pending.sending == 0
                        && status?.pending.queued == 0
                }
                let paused = try #require(try await fleet.status("derby"))
                #expect(paused.counts.invalid == 0)
                #expect(paused.counts.total < 200)
                #expect(paused.law == .holds)
                #expect(fleet.simulator.statistics.requests <= 2000)
                _ = try await fleet.simulator.changeFaults { (faults) throws(FaultsError) in
                    try faults.set("bad_token", to: "0")
                }
                #expect(try await fleet.run("campaign", "resume", "derby").exit == 0)
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 6000)
                let devices = try await fleet.devices("derby")
                #expect(devices.differing.isEmpty, "\(devices.differing.prefix(3))")
                #expect(devices.allSatisfy { $0.accepted == 1 && $0.requests <= 2 })
            }
        }

        @Test func `who resumes a second time without a fix says that the tokens are dead`() async throws {
            try await PrivateFleet.with(faults: ["rules": "bad=bad-token"]) { fleet in
                _ = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(2400, prefix: "bad") + TestDevices.tokens(600))
                try await fleet.publish(TestJob("derby", list: "fans"))
                for round in 1...2 {
                    try await eventually("the campaign is paused, round \(round)") {
                        let status = try await fleet.status("derby")
                        return status?.stateReason == "wrong_environment" && status?.pending.sending == 0
                            && status?.pending.queued == 0
                    }
                    #expect(try await fleet.status("derby")?.counts.invalid == 0)
                    #expect(try await fleet.run("campaign", "resume", "derby").exit == 0)
                }
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 600)
                #expect(status.counts.invalid == 2400)
                let devices = try await fleet.devices("derby")
                #expect(devices.differing.isEmpty, "\(devices.differing.prefix(3))")
                #expect(devices.allSatisfy { $0.requests <= 3 })
            }
        }

        @Test func `some wrong tokens are invalid, each asked once`() async throws {
            try await PrivateFleet.with(faults: ["rules": "bad=bad-token,f00=not-for-topic"]) { fleet in
                _ = try await fleet.startWorker()
                let tokens =
                    TestDevices.tokens(4000) + TestDevices.tokens(300, prefix: "bad")
                    + TestDevices.tokens(200, prefix: "f00")
                try await fleet.publish(TestJob("derby", tokens))
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 4000)
                #expect(status.counts.invalid == 500)
                #expect(status.reasons == ["BadDeviceToken": 300, "DeviceTokenNotForTopic": 200])
                #expect(try await fleet.devices("derby").differing.isEmpty)
                #expect(fleet.simulator.statistics.requests == 4500)
            }
        }

        @Test func `a token that was called wrong is sent to once more, last, and is dead then`() async throws {
            try await PrivateFleet.with(faults: ["rules": "bad=bad-token"]) { fleet in
                _ = try await fleet.startWorker()
                let wrong = TestDevices.tokens(100, prefix: "bad")
                try await fleet.putList("fans", wrong + TestDevices.tokens(900))
                var connections: UInt64 = 0
                for (campaign, requests) in [("first", 1000), ("second", 2000), ("third", 2900)] {
                    try await fleet.publish(TestJob(campaign, list: "fans"))
                    let status = try await fleet.completed(campaign)
                    #expect(status.counts.accepted == 900)
                    #expect(status.counts.invalid == 100)
                    #expect(fleet.simulator.statistics.requests == UInt64(requests))
                    let before = connections
                    connections = fleet.simulator.statistics.connectionsOpened
                    guard campaign == "second" else { continue }
                    // They have their own connection.
                    #expect(connections > before)
                    let last = fleet.simulator.lastRequests.suffix(20).map(\.path)
                    #expect(last.allSatisfy { $0.hasPrefix("/3/device/bad") }, "\(last)")
                }
                #expect(wrong.allSatisfy { fleet.simulator.counts(ofToken: $0).requests == 2 })
            }
        }

        @Test(arguments: ["PayloadTooLarge", "BadTopic"])
        func `P19: content that every device refuses stops the campaign, and the others stay pending`(
            _ reason: String
        )
            async throws
        {
            try await PrivateFleet.with(faults: ["rules": "a=\(reason)", "latency": "5"]) { fleet in
                _ = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(10_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await eventually("the campaign is paused, and nothing runs") {
                    let status = try await fleet.status("derby")
                    return status?.stateReason == "content" && status?.pending.sending == 0
                        && status?.pending.queued == 0
                }
                let paused = try #require(try await fleet.status("derby"))
                #expect(paused.counts.failed == paused.reasons[reason])
                #expect(paused.counts.failed >= 50 && paused.counts.failed <= 4000)
                #expect(paused.pending.total == 10_000 - paused.counts.failed)
                #expect(try await fleet.devices("derby").differing.isEmpty)
                _ = try await fleet.simulator.changeFaults { (faults) throws(FaultsError) in
                    try faults.set("rules", to: "")
                }
                #expect(try await fleet.run("campaign", "resume", "derby").exit == 0)
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 10_000 - paused.counts.failed)
            }
        }
    }
}
