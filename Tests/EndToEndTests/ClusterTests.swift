import Campaigns
import Delivery
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
                try fleet.configure(
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
        func `B23: two of three nodes die, the cause is told with their names, and all consumers are back with them`()
            async throws
        {
            try await Self.withNodes { nodes in
                try await PrivateFleet.with { fleet in
                    try fleet.reach(nodes, management: nodes[0])
                    let book = Runbook(fleet: fleet)
                    let workers = [try await fleet.startWorker(), try await fleet.startWorker()]
                    let slow = TestJob("slow", TestDevices.tokens(600)).delivered(["per_second": 10, "ttl": 3600])
                    try await fleet.publish(slow)
                    try await fleet.requests(reach: 20)
                    let dead = nodes[1...]
                    for node in dead { node.kill() }

                    let text = try await fleet.told(.brokerQuorum)
                    #expect(dead.allSatisfy { text.contains($0.name) } && !text.contains(nodes[0].name), "\(text)")
                    #expect(try await fleet.says("broker_quorum", of: "slow").contains(nodes[1].name))
                    try await eventually("each worker's probe names it", within: .seconds(60)) {
                        for worker in workers {
                            let answer = String(decoding: try await worker.probe("/readyz").body, as: UTF8.self)
                            guard dead.allSatisfy({ answer.contains($0.name) }) else { return false }
                        }
                        return true
                    }
                    let status = try await fleet.run("status").output
                    #expect(status.contains("BROKER QUORUM") && !status.contains("nobody takes"), "\(status)")
                    let codes = try await fleet.health().problems.compactMap { $0["code"]?.string }
                    #expect(codes == ["broker_quorum"])
                    let doctor = try await fleet.run("doctor", "--offline").output
                    #expect(doctor.contains("lost the majority of their nodes"), "\(doctor)")
                    #expect(try await book.check("BrokerQuorum").contains(nodes[1].name))

                    try await book.remedy(
                        "BrokerQuorum",
                        host: ["systemctl start rabbitmq-server": { for node in dead { try await node.restart() } }]
                    )
                    try await fleet.allIsWell()
                    #expect(try await fleet.completed("slow", within: .seconds(120)).counts.accepted == 600)
                }
            }
        }

        @Test(.enabled(if: FullSuite.isOn), .hurtsItsBroker)
        func `a dead node is told, its consumers refuse no demo, and its leaders are spread when it is back`()
            async throws
        {
            try await Self.withNodes { nodes in
                try await PrivateFleet.with { fleet in
                    let dead = nodes[1]
                    let book = Runbook(fleet: fleet)
                    try fleet.reach([dead], management: nodes[0])
                    #expect(try await fleet.run("doctor", "--offline").output.contains("spread over the nodes"))
                    let diff = try await fleet.run("topology", "diff")
                    #expect(diff.exit == 0, "\(diff.output)")
                    let worker = try await fleet.startWorker()
                    try await fleet.allIsWell()
                    dead.kill()
                    worker.kill()
                    try fleet.reach([nodes[0], nodes[2]], management: nodes[0])
                    let text = try await fleet.told(.brokerNode)
                    #expect(text.contains(dead.name), "\(text)")
                    #expect(try await book.check("BrokerNode").contains(dead.name))

                    let counted = try await fleet.broker { try await $0.counts(of: BrokerNames.parkedQueue) }
                    #expect(counted?.consumers == 1)
                    let demo = try await fleet.run("demo", "--devices", "500")
                    #expect(demo.exit == 0, "\(demo.output)\(demo.errors)")

                    try await book.remedy(
                        "BrokerNode",
                        host: [
                            "systemctl start rabbitmq-server": {
                                try await dead.restart()
                                // RabbitMQ 3.10 elects anew when it is back: it may lead some of them at once.
                                try await eventually("doctor says that it has them again", within: .seconds(60)) {
                                    try await fleet.run("doctor", "--offline").output.contains("all of 3 nodes have")
                                }
                            },
                            "rabbitmq-queues rebalance quorum --queue-pattern '^fanfare'": {
                                try await nodes[0].rebalance("^fanfare")
                            },
                        ]
                    )
                    try await eventually("leaders are spread", within: .seconds(60)) {
                        try await fleet.run("doctor", "--offline").output.contains("spread over the nodes")
                    }
                }
            }
        }

        @Test(.enabled(if: FullSuite.isOn), .hurtsItsBroker)
        func `a node that lost sight of the others is told until it has joined them again`() async throws {
            try await Self.withNodes { nodes in
                try await PrivateFleet.with { fleet in
                    try fleet.reach(nodes, management: nodes[0])
                    let book = Runbook(fleet: fleet)
                    _ = try await fleet.startWorker()
                    let (lone, others) = (nodes[2], nodes[..<2])
                    let names = others.map { "'\($0.name)'" }.joined(separator: ", ")
                    // Who has another cookie for a node lets it in no more.
                    try await lone.rabbitmqctl(
                        "eval",
                        "[begin erlang:set_cookie(N, nope), erlang:disconnect_node(N) end || N <- [\(names)]]."
                    )
                    #expect(try await fleet.told(.brokerNode).contains(lone.name))
                    try await lone.rabbitmqctl(
                        "eval",
                        "[begin erlang:set_cookie(N, erlang:get_cookie()), net_kernel:connect_node(N) end "
                            + "|| N <- [\(names)]]."
                    )
                    #expect(try await fleet.told(.brokerPartition).contains(lone.name))
                    #expect(try await book.check("BrokerPartition").contains(lone.name))
                    try await book.remedy(
                        "BrokerPartition",
                        host: [
                            "systemctl restart rabbitmq-server": {
                                lone.kill()
                                try await lone.restart()
                            }
                        ]
                    )
                    try await fleet.publish(TestJob("derby", TestDevices.tokens(20)))
                    #expect(try await fleet.completed("derby", within: .seconds(60)).counts.accepted == 20)
                    try await fleet.allIsWell()
                }
            }
        }

        // MARK: - Nodes

        /// Runs a body with a cluster of three nodes, of which the first has the virtual hosts of the tests; those that
        /// were killed are started again afterwards.
        private static func withNodes(_ body: ([RabbitMQNode]) async throws -> Void) async throws {
            let node = try await PrivateBroker.node()
            var nodes = [node]
            for _ in 1...2 { nodes.append(try await RabbitMQNode.start(inClusterOf: node)) }
            do {
                try await body(nodes)
            } catch {
                try await forget(nodes)
                throw error
            }
            try await forget(nodes)
        }

        private static func forget(_ nodes: [RabbitMQNode]) async throws {
            for node in nodes where !node.isRunning { try await node.restart() }
            for node in nodes.dropFirst() { try await nodes[0].forget(node) }
        }
    }
}

extension PrivateFleet {
    /// Has the commands and workers from now on reach the broker at these nodes.
    fileprivate func reach(_ nodes: [RabbitMQNode], management: RabbitMQNode) throws {
        let addresses = nodes.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
        try configure(
            url: "amqp://guest:guest@\(addresses)/\(endpoint.virtualHost)",
            managementPort: management.managementPort
        )
    }
}
