import AMQP
import Campaigns
import Delivery
import Foundation
import Servers
import Store
import Testing
import Transport

extension EndToEnd {
    /// A worker whose log nobody reads.
    @Suite("Log sink")
    struct LogSink {
        @Test func `D10: workers whose standard error nobody reads work on, and say later how many lines are missing`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                let pipe = try Pipe.full()
                let worker = try await fleet.startWorker(log: pipe.fileHandleForWriting)
                try await Self.park(2500, fleet)
                let other = try Pipe.full()
                let second = try await fleet.startWorker(log: other.fileHandleForWriting)
                try await fleet.putList("fans", TestDevices.tokens(5000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                #expect(try await fleet.completed("derby").counts.accepted == 5000)
                #expect(try await fleet.devices("derby").differing.isEmpty)
                #expect(worker.isRunning)
                // Its end does not wait for a reader either.
                second.terminate()
                #expect(try await second.ended().exit == 0)

                var log = ""
                try await eventually("the line about missing lines") {
                    log += Self.read(pipe)
                    return log.components(separatedBy: "log lines were dropped").dropFirst().last?.contains("\n")
                        ?? false
                }
                let parked = log.components(separatedBy: "a message is parked").count - 1
                let notice = try #require(log.split(separator: "\n").first { $0.contains("log lines were dropped") })
                let line = try #require(JSONReader.read(Array(notice.utf8)).value)
                let dropped = try #require(Int(line["count"]?.string ?? ""))
                #expect(dropped > 0 && parked > 0)
                #expect(parked + dropped >= 2500)

                // The reader is gone for good.
                try pipe.fileHandleForReading.close()
                try await Self.park(10, fleet, named: "later")
                try await fleet.publish(TestJob("second", TestDevices.tokens(100, prefix: "b")))
                #expect(try await fleet.completed("second").counts.accepted == 100)
                worker.terminate()
                #expect(try await worker.ended().exit == 0)
            }
        }

        /// Returns the pipe's current content.
        private static func read(_ pipe: Pipe) -> String {
            let descriptor = pipe.fileHandleForReading.fileDescriptor
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = Foundation.read(descriptor, &bytes, bytes.count)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }

        /// Has so many messages parked; the log has a line for each.
        private static func park(_ count: Int, _ fleet: PrivateFleet, named name: String = "no shard") async throws {
            let before = try await fleet.parked(limit: 10_000).count
            try await fleet.broker { client in
                await withTaskGroup { group in
                    for number in 0..<count {
                        let message = OutboundMessage(
                            exchange: BrokerNames.work,
                            routingKey: "apns.bulk",
                            body: Array("\(name) \(number)".utf8)
                        )
                        group.addTask { _ = await client.publish(message) }
                    }
                }
            }
            try await eventually("all of them are parked") {
                try await fleet.parked(limit: 10_000).count == before + count
            }
        }
    }
}
