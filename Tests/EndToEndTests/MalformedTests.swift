import AMQP
import Campaigns
import Delivery
import Foundation
import Seeds
import Servers
import Simulator
import Store
import Testing
import Transport

extension EndToEnd {
    /// Hundreds of messages that are neither jobs nor shards, beside a campaign.
    @Suite("Malformed messages")
    struct MalformedMessages {
        @Test func `C6, C7, C8, C9, C11: six hundred of them are refused or parked with a reason, and stop nobody`()
            async throws
        {
            let seed = ChaosSeed.fresh()
            var random = SeededRandom(seed: seed)
            let jobs = Self.jobsByHand() + (0..<240).map { Self.brokenJob($0, &random) }
            try await PrivateFleet.with(faults: ["latency": "5"]) { fleet in
                let worker = try await fleet.startWorker()
                let shards = try Self.shardsByHand() + (0..<240).map { _ in try Self.brokenShard(&random) }
                #expect(jobs.count + shards.count >= 500)
                let before = try Self.residentKilobytes(worker.pid)
                try await fleet.publish(TestJob("before", TestDevices.tokens(2000)))
                let client = try await AMQPClient.connect(fleet.endpoint, name: "bad", on: PrivateBroker.loop)
                for (number, job) in jobs.enumerated() {
                    let id = "bad-\(number)"
                    let properties = MessageProperties(type: "fanfare.campaign.v1", messageID: id)
                    try await Self.publish(client, job, BrokerNames.campaigns, "news", properties)
                }
                for shard in shards {
                    try await Self.publish(client, shard, BrokerNames.work, "apns.bulk", MessageProperties())
                }
                await client.close()
                try await fleet.publish(TestJob("after", TestDevices.tokens(2000, prefix: "b")))
                #expect(try await fleet.completed("before").counts.accepted == 2000, "seed \(seed)")
                #expect(try await fleet.completed("after").counts.accepted == 2000, "seed \(seed)")

                let different = Set(jobs).count + Set(shards).count
                try await eventually("all of them are parked, seed \(seed)") {
                    let parked = try await fleet.parked(limit: 2000)
                    let inQueue = try await fleet.broker { try await $0.counts(of: BrokerNames.parkedQueue)?.ready }
                    return parked.count >= different - 5 && inQueue == 0
                }
                let parked = try await fleet.parked(limit: 2000)
                #expect(parked.allSatisfy { !$0.reason.isEmpty }, "seed \(seed)")
                #expect(parked.allSatisfy { $0.reason != "InvalidJob" || $0.errors.contains("detail") })
                // None of them caused a request.
                #expect(fleet.simulator.statistics.requests == 4000, "seed \(seed)")
                #expect(worker.isRunning)
                #expect(try Self.residentKilobytes(worker.pid) < before + 200_000)
            }
        }

        private static func publish(
            _ client: AMQPClient,
            _ body: [UInt8],
            _ exchange: String,
            _ key: String,
            _ properties: MessageProperties
        ) async throws {
            let message = OutboundMessage(exchange: exchange, routingKey: key, properties: properties, body: body)
            let result = await client.publish(message)
            try #require(result == .confirmed)
        }

        /// Returns `VmRSS` of `/proc/<pid>/status`.
        private static func residentKilobytes(_ pid: pid_t) throws -> Int {
            let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            return Int(line?.filter(\.isNumber) ?? "") ?? 0
        }

        // MARK: - Jobs

