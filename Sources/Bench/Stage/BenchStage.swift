import Campaigns
import Delivery
import NIOPosix
import Operations
package import Settings
import Transport

/// The resources and settings that all scenarios share.
package struct BenchStage: Sendable {
    /// Nil when only scenarios without a broker run.
    let broker: Configuration?
    let folder: RunFolder
    /// The cores of the two ends.
    package let cores: BenchCores
    /// The processes that were started.
    package let processes: ChildProcesses
    /// The server for ledgers as databases; nil for ledgers in files.
    var server: BenchLedger.Server?
    /// The factor for the numbers of devices.
    var scale = 1.0
    /// The number of rounds; nil for the scenario's own.
    var rounds: Int?
    /// Devices of a campaign, whatever the scenario and the scale; nil for the scenario's own number.
    var devices: Int?
    /// Requests of the transport scenario; nil for its own number.
    var requests: Int?
    /// Reports progress.
    package let say: @Sendable (String) -> Void

    /// Creates the stage of a bench; `say` reports its progress.
    package init(
        broker: Configuration?,
        folder: RunFolder,
        cores: BenchCores,
        processes: ChildProcesses,
        server: BenchLedger.Server? = nil,
        scale: Double = 1.0,
        rounds: Int? = nil,
        devices: Int? = nil,
        requests: Int? = nil,
        say: @escaping @Sendable (String) -> Void
    ) {
        self.broker = broker
        self.folder = folder
        self.cores = cores
        self.processes = processes
        self.server = server
        self.scale = scale
        self.rounds = rounds
        self.devices = devices
        self.requests = requests
        self.say = say
    }

    /// Returns the number of a campaign's devices, or of the transport's requests; never too few to measure.
    func devices(_ scenario: BenchScenario) -> Int {
        (scenario == .transport ? requests : devices) ?? max(2_000, Int((Double(scenario.devices) * scale).rounded()))
    }

    func rounds(_ scenario: BenchScenario) -> Int { rounds ?? scenario.rounds }

    /// Returns a command line of this executable, on the cores of a side.
    func fanfare(_ arguments: [String], on side: BenchCores.Side) throws -> [String] {
        cores.command(try ChildProcesses.fanfare(arguments), on: side)
    }

    /// Returns a folder for a scenario, or for one of its fleets.
    func folder(of scenario: BenchScenario, named name: String? = nil) throws -> RunFolder {
        let name = name.map { "\(scenario.rawValue)-\($0)" } ?? scenario.rawValue
        return try RunFolder("\(folder.path)/\(name)", command: "bench")
    }

    /// Throws unless the broker answers and is unused: other workers must not take the bench's campaigns, nor its
    /// workers theirs.
    package func checkBroker() async throws {
        guard let broker else { return }
        if let queue = try await takenQueue(broker) {
            throw CommandFailure(
                .usage,
                "the broker \(broker.amqp) is in use (\(queue)): give the bench a virtual host of its own "
                    + "(FANFARE_AMQP_URL), or run Deploy/bench.sh"
            )
        }
    }

    /// Returns the first of our queues with a consumer or a message; nil when there is none.
    private func takenQueue(_ broker: Configuration) async throws -> String? {
        try await counts(broker).first { $0.consumers > 0 || $0.ready > 0 }?.queue
    }

    /// Returns the number of messages in all of our queues.
    func messages(_ broker: Configuration) async throws -> Int {
        try await counts(broker).reduce(0) { $0 + $1.ready }
    }

    private func counts(_ broker: Configuration) async throws -> [(queue: String, consumers: Int, ready: Int)] {
        let client: AMQPClient
        do throws(AMQPConnectError) {
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            client = try await AMQPClient.connect(broker.amqp, name: "fanfare bench", on: loop)
        } catch {
            throw CommandFailure(error)
        }
        var result: [(queue: String, consumers: Int, ready: Int)] = []
        for queue in TopologyManifest.builtIn.queues where queue.name != BrokerNames.parkedQueue {
            guard let counts = try await client.counts(of: queue.name) else { continue }
            result.append((queue.name, Int(counts.consumers), Int(counts.ready)))
        }
        await client.close()
        return result
    }
}
