import Campaigns
import Delivery
import Operations
import Servers
import Simulator
import Store
import Testing

extension EndToEnd {
    /// Campaigns to few devices of a large registry.
    @Suite("Audiences by index")
    struct IndexedAudiences {
        /// The devices of the registry; one in 500 has the tag `rare`.
        private static let count = FullSuite.isOn ? 100_000 : 20_000

        @Test func `a segment of few reads few rows, of devices that registered before and after the index`()
            async throws
        {
            try await PrivateFleet.with { fleet in
                let tokens = TestDevices.tokens(Self.count)
                func register(_ numbers: Range<Int>) async throws {
                    for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 1000) {
                        let batch = (start..<min(start + 1000, numbers.upperBound)).map { number in
                            DeviceRegistration(
                                device: Device(token: tokens[number], id: "d\(number)"),
                                tags: .set(number % 500 == 0 ? ["rare", "sport"] : ["sport"])
                            )
                        }
                        _ = try await Registry.register(batch, app: PrivateFleet.app, in: fleet.ledger)
                    }
                }
                try await register(0..<Self.count - 700)
                let worker = try await fleet.startWorker()
                try await eventually("the worker has indexed the registry", within: .seconds(180)) {
                    try await fleet.ledger.read { try $0.indexHasWork() } == false
                }
                // These may still be marks when the audience is taken up.
                try await register(Self.count - 700..<Self.count)
                var job = TestJob("derby", [])
                job.audience = ["segment": "rare"]
                try await fleet.publish(job)
                let status = try await fleet.completed("derby")
                let meant = Self.count / 500
                #expect(status.audience == meant && status.counts.accepted == meant)
                for number in stride(from: 0, to: Self.count, by: 500) {
                    #expect(fleet.simulator.counts(ofToken: tokens[number]).requests == 1, "device \(number)")
                }
                #expect(fleet.simulator.counts(ofToken: tokens[1]).requests == 0)
                let lines = worker.errors.split(separator: "\n")
                let line = try #require(lines.first { $0.contains("an audience is known") })
                let read = line.firstMatch(of: /devices_read"?[=:] ?"?([0-9]+)/).flatMap { Int($0.1) }
                #expect(try #require(read, "\(line)") <= meant + 700, "\(line)")
            }
        }
    }
}
