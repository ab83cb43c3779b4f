public import Foundation
import Synchronization

/// A private RabbitMQ node for tests: its own folder, ports and epmd, loopback only, no root.
///
/// A guard process kills it and removes its folder when the test process ends, in any way. May be used from any task.
public final class RabbitMQNode: Sendable {
    /// The error for a node that could not be started or reached.
    public struct Failure: Error, CustomStringConvertible {
        /// The failure, with the path of the logs.
        public let description: String
    }

    private struct Processes {
        var server: Process?
        var epmd: Process?
    }

    /// The folder of its files.
    public let folder: URL
    /// The port of AMQP on 127.0.0.1.
    public let port: Int
    /// The port of the management API on 127.0.0.1.
    public let managementPort: Int
    /// The port of AMQP over TLS on 127.0.0.1, with a certificate for `localhost` and 127.0.0.1.
    public let securePort: Int
    /// The port of the management API over TLS on 127.0.0.1, with the certificate of `securePort`.
    public let secureManagementPort: Int
    private let epmdPort: Int
    private let environment: [String: String]
    private let processes = Mutex(Processes())
    /// The nodes that `startAll` has put into its cluster.
    private let peers = Mutex<[RabbitMQNode]>([])
    /// The programs of another version, if `FANFARE_TEST_RABBITMQ` names a root folder.
    private static let root = ServerRoot.named("FANFARE_TEST_RABBITMQ")

    /// The path of the self-signed certificate of `securePort` as PEM.
    public var certificatePath: String { folder.appendingPathComponent("certificate.pem").path }

    /// The `amqp.url` of the node's default user.
    public var url: String { "amqp://guest:guest@127.0.0.1:\(port)" }

    /// The addresses of all nodes that were started together, as `amqp.url` has them.
    public var addresses: String {
        ([port] + peers.withLock { $0.map(\.port) }).map { "127.0.0.1:\($0)" }.joined(separator: ",")
    }

    /// The node's name in a cluster.
    public var name: String { "fanfare-\(port)@localhost" }

    /// Starts a node, in the cluster of `peer` if given, and waits until it answers.
    public static func start(inClusterOf peer: RabbitMQNode? = nil) async throws -> RabbitMQNode {
        let node = try RabbitMQNode(beside: peer)
        try node.makeCertificate()
        if peer == nil { try node.launchEpmd() }
        try node.launchGuard()
        try await node.restart()
        guard let peer else { return node }
        try await node.rabbitmqctl("stop_app")
        try await node.rabbitmqctl("join_cluster", peer.name)
        try await node.rabbitmqctl("start_app")
        return node
    }

    /// Starts a cluster of as many nodes as `FANFARE_TEST_NODES` says, one by default, and returns the first.
    static func startAll() async throws -> RabbitMQNode {
        let node = try await start()
        let count = ProcessInfo.processInfo.environment["FANFARE_TEST_NODES"].flatMap { Int($0) } ?? 1
        for _ in 1..<max(1, count) {
            let peer = try await start(inClusterOf: node)
            node.peers.withLock { $0.append(peer) }
        }
        return node
    }

    /// Removes another node from this one's cluster and deletes it.
    public func forget(_ peer: RabbitMQNode) async throws {
        try await peer.rabbitmqctl("stop_app")
        try await rabbitmqctl("forget_cluster_node", peer.name)
        peer.remove()
    }

