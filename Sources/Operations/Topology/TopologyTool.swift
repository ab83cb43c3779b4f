import AMQP
package import Delivery
package import NIOCore
package import Transport

/// The commands `fanfare topology plan|apply|diff` and the passive check of workers.
///
/// Exchanges, queues and bindings go over AMQP, policies over the management API. May be used from any task.
package struct TopologyTool: Sendable {
    /// The result of a comparison or a change.
    package struct Report: Sendable {
        /// The differences from the manifest; after `apply`, those that were removed or remain.
        package var changes: [TopologyChange]
        /// The reason why the management API could not be used; then bindings and policies are unknown.
        package var managementFailure: ManagementAPI.Failure?
        /// The commands for a person with a shell on the broker; empty when the management API was used instead.
        package var commands: [String]

        /// True if nothing differs and the management API could be used.
        package var isClean: Bool { changes.isEmpty && managementFailure == nil }
    }

    private let endpoint: AMQPEndpoint
    private let manifest: TopologyManifest
    private let management: ManagementAPI
    private let loop: any EventLoop

    /// Creates a tool for one broker; the default management API is at the first host, port 15672.
    package init(
        endpoint: AMQPEndpoint,
        manifest: TopologyManifest,
        management: ManagementAPI? = nil,
        loop: any EventLoop
    ) {
        self.endpoint = endpoint
        self.manifest = manifest
        self.management =
            management ?? ManagementAPI(host: endpoint.hosts[0].name, endpoint: endpoint, loop: loop)
        self.loop = loop
    }

    /// Returns the changes that `apply` would make; changes nothing.
    package func plan() async throws(AMQPConnectError) -> Report {
        let client = try await AMQPClient.connect(endpoint, name: "fanfare topology", on: loop)
        let (observed, failure) = try await observe(client)
        await client.close()
        return Report(
            changes: manifest.changes(from: observed),
            managementFailure: failure,
            commands: failure == nil ? [] : commands()
        )
    }

    /// Changes the broker to what the manifest says; the report has the changes, and those that failed.
    ///
    /// A broker that starts answers AMQP a moment before its management API, so an unreachable one is tried once more.
    package func apply() async throws(AMQPConnectError) -> Report {
        var report = try await applyOnce()
        guard case .unreachable = report.managementFailure else { return report }
        let before = report.changes
        report = try await applyOnce()
        report.changes = before + report.changes.filter { !before.contains($0) }
        return report
    }

    private func applyOnce() async throws(AMQPConnectError) -> Report {
        let client = try await AMQPClient.connect(endpoint, name: "fanfare topology", on: loop)
        let (observed, failure) = try await observe(client)
        var report = Report(
            changes: manifest.changes(from: observed),
            managementFailure: failure,
            commands: failure == nil ? [] : commands()
        )
        guard !report.changes.contains(where: \.isConflict) else {
            await client.close()
            return report
        }
        if failure == nil { await setPolicies(&report) }
        let spread = await spreadLeaders(&report)
        try await declare(client)
        _ = await set(spread, spreadsLeaders: false, &report)
        await client.close()
        return report
    }

    /// Has the missing queues get their leaders on different nodes of a cluster, and returns those queues.
    ///
    /// A queue's leader is where it is declared unless its policy says otherwise. An argument would make it another
    /// queue for other versions, and a policy that keeps the key another policy, so the key is there only meanwhile.
    private func spreadLeaders(_ report: inout Report) async -> [TopologyManifest.Queue] {
        let missing = report.changes.compactMap(\.missingQueue)
        guard report.managementFailure == nil, !missing.isEmpty, await management.mayHaveSeveralNodes() else {
            return []
        }
        return await set(missing, spreadsLeaders: true, &report) ? missing : []
    }

    /// Sets policies, and returns true if all of them could be set.
    private func set(
        _ queues: [TopologyManifest.Queue],
        spreadsLeaders: Bool,
        _ report: inout Report
    ) async -> Bool {
        for queue in queues {
            do throws(ManagementAPI.Failure) {
                try await management.setPolicy(of: queue, spreadsLeaders: spreadsLeaders)
            } catch {
                report.managementFailure = error
                report.commands = commands()
                return false
            }
        }
        return true
    }

    private func setPolicies(_ report: inout Report) async {
        let queues = report.changes.compactMap { change in
            if case .setPolicy(let queue, _) = change { queue } else { nil }
        }
        _ = await set(queues, spreadsLeaders: false, &report)
    }

    private func declare(_ client: AMQPClient) async throws(AMQPConnectError) {
        for exchange in manifest.exchanges {
            let arguments = exchange.alternate.map { [MessageHeader("alternate-exchange", .string($0))] } ?? []
            try await client.call(
                .declareExchange(name: exchange.name, type: exchange.kind.rawValue, arguments: arguments)
            )
        }
        for queue in manifest.queues {
            try await client.call(
                .declareQueue(name: queue.name, arguments: [MessageHeader("x-queue-type", .string("quorum"))])
            )
        }
        for binding in manifest.bindings { try await client.call(binding.call) }
    }

    private func commands() -> [String] {
        manifest.queues.map { PolicyJSON($0).command(virtualHost: endpoint.virtualHost) }
    }

    private func observe(
        _ client: AMQPClient
    ) async throws(AMQPConnectError) -> (ObservedTopology, ManagementAPI.Failure?) {
        do throws(ManagementAPI.Failure) {
            return (try await management.observe(), nil)
        } catch {
            return (try await observePassively(client), error)
        }
    }

    /// Checks existence only: over AMQP nothing else can be read without changing something.
    private func observePassively(_ client: AMQPClient) async throws(AMQPConnectError) -> ObservedTopology {
        var observed = ObservedTopology()
        for exchange in manifest.exchanges where try await client.exchangeExists(exchange.name) {
            observed.exchanges[exchange.name] = exchange
        }
        for queue in manifest.queues where try await client.counts(of: queue.name) != nil {
            observed.queues[queue.name] = ObservedTopology.Queue()
        }
        return observed
    }

    /// Returns what is missing or different, a line each, for a worker before it starts; changes nothing.
    ///
    /// If the management API does not answer, or refuses the user, only existence is checked.
    package func passiveCheck() async throws(AMQPConnectError) -> [String] {
        let client = try await AMQPClient.connect(endpoint, name: "fanfare topology check", on: loop)
        let (observed, _) = try await observe(client)
        await client.close()
        let changes = manifest.changes(from: observed)
        let missing = Set(changes.compactMap(\.missing))
        return changes.filter { change in
            switch change {
            // A policy that overrules ours is its owner's decision, and no reason to stop.
            case .overruled: false
            // Whoever creates the missing queue or exchange creates its bindings, too.
            case .createBinding(let binding): !missing.contains(binding.source) && !missing.contains(binding.target)
            default: true
            }
        }.map(\.line)
    }
}

