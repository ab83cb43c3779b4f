import Campaigns
import Foundation
import Servers
import Simulator
import Store
import Testing

extension EndToEnd.Previous {
    /// The devices of the list, enough that it is still sent after the last worker was replaced.
    private static let listed = 24_000

    /// A campaign that is published while a worker is replaced; some of its devices are sent to again from a rung.
    private static func round(_ number: Int) -> TestJob {
        TestJob(
            "round-\(number)",
            TestDevices.tokens(400, prefix: "d\(number)") + TestDevices.tokens(100, prefix: "429\(number)")
        )
    }

    @Test(.enabled(if: FullSuite.isOn, "FANFARE_FULL=1 runs it"), arguments: ChaosLedger.all)
    func `D12: under load all workers become this version, the one before, and this one again, and nobody is left out`(
        store: ChaosLedger
    ) async throws {
        let server = store == .postgreSQL ? try PrivatePostgreSQL.shared.get() : nil
        let faults = ["rules": "429=once-429", "latency": "400-600", "streams": "50"]
        try await PrivateFleet.with(faults: faults, postgreSQL: server) { fleet in
            var workers = [try await begun(fleet, TestJob("first", TestDevices.tokens(3000)))]
            workers.append(try await startPrevious(fleet))
            try await fleet.putList("fans", TestDevices.tokens(Self.listed, prefix: "f"))
            try await fleet.publish(TestJob("fans", list: "fans"))
            try await fleet.requests(reach: 3000 + 1000)

            // Forth, back, and forth again; shards, retries and jobs of each version are met by the other.
            var number = 0
            for isThis in [true, false, true] {
                for index in workers.indices {
                    try await fleet.publish(Self.round(number))
                    number += 1
                    let new =
                        isThis
                        ? try await fleet.startWorker(environment: Self.environment) : try await startPrevious(fleet)
                    try await end(workers[index])
                    workers[index] = new
                }
            }
            #expect(try await fleet.status("fans")?.completedAt == nil, "the restarts came too late")
            try await setLatency(fleet, "2-10")

            let ids = (0..<number).map { "round-\($0)" }
            for id in ids {
                #expect(try await fleet.completed(id, within: .seconds(180)).counts.accepted == 500, "\(id)")
            }
            #expect(try await fleet.completed("first", within: .seconds(180)).counts.accepted == 3000)
            #expect(try await fleet.completed("fans", within: .seconds(180)).counts.accepted == Self.listed)
            // To the last request: whoever was replaced had answers for all that it sent.
            #expect(fleet.simulator.statistics.requests == UInt64(3000 + Self.listed + number * 600))
            #expect(fleet.simulator.statistics.repeatedTokens == 0)
            for id in ids + ["first", "fans"] { #expect(try await fleet.devices(id).differing.isEmpty, "\(id)") }
            #expect(try await fleet.parked().isEmpty)
        }
    }
}
