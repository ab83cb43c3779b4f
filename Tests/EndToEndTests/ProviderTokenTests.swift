import Campaigns
import Delivery
import Foundation
import Glibc
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Provider tokens as a strict provider counts and judges them (`reliability.md`, P14 to P16), and key changes.
    @Suite("Provider tokens")
    struct ProviderTokens {
        private static let key = "SIMKEY0001"
        private static let spareKey = "SIMKEY0002"

        @Test(arguments: [
            ("4200", "ExpiredProviderToken", "70 min behind"), ("-4200", "InvalidProviderToken", "70 min ahead of"),
        ])
        func `P14: a clock 70 min off gets one more token, then a pause that names clock skew; nobody is invalid`(
            offset: String,
            reason: String,
            skew: String
        ) async throws {
            try await PrivateFleet.with(faults: ["clock_offset": offset]) { fleet in
                let worker = try await fleet.startWorker()
                try await fleet.publish(TestJob("derby", TestDevices.tokens(1000)))
                try await isPaused(fleet, devices: 1000)
                let refused = fleet.simulator.statistics
                #expect(refused.providerTokens == [Self.key: 2])
                #expect(refused.connectionsOpened >= 2)
                #expect(refused.accepted == 0)
                #expect(Set(refused.reasons.keys) == [reason])
                // A handful of requests, not the audience.
                #expect(refused.requests < 100)
                // It is paused first and reported then.
                try await eventually("the worker says why") { worker.errors.contains("clock skew") }
                let lines = worker.errors.split(separator: "\n").filter { $0.contains("clock skew") }
                #expect(lines.count == 1, "\(worker.errors)")
                #expect(lines.first?.contains(reason) == true && lines.first?.contains(skew) == true, "\(lines)")

                try await setClock(fleet, "0")
                #expect(try await fleet.run("campaign", "resume", "derby").exit == 0)
                try await everyoneHasItOnce(fleet, 1000)
                #expect(fleet.simulator.statistics.providerTokens == [Self.key: 2])
            }
        }

        @Test func `P14: a clock that goes wrong in mid-campaign pauses it, and set right it goes on without a repeat`()
            async throws
        {
            try await PrivateFleet.with(faults: ["latency": "20", "streams": "50"]) { fleet in
                _ = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(10_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 2000)
                try await setClock(fleet, "4200")
                let status = try await eventually("the campaign is paused") {
                    let status = try await fleet.status("derby")
                    return status?.pausedBy.contains(.credentials) == true && status?.pending.sending == 0
                        ? status : nil
                }
                #expect(status.counts.invalid == 0 && status.counts.failed == 0)
                #expect(status.counts.accepted + status.pending.total == 10_000)
                #expect(fleet.simulator.statistics.providerTokens == [Self.key: 2])
                try await setClock(fleet, "0")
                #expect(try await fleet.run("campaign", "resume", "derby").exit == 0)
                try await everyoneHasItOnce(fleet, 10_000)
            }
        }

        @Test func `P15: too many provider tokens make no further one, charge nobody, and end when they end`()
            async throws
        {
            try await PrivateFleet.with(faults: ["rules": "cafe=TooManyProviderTokenUpdates"]) { fleet in
                _ = try await fleet.startWorker()
                let job = TestJob("derby", TestDevices.tokens(1000, prefix: "cafe"))
                try await fleet.publish(job.delivered(["max_attempts": 1]))
                try await eventually("everything is set aside") {
                    let status = try await fleet.status("derby")
                    return status?.pending.held == 1000 && status?.stateReason == "breaker"
                }
                // The team's cooldown is a minute; a person may check sooner.
                let breaker = try await fleet.ledger.read { try $0.breaker(app: PrivateFleet.app, provider: .apns) }
                #expect(breaker?.reason == "TooManyProviderTokenUpdates")
                let rest = try #require(breaker).probeAt.since(try #require(breaker).since)
                #expect(rest >= .seconds(60))
                #expect(fleet.simulator.statistics.reasons["TooManyProviderTokenUpdates", default: 0] > 0)
                #expect(fleet.simulator.statistics.providerTokens == [Self.key: 1])
                try await fleet.simulator.changeFaults { (faults) throws(FaultsError) in
                    try faults.set("rules", to: "")
                }
                _ = try await fleet.run("campaign", "resume", "derby")
                try await everyoneHasItOnce(fleet, 1000)
                #expect(fleet.simulator.statistics.providerTokens == [Self.key: 1])
            }
        }

        @Test func `P16: three workers with two keys make one token each per key, on connections of their own`()
            async throws
        {
            try await PrivateFleet.with(faults: ["latency": "20", "streams": "20"]) { fleet in
                try fleet.writeApps([("news", Self.key), ("sport", Self.spareKey)])
                for _ in 1...3 { _ = try await fleet.startWorker() }
                for round in 1...2 {
                    for (app, prefix) in [("news", "a"), ("sport", "b")] {
                        var job = TestJob("derby-\(round)", TestDevices.tokens(4000, prefix: "\(prefix)\(round)"))
                        job.app = app
                        try await fleet.publish(job)
                    }
                    for app in ["news", "sport"] {
                        #expect(try await fleet.completed("derby-\(round)", app: app).counts.accepted == 4000)
                    }
                }
                let statistics = fleet.simulator.statistics
                #expect(Set(statistics.providerTokens.keys) == [Self.key, Self.spareKey])
                #expect(statistics.providerTokens.values.allSatisfy { $0 <= 3 }, "\(statistics.providerTokens)")
                #expect(statistics.keysMost == 1)
                #expect(statistics.reasons.isEmpty, "\(statistics.reasons)")
                #expect(statistics.requests == 16_000)
            }
        }

        @Test(.enabled(if: FullSuite.isOn))
        func `SIGHUP in mid-campaign: the new key on new connections, each device once`() async throws {
            try await PrivateFleet.with(faults: ["latency": "20", "streams": "50"]) { fleet in
                let worker = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(10_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 2000)
                try fleet.writeApps([("news", Self.spareKey)])
                worker.signal(SIGHUP)
                try await everyoneHasItOnce(fleet, 10_000)
                let statistics = fleet.simulator.statistics
                #expect(statistics.providerTokens == [Self.key: 1, Self.spareKey: 1])
                #expect(statistics.keysMost == 1)
                #expect(statistics.requests == 10_000)
                #expect(statistics.reasons.isEmpty)
                let lines = worker.errors.split(separator: "\n").filter { $0.contains("are replaced") }
                #expect(lines.count == 1 && lines.first?.contains(Self.spareKey) == true, "\(worker.errors)")

                // The same configuration changes nothing and makes no token.
                worker.signal(SIGHUP)
                try await says(worker, "no known app has changed")
                try await fleet.publish(TestJob("second", TestDevices.tokens(500, prefix: "b")))
                #expect(try await fleet.completed("second").counts.accepted == 500)
                #expect(fleet.simulator.statistics.providerTokens == [Self.key: 1, Self.spareKey: 1])
            }
        }

        @Test func `D9: SIGHUP with a key file that is broken or gone keeps the old key, with one line that names it`()
            async throws
        {
            try await PrivateFleet.with(faults: ["latency": "20", "streams": "50"]) { fleet in
                let worker = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(5000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 1000)
                let file = "\(fleet.folder)/AuthKey_\(Self.spareKey).p8"
                let good = try Data(contentsOf: URL(fileURLWithPath: file))
                try fleet.writeApps([("news", Self.spareKey)])
                try Data("no key".utf8).write(to: URL(fileURLWithPath: file))
                worker.signal(SIGHUP)
                try await says(worker, "cannot be taken over", times: 1)
                try FileManager.default.removeItem(atPath: file)
                worker.signal(SIGHUP)
                try await says(worker, "cannot be taken over", times: 2)
                for line in worker.errors.split(separator: "\n") where line.contains("cannot be taken over") {
                    #expect(line.contains(file.split(separator: "/").last ?? ""), "\(line)")
                }
                try await everyoneHasItOnce(fleet, 5000)
                #expect(fleet.simulator.statistics.providerTokens == [Self.key: 1])

                try good.write(to: URL(fileURLWithPath: file))
                worker.signal(SIGHUP)
                try await says(worker, "are replaced")
                try await fleet.publish(TestJob("second", TestDevices.tokens(500, prefix: "b")))
                #expect(try await fleet.completed("second").counts.accepted == 500)
                #expect(fleet.simulator.statistics.providerTokens == [Self.key: 1, Self.spareKey: 1])
            }
        }

        @Test func `SIGHUP after a refused key: resume sends with the new one`() async throws {
            try await PrivateFleet.with { fleet in
                // A key that the provider does not know under this id.
                let wrong = "\(fleet.folder)/AuthKey_\(Self.key).p8"
                let right = try Data(contentsOf: URL(fileURLWithPath: wrong))
                let other = try Data(contentsOf: URL(fileURLWithPath: "\(fleet.folder)/AuthKey_\(Self.spareKey).p8"))
                try other.write(to: URL(fileURLWithPath: wrong))
                let worker = try await fleet.startWorker()
                try await fleet.publish(TestJob("derby", TestDevices.tokens(1000)))
                try await isPaused(fleet, devices: 1000)
                let lines = worker.errors.split(separator: "\n").filter { $0.contains("InvalidProviderToken") }
                #expect(lines.count == 1 && lines.first?.contains("no clock skew") == true, "\(worker.errors)")
                try right.write(to: URL(fileURLWithPath: wrong))
                worker.signal(SIGHUP)
                try await says(worker, "are replaced")
                #expect(try await fleet.run("campaign", "resume", "derby").exit == 0)
                try await everyoneHasItOnce(fleet, 1000)
            }
        }

        // MARK: - Steps

        private func isPaused(_ fleet: PrivateFleet, devices: Int) async throws {
            let status = try await eventually("the campaign is paused") {
                let status = try await fleet.status("derby")
                return status?.pausedBy.contains(.credentials) == true && status?.pending.held == devices
                    ? status : nil
            }
            #expect(status.counts.invalid == 0 && status.counts.failed == 0 && status.counts.expired == 0)
        }

        private func everyoneHasItOnce(_ fleet: PrivateFleet, _ count: Int) async throws {
            let status = try await fleet.completed("derby")
            #expect(status.counts.accepted == count)
            let devices = try await fleet.devices("derby")
            #expect(devices.count == count)
            #expect(devices.allSatisfy { $0.accepted == 1 }, "\(devices.filter { $0.accepted != 1 }.prefix(5))")
            #expect(devices.differing.isEmpty, "\(devices.differing.prefix(5))")
        }

        private func setClock(_ fleet: PrivateFleet, _ seconds: String) async throws {
            try await fleet.simulator.changeFaults { (faults) throws(FaultsError) in
                try faults.set("clock_offset", to: seconds)
            }
        }

        private func says(_ worker: FanfareProcess, _ text: String, times: Int = 1) async throws {
            try await eventually("the worker says \(text)") {
                worker.errors.components(separatedBy: text).count > times
            }
        }
    }
}