extension TopologyManifest.Binding {
    var call: AMQPCall {
        let arguments =
            header.map {
                [MessageHeader("x-match", .string("all")), MessageHeader($0.name, .string($0.value))]
            } ?? []
        switch destination {
        case .queue(let queue):
            return .bindQueue(queue: queue, exchange: source, routingKey: routingKey, arguments: arguments)
        case .exchange(let exchange):
            return .bindExchange(
                source: source,
                destination: exchange,
                routingKey: routingKey,
                arguments: arguments
            )
        }
    }
}

extension TopologyChange {
    var isConflict: Bool {
        if case .conflict = self { true } else { false }
    }

    /// The missing queue.
    fileprivate var missingQueue: TopologyManifest.Queue? {
        if case .createQueue(let queue) = self { queue } else { nil }
    }

    /// The name of the missing queue or exchange.
    fileprivate var missing: String? {
        switch self {
        case .createExchange(let exchange): exchange.name
        case .createQueue(let queue): queue.name
        default: nil
        }
    }

    /// The difference and its fix, in one line.
    package var line: String {
        switch self {
        case .createExchange(let exchange):
            "exchange \(exchange.name) is missing: run `fanfare topology apply`"
        case .createQueue(let queue):
            "queue \(queue.name) is missing: run `fanfare topology apply`"
        case .createBinding(let binding):
            "the binding of \(binding.source) to \(binding.destinationName) is missing: run `fanfare topology apply`"
        case .setPolicy(let queue, let difference):
            "the policy of queue \(queue.name) \(difference): run `fanfare topology apply`"
        case .conflict(let name, let difference):
            "\(name) \(difference): it cannot be changed in place, delete it when it is empty and "
                + "run `fanfare topology apply`"
        case .overruled(let queue, let other):
            "queue \(queue) is ruled by policy \(other) instead of ours: lower its priority below "
                + "\(TopologyManifest.policyPriority) or exclude the queue from its pattern"
        }
    }
}

extension TopologyManifest.Binding {
    fileprivate var target: String {
        switch destination {
        case .queue(let name), .exchange(let name): name
        }
    }

    var destinationName: String {
        switch destination {
        case .queue(let name): "queue \(name)"
        case .exchange(let name): "exchange \(name)"
        }
    }
}
