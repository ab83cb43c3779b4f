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
                let addresses = ([node] + others).map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
                let host = fleet.endpoint.virtualHost
                try PrivateFleet.configure(
                    fleet.folder,
                    url: "amqp://guest:guest@\(addresses)/\(host)",
                    managementPort: others[0].managementPort
                )
                let workers = [try await fleet.startSmallWorker(), try await fleet.startSmallWorker()]
                try await fleet.putList("fans", TestDevices.tokens(20_000))
                // Asked before the campaign: the command takes seconds, in which a campaign may end.
                let leaders = try await node.rabbitmqctl("list_queues", "-p", host, "name", "leader")
                let lane = leaders.split(separator: "\n").first { $0.hasPrefix("fanfare.v1.work.apns.bulk") }
                #expect(lane?.hasSuffix(node.name) == true, "\(leaders)")
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 3000)
                var bound = 0
                for worker in workers { bound += try await worker.metrics().inFlightMost }
                node.kill()
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
                    try await node.restart()
                    throw error
                }
                try await node.restart()
            }
            for other in others { try await node.forget(other) }
        }
    }
}