    private init(beside peer: RabbitMQNode?) throws {
        let ports = try LoopbackPorts.free(6)
        (port, managementPort, epmdPort, securePort) = (ports[0], ports[1], peer?.epmdPort ?? ports[3], ports[4])
        secureManagementPort = ports[5]
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("fanfare-rabbitmq-\(ports[0])")
        for name in ["home", "log", "mnesia"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(name),
                withIntermediateDirectories: true
            )
        }
        let path = folder.path
        let configuration = """
            listeners.tcp.1 = 127.0.0.1:\(port)
            listeners.ssl.1 = 127.0.0.1:\(securePort)
            ssl_options.cacertfile = \(path)/certificate.pem
            ssl_options.certfile = \(path)/certificate.pem
            ssl_options.keyfile = \(path)/key.pem
            management.tcp.ip = 127.0.0.1
            management.tcp.port = \(managementPort)
            management.ssl.ip = 127.0.0.1
            management.ssl.port = \(secureManagementPort)
            management.ssl.certfile = \(path)/certificate.pem
            management.ssl.keyfile = \(path)/key.pem
            log.console = false
            log.file.level = warning

            """ + (try Self.furtherSettings())
        try configuration.write(to: folder.appendingPathComponent("rabbitmq.conf"), atomically: true, encoding: .utf8)
        try "[rabbitmq_management,rabbitmq_amqp1_0].\n".write(
            to: folder.appendingPathComponent("enabled_plugins"),
            atomically: true,
            encoding: .utf8
        )
        // A message that a queue has dead-lettered without a confirm goes again after this time, by default 180 s. The
        // configuration file has no key for it.
        let deadLetters = "-rabbit dead_letter_worker_publisher_confirm_timeout 30000"
        environment = [
            // The nodes of a cluster share one cookie, which is in the first node's home.
            "PATH": "/usr/bin:/bin", "HOME": "\(peer?.folder.path ?? path)/home", "LANG": "C.UTF-8",
            "RABBITMQ_NODENAME": "fanfare-\(port)@localhost",
            "RABBITMQ_NODE_PORT": "\(port)", "RABBITMQ_DIST_PORT": "\(ports[2])",
            "ERL_EPMD_PORT": "\(epmdPort)", "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_CONFIG_FILE": "\(path)/rabbitmq", "RABBITMQ_CONF_ENV_FILE": "\(path)/none",
            "RABBITMQ_ADVANCED_CONFIG_FILE": "\(path)/none",
            "RABBITMQ_ENABLED_PLUGINS_FILE": "\(path)/enabled_plugins",
            "RABBITMQ_MNESIA_BASE": "\(path)/mnesia", "RABBITMQ_LOG_BASE": "\(path)/log",
            "RABBITMQ_PID_FILE": "\(path)/node.pid",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1} \(deadLetters)",
        ]
    }

    /// Returns the lines for `rabbitmq.conf` in the file that `FANFARE_TEST_RABBITMQ_SETTINGS` names.
    private static func furtherSettings() throws -> String {
        guard let path = ProcessInfo.processInfo.environment["FANFARE_TEST_RABBITMQ_SETTINGS"] else { return "" }
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    // MARK: - Processes

    private func launch(_ executable: String, _ arguments: [String], log: String) throws -> Process {
        let process = Process()
        let command = Self.root.command(executable, arguments, in: folder.path)
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = environment
        process.currentDirectoryURL = folder
        let file = folder.appendingPathComponent("log/\(log)")
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        let handle = try FileHandle(forWritingTo: file)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handle
        process.standardError = handle
        try process.runTakingSignals()
        return process
    }

    private func makeCertificate() throws {
        let process = try launch(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-keyout", "key.pem", "-out", "certificate.pem", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
            ],
            log: "openssl"
        )
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "openssl made no certificate, see \(folder.path)/log/openssl")
        }
    }

    /// Starts an epmd with a known pid: the node would start one that outlives it.
    private func launchEpmd() throws {
        let process = try launch("/usr/bin/epmd", ["-port", "\(epmdPort)"], log: "epmd")
        try writePID(process, "epmd.pid")
        processes.withLock { $0.epmd = process }
        // A node that finds no epmd starts its own.
        let deadline = ContinuousClock.now + .seconds(10)
        while !LoopbackPorts.accepts(epmdPort) {
            guard ContinuousClock.now < deadline else {
                throw Failure(description: "epmd did not start, see \(folder.path)/log/epmd")
            }
            usleep(5000)
        }
    }

    private func launchGuard() throws {
        let script = """
            while kill -0 \(getpid()) 2>/dev/null; do sleep 1; done
            for file in node.pid server.pid epmd.pid; do kill -9 "$(cat $file)" 2>/dev/null; done
            cd / && rm -rf '\(folder.path)'
            """
        _ = try launch("/bin/sh", ["-c", script], log: "guard")
    }

    private func writePID(_ process: Process, _ name: String) throws {
        try "\(process.processIdentifier)\n".write(
            to: folder.appendingPathComponent(name),
            atomically: true,
            encoding: .utf8
        )
    }

    /// Restarts the node with its data after `kill` or `stop`, and waits until it answers.
    public func restart() async throws {
        try? FileManager.default.removeItem(at: nodePIDFile)
        let process = try launch("/usr/lib/rabbitmq/bin/rabbitmq-server", [], log: "start")
        try writePID(process, "server.pid")
        processes.withLock { $0.server = process }
        let deadline = ContinuousClock.now + .seconds(120)
        while !LoopbackPorts.answersAMQP(port) || !LoopbackPorts.accepts(managementPort) {
            guard process.isRunning, ContinuousClock.now < deadline else {
                throw Failure(description: "RabbitMQ did not start, see \(folder.path)/log")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// True unless the node was killed or stopped.
    public var isRunning: Bool { processes.withLock { $0.server != nil } }

    /// Kills the node (SIGKILL) and waits until it has ended.
    public func kill() {
        end(SIGKILL)
    }

    /// Stops the node in an orderly way and waits until it has ended; its epmd stays for a restart.
    public func stop() {
        end(SIGTERM)
    }

    /// Freezes the node (SIGSTOP) until `thaw`.
    public func freeze() {
        signal(SIGSTOP)
    }

    /// Lets the node continue (SIGCONT).
    public func thaw() {
        signal(SIGCONT)
    }

    private func signal(_ signal: Int32) {
        guard let text = try? String(contentsOf: nodePIDFile, encoding: .utf8),
            let pid = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else { return }
        _ = Foundation.kill(pid, signal)
    }

    private func end(_ signal: Int32) {
        guard processes.withLock({ $0.server != nil }) else { return }
        processes.withLock { $0.server = nil }
        // The started script waits for the Erlang VM, whose pid is in the node's own file.
        guard let text = try? String(contentsOf: nodePIDFile, encoding: .utf8),
            let pid = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else { return }
        _ = Foundation.kill(pid, signal)
        let deadline = ContinuousClock.now + .seconds(60)
        while Self.isRunning(pid), ContinuousClock.now < deadline { usleep(5000) }
    }

    /// Returns true if a process runs; an ended one that was not reaped still accepts signals, but its command line is
    /// empty.
    private static func isRunning(_ pid: pid_t) -> Bool {
        let commandLine = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(pid)/cmdline"))
        return commandLine?.isEmpty == false
    }

    private var nodePIDFile: URL { folder.appendingPathComponent("node.pid") }

    /// Stops the node and its epmd and removes its files; it cannot be started again.
    public func remove() {
        kill()
        let epmd = processes.withLock { $0.epmd }
        epmd?.terminate()
        epmd?.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Adds a virtual host in which the default user may do everything.
    ///
    /// Over the management API: `rabbitmqctl` starts an Erlang machine, which costs more than a second of a processor.
    public func addVirtualHost(_ name: String) async throws {
        let url = "http://127.0.0.1:\(managementPort)/api/vhosts/\(name)"
        try await run("/usr/bin/curl", ["-sS", "--fail-with-body", "-u", "guest:guest", "-X", "PUT", url])
    }

    /// Runs `rabbitmqctl` against this node and waits for it; throws with its output when it fails.
    @discardableResult
    public func rabbitmqctl(_ arguments: String...) async throws -> String {
        try await run("/usr/lib/rabbitmq/bin/rabbitmqctl", arguments)
    }

    /// Spreads the leaders of the quorum queues whose names match over the cluster's nodes.
    public func rebalance(_ pattern: String) async throws {
        try await run("/usr/lib/rabbitmq/bin/rabbitmq-queues", ["rebalance", "quorum", "--queue-pattern", pattern])
    }

    @discardableResult
    private func run(_ executable: String, _ arguments: [String]) async throws -> String {
        let log = "run-\(UInt32.random(in: 0 ... .max))"
        let process = try launch(executable, arguments, log: log)
        while process.isRunning { try await Task.sleep(for: .milliseconds(20)) }
        let output = try String(contentsOf: folder.appendingPathComponent("log/\(log)"), encoding: .utf8)
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(executable) \(arguments.joined(separator: " ")): \(output)")
        }
        return output
    }
}

/// A node that several tests share, started at the first use.
///
/// Each target whose tests damage their node has its own, because the suites of a process run in parallel.
public actor SharedNode {
    private var starting: Task<RabbitMQNode, any Error>?

    /// Creates an actor without a node.
    public init() {}

    /// Returns the node, starting it if needed.
    public func node() async throws -> RabbitMQNode {
        let task = starting ?? Task { try await RabbitMQNode.startAll() }
        starting = task
        return try await task.value
    }
}