        /// Returns the cases of list C of reliability.md.
        private static func jobsByHand() -> [[UInt8]] {
            let token = String(repeating: "a", count: 64)
            let device = #""audience":{"devices":[{"token":"\#(token)"}]}"#
            let content = #""content":{"title":"t"}"#
            let texts = [
                "", " ", "null", "[]", "7", "\"job\"", "{", "{}", "{\"id\":", "\u{FEFF}{}", "<job/>", "id: derby",
                "{\"id\":\"x\",\"app\":\"news\"}", "{\(device)}", "{\(content)}",
                "{\(device),\(content),\"colour\":1}", "{\(device),\(device),\(content)}",
                "{\(device),\(content),\"app\":\"sport\"}", "{\(device),\(content),\"kind\":\"nothing\"}",
                "{\(device),\(content),\"version\":2}", "{\(device),\(content),\"delivery\":{\"ttl\":-1}}",
                "{\(device),\(content),\"delivery\":{\"ttl\":1e99}}",
                "{\(device),\(content),\"delivery\":{\"ttl\":9223372036854775808}}",
                "{\(device),\(content),\"delivery\":{\"ttl\":NaN}}",
                "{\(device),\(content),\"delivery\":{\"max_attempts\":0}}",
                "{\(device),\(content),\"delivery\":{\"max_attempts\":4294967296}}",
                "{\(device),\(content),\"delivery\":{\"expires_at\":\"9999-99-99\"}}",
                "{\(device),\(content),\"delivery\":{\"expires_at\":\"1999-01-01T00:00:00Z\"}}",
                "{\(device),\(content),\"delivery\":{\"collapse_id\":\"\(String(repeating: "c", count: 65))\"}}",
                "{\"audience\":{\"devices\":[]},\(content)}", "{\"audience\":{},\(content)}",
                "{\"audience\":{\"list\":\"nowhere\"},\(content)}",
                "{\"audience\":{\"devices\":[{\"token\":\"\(token)/../x\"}]},\(content)}",
                "{\"audience\":{\"devices\":[{\"token\":\"a\\r\\nb\"}]},\(content)}",
                "{\"audience\":{\"devices\":[{\"token\":\"\\u0000\"}]},\(content)}",
                "{\"audience\":{\"devices\":[{\"token\":\"\u{1F514}\"}]},\(content)}",
                "{\"audience\":{\"devices\":[{\"token\":7}]},\(content)}",
                "{\(device),\"content\":{\"title\":\"\(String(repeating: "x", count: 5000))\"}}",
                "{\(device),\"content\":{\"apns\":{\"aps\":{\"alert\":1}}}}",
                String(repeating: "[", count: 200_000), String(repeating: "{\"a\":", count: 100_000),
                "{\"a\":\"" + String(repeating: "x", count: 5_000_000) + "\"}",
            ]
            let devices = Array(repeating: "{\"token\":\"\(token)\"}", count: 60_000).joined(separator: ",")
            let large = "{\"audience\":{\"devices\":[\(devices)]},\(content)}"
            let wide = "{\(device),\(content)}".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            return texts.map { Array($0.utf8) } + [Array(large.utf8), wide, [0xFF, 0xFE], [0xC3, 0x28], [0]]
        }

        /// Returns a valid job without one structural byte, so that it cannot be parsed as a job.
        private static func brokenJob(_ number: Int, _ random: inout SeededRandom) -> [UInt8] {
            var bytes = TestJob("bad-\(number)", TestDevices.tokens(1 + random.below(20))).body
            let structure = bytes.indices.filter {
                [UInt8(ascii: "{"), UInt8(ascii: ":"), UInt8(ascii: "}")].contains(bytes[$0])
            }
            bytes.remove(at: structure[random.below(structure.count)])
            return bytes
        }

        // MARK: - Shards

        private static func shard(_ change: (inout Shard) -> Void = { _ in }) throws -> [UInt8] {
            try TestShard.stranger(TestDevices.tokens(20, prefix: "d"), change)
        }

        private static func shardsByHand() throws -> [[UInt8]] {
            let changes: [(inout Shard) -> Void] = [
                { $0.attempt = .max }, { $0.attempt = 0 }, { $0.attempt = 1 << 31 }, { $0.generation = 0 },
                { $0.generation = .max }, { $0.firstIndex = .max }, { $0.id.key.campaign = 0 },
                { $0.id.key.campaign = .max }, { $0.facts.app = "" }, { $0.facts.app = "nobody" },
                { $0.facts.expiresAt = Timestamp(milliseconds: .min) },
                { $0.notBefore = Timestamp(milliseconds: 253_402_300_799_000) },
                { $0.notBefore = Timestamp(milliseconds: .max) }, { $0.facts.messageIDAt = .max },
                { $0.positions = Array(repeating: 4, count: 20) },
                { $0.facts.collapseID = String(repeating: "c", count: 65) },
                { $0.id.path = String(repeating: ".5sa1", count: 99) }, { $0.devices = DeviceBatch() },
            ]
            var later = try shard()
            later[1] = 2
            return try changes.map { try shard($0) } + [later, [], [0], Array(repeating: 0xFF, count: 300_000)]
        }

        /// Returns a shard of an unknown campaign with some bytes changed, which may make it unreadable.
        private static func brokenShard(_ random: inout SeededRandom) throws -> [UInt8] {
            var bytes = try shard { $0.id.key.ordinal = UInt32(random.below(1000)) }
            for _ in 0...random.below(4) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            return random.below(4) == 0 ? Array(bytes.prefix(random.below(bytes.count))) : bytes
        }
    }
}
