import Campaigns
import Servers
import Simulator
import Store
import Testing
import Transport

extension EndToEnd {
    /// A broker of three nodes.
    @Suite("Cluster")
    struct Cluster {
        @Test(.enabled(if: FullSuite.isOn), .hurtsItsBroker)
        func `B17: the node that leads the queues of three dies in mid-campaign, and the other two go on`() async throws
        {
            let node = try await PrivateBroker.node()
            var others: [RabbitMQNode] = []
            for _ in 1...2 { others.append(try await RabbitMQNode.start(inClusterOf: node)) }
            try await PrivateFleet.with(faults: SmallFlight.faults) { fleet in
                let nodes = [node] + others
                let addresses = nodes.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
                let host = fleet.endpoint.virtualHost
                let leaders = try await node.rabbitmqctl("list_queues", "-p", host, "name", "leader")
                let lane = try #require(
                    leaders.split(separator: "\n").first { $0.hasPrefix("fanfare.v1.work.apns.bulk") },
                    "\(leaders)"
                )
                let leading = try #require(nodes.first { lane.hasSuffix($0.name) }, "\(leaders)")
                let survivor = try #require(nodes.first { $0 !== leading })
                try PrivateFleet.configure(
                    fleet.folder,
                    url: "amqp://guest:guest@\(addresses)/\(host)",
                    managementPort: survivor.managementPort
                )
                let workers = [try await fleet.startSmallWorker(), try await fleet.startSmallWorker()]
                try await fleet.putList("fans", TestDevices.tokens(20_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 3000)
                var bound = 0
                for worker in workers { bound += try await worker.metrics().inFlightMost }
                leading.kill()
                do {
                    #expect(fleet.simulator.statistics.requests < 18_000)
                    let status = try await fleet.completed("derby", within: .seconds(120))
                    #expect(status.counts.accepted == 20_000)
                    let devices = try await fleet.devices("derby")
                    #expect(devices.allSatisfy { $0.outcome == .accepted && $0.accepted >= 1 })
                    #expect(bound < 1000)
                    #expect(devices.repeats <= bound + status.unknownResent)
                    #expect(workers.allSatisfy { $0.isRunning })
                } catch {
                    try await leading.restart()
                    throw error
                }
                try await leading.restart()
            }
            for other in others { try await node.forget(other) }
        }

        @Test(.enabled(if: FullSuite.isOn), .hurtsItsBroker)
        func `doctor names the queues without a majority, and says that one node leads all of them`() async throws {
            let node = try await PrivateBroker.node()
            var others: [RabbitMQNode] = []
            for _ in 1...2 { others.append(try await RabbitMQNode.start(inClusterOf: node)) }
            try await PrivateFleet.with { fleet in
                try PrivateFleet.configure(
                    fleet.folder,
                    url: "amqp://guest:guest@127.0.0.1:\(node.port)/\(fleet.endpoint.virtualHost)",
                    managementPort: node.managementPort
                )
                let whole = try await fleet.run("doctor", "--offline").output
                #expect(whole.contains("not spread"), "\(whole)")
                for other in others { other.kill() }
                let torn: String
                do {
                    torn = try await fleet.run("doctor", "--offline").output
                } catch {
                    for other in others { try await other.restart() }
                    throw error
                }
                for other in others { try await other.restart() }
                #expect(torn.contains("lost the majority of their nodes"), "\(torn)")
                #expect(others.allSatisfy { torn.contains($0.name) }, "\(torn)")
            }
            for other in others { try await node.forget(other) }
        }
    }
}
