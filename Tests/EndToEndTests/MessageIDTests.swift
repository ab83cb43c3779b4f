import Campaigns
import Foundation
import Glibc
import Servers
import Settings
import Simulator
import Store
import Testing

extension EndToEnd {
    /// The signed message ids of pushes, as they arrive at the simulator.
    @Suite("MessageIDs")
    struct MessageIDs {
        private static let old = "1 " + String(repeating: "0b", count: 32)
        private static let new = "2 " + String(repeating: "c1", count: 32)

        @Test func `every push says its campaign and device, and a device that comes again says the same`()
            async throws
        {
            try await PrivateFleet.with(faults: ["rules": "5030=once-503"], requestsKept: 2000) { fleet in
                try setKeys(fleet, Self.old)
                _ = try await fleet.startWorker()
                let failing = TestDevices.tokens(50, prefix: "5030")
                let tokens = failing + TestDevices.tokens(950)
                try await fleet.putList("fans", tokens)
                var job = TestJob("derby", list: "fans")
                job.content = .object(["title": "Goal", "media_url": "https://cdn.example.com/a.jpg"])
                try await fleet.publish(job)
                #expect(try await fleet.completed("derby").counts.accepted == 1000)

                let pushes = try self.pushes(fleet)
                #expect(pushes.count == 1050)
                let keys = try MessageKeys(file: Array(Self.old.utf8))
                let number = try await fleet.number("derby")
                var devices: [String: Set<UInt32>] = [:]
                for push in pushes {
                    #expect(push.object["v"]?.integer == 1 && push.object["c"]?.string == "derby")
                    #expect(push.object["i"]?.string == "https://cdn.example.com/a.jpg")
                    let id = try #require(push.id(keys), "\(push.object)")
                    #expect(id.campaign == number)
                    devices[push.token, default: []].insert(id.device)
                }
                // One index per device over all attempts; no two devices share one.
                #expect(devices.values.allSatisfy { $0.count == 1 })
                #expect(Set(devices.values.compactMap(\.first)) == Set(0..<1000))
                #expect(Set(devices.keys) == Set(tokens))
                #expect(failing.allSatisfy { token in pushes.count { $0.token == token } == 2 })
            }
        }

        @Test func `SIGHUP brings keys, turns them in mid-campaign and takes them away; nobody misses a push`()
            async throws
        {
            let faults = ["latency": "20", "streams": "20"]
            try await PrivateFleet.with(faults: faults, requestsKept: 12_000) { fleet in
                let worker = try await fleet.startWorker()
                try await fleet.publish(TestJob("before", TestDevices.tokens(100)))
                #expect(try await fleet.completed("before").counts.accepted == 100)
                #expect(try pushes(fleet).allSatisfy { $0.object == .null })
                let apps = try Data(contentsOf: URL(fileURLWithPath: fleet.folder + "/apps.yaml"))

                try setKeys(fleet, Self.old)
                try await hangUp(worker, replacements: 1)
                try await fleet.putList("fans", TestDevices.tokens(8000, prefix: "b"))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 1500)
                try write(fleet, "\(Self.new)\n\(Self.old)")
                try await hangUp(worker, replacements: 2)
                let turned = fleet.simulator.statistics.requests
                try await fleet.requests(reach: Int(turned) + 1500)
                try apps.write(to: URL(fileURLWithPath: fleet.folder + "/apps.yaml"))
                try await hangUp(worker, replacements: 3)
                #expect(try await fleet.completed("derby").counts.accepted == 8000)

                let (old, new) = (try keys(Self.old), try keys(Self.new))
                let both = try keys("\(Self.new)\n\(Self.old)")
                let derby = try pushes(fleet).filter { $0.object["c"]?.string == "derby" }
                #expect(derby.count == 8000)
                let signed = derby.filter { $0.object["m"] != nil }
                // The first 1,500 requests include those of `before`.
                #expect(signed.count >= 2900 && signed.count < 8000)
                #expect(signed.allSatisfy { $0.id(both) != nil })
                #expect(signed.contains { $0.id(old) != nil } && signed.contains { $0.id(new) != nil })
                #expect(Set(signed.compactMap { $0.id(both)?.device }).count == signed.count)
                let devices = try await fleet.devices("derby")
                #expect(devices.allSatisfy { $0.accepted == 1 } && devices.differing.isEmpty)
                #expect(worker.errors.contains("go without"))
                #expect(!worker.errors.contains("0b0b") && !worker.errors.contains("c1c1"))
            }
        }

        @Test func `a payload that only the message id makes too large is refused`() async throws {
            try await PrivateFleet.with { fleet in
                try setKeys(fleet, Self.old)
                _ = try await fleet.startWorker()
                let listener = try await EventListener(fleet)
                // 27 bytes surround the text without the object.
                var job = TestJob("derby", TestDevices.tokens(1))
                job.content = .object(["title": .string(String(repeating: "x", count: 4060))])
                try await fleet.publish(job)
                let refusals = try await listener.events("campaign.refused", of: "derby")
                #expect(refusals[0].json.text.contains("payload_too_large"), "\(refusals[0].json.text)")
                await listener.close()
            }
        }

        // MARK: - Steps

        private struct Push {
            let token: String
            /// The object `fanfare`; null when there is none.
            let object: JSONValue

            func id(_ keys: MessageKeys) -> MessageID? {
                object["m"]?.string.flatMap { MessageID(Array($0.utf8), app: PrivateFleet.app, keys: keys) }
            }
        }

        private func keys(_ text: String) throws -> MessageKeys { try MessageKeys(file: Array(text.utf8)) }

        private func pushes(_ fleet: PrivateFleet) throws -> [Push] {
            try fleet.simulator.lastRequests.map { request in
                let payload = try #require(JSONReader.read(request.payload).value)
                let token = String(request.path.split(separator: "/").last ?? "")
                return Push(token: token, object: payload["fanfare"] ?? .null)
            }
        }

        private func setKeys(_ fleet: PrivateFleet, _ keys: String) throws {
            try write(fleet, keys)
            let file = URL(fileURLWithPath: fleet.folder + "/apps.yaml")
            let edge = "    edge: {message_key_file: news.message.key}\n"
            try (try Data(contentsOf: file) + Data(edge.utf8)).write(to: file)
        }

        private func write(_ fleet: PrivateFleet, _ keys: String) throws {
            try Data(keys.utf8).write(to: URL(fileURLWithPath: fleet.folder + "/news.message.key"))
        }

        private func hangUp(_ worker: FanfareProcess, replacements: Int) async throws {
            worker.signal(SIGHUP)
            try await eventually("the worker has replaced its keys \(replacements) times") {
                worker.errors.components(separatedBy: "are replaced").count > replacements
            }
        }
    }
}
