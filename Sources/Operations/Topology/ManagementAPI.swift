import Campaigns
package import Delivery
import FoundationEssentials
package import NIOCore
package import PushProviders
import Store
package import Transport

/// A client for RabbitMQ's management HTTP API, as far as policies and the topology need it.
///
/// Policies cannot be set or read over AMQP. May be used from any task.
package struct ManagementAPI: Sendable {
    /// The reason why the API cannot be used.
    package enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// Nothing answers there: the plugin is off, or the port is closed or wrong.
        case unreachable(String)
        /// Plain HTTP to another machine: anybody on the way could read the broker's password.
        case unprotected(String)
        /// The user lacks the tag `management` (to read) or `policymaker` (to set policies).
        case notAllowed(user: String)
        /// The answer cannot be used.
        case unexpected(String)

        /// The failure in one line.
        package var description: String {
            switch self {
            case .unreachable(let text): "the management API is not reachable: \(text)"
            case .unprotected(let address):
                "the management API at \(address) is not asked over http: name its https address "
                    + "(amqp.management_url: https://\(address.prefix { $0 != ":" }):\(ManagementAPI.securePort))"
            case .notAllowed(let user): "the management API refuses user \(user): it needs the tag policymaker"
            case .unexpected(let text): "the management API answers \(text)"
            }
        }
    }

    /// The default port of RabbitMQ's management plugin.
    package static let defaultPort = 15_672
    /// The default port over TLS.
    package static let securePort = 15_671

    /// One for each node that may be asked.
    private let clients: [HTTP1Client]
    /// The address to which the password would go in the clear; nil if it would not.
    private let openAddress: String?
    private let user: String
    private let authorization: String
    private let virtualHost: String

    /// Creates a client for the API at this host and port, with the user, password and virtual host of the endpoint.
    ///
    /// `isSecure`: over HTTPS, with the endpoint's TLS files. Without it, the password is sent to this machine only.
    package init(
        host: String,
        port: Int = defaultPort,
        isSecure: Bool = false,
        endpoint: AMQPEndpoint,
        loop: any EventLoop
    ) {
        self.init(hosts: [host], port: port, isSecure: isSecure, endpoint: endpoint, loop: loop)
    }

    /// Creates a client for the API at the same port of several nodes: the first one that can be reached answers.
    ///
    /// `timeout` bounds each of their answers.
    package init(
        hosts: [String],
        port: Int,
        isSecure: Bool,
        endpoint: AMQPEndpoint,
        loop: any EventLoop,
        timeout: TimeAmount = .seconds(10)
    ) {
        let tls = isSecure ? endpoint.tls ?? AMQPEndpoint.TLSFiles() : nil
        clients = hosts.map { HTTP1Client(host: $0, port: port, tls: tls, loop: loop, timeout: timeout) }
        openAddress = isSecure ? nil : hosts.first { !Loopback.isLoopback(host: $0) }.map { "\($0):\(port)" }
        user = endpoint.user
        authorization = "Basic " + Data("\(endpoint.user):\(endpoint.password)".utf8).base64EncodedString()
        virtualHost = Self.encode(endpoint.virtualHost)
    }

    /// Reads everything that the topology is compared with; throws when any of it cannot be read.
    func observe() async throws(Failure) -> ObservedTopology {
        let exchanges: [ExchangeJSON] = try await get("/api/exchanges/\(virtualHost)")
        let queues: [QueueJSON] = try await get("/api/queues/\(virtualHost)")
        let bindings: [BindingJSON] = try await get("/api/bindings/\(virtualHost)")
        return ObservedTopology(
            exchanges: Dictionary(
                exchanges.compactMap { exchange in exchange.value.map { (exchange.name, $0) } },
                uniquingKeysWith: { first, _ in first }
            ),
            queues: Dictionary(
                queues.map { ($0.name, ObservedTopology.Queue(type: $0.type, policy: $0.policy)) },
                uniquingKeysWith: { first, _ in first }
            ),
            bindings: bindings.map(\.value),
            policies: try await policies()
        )
    }

    /// Reads which nodes there are, and which have and lead the queues of these names.
    ///
    /// Nodes may only be seen by a user with the tag `monitoring`; for others the queues alone tell of them.
    package func standing(of names: Set<String>) async throws(Failure) -> ClusterStanding {
        let queues: [QueueJSON] = try await get("/api/queues/\(virtualHost)?columns=name,type,leader,members,online")
        var nodes: [NodeJSON] = []
        do throws(Failure) {
            nodes = try await get("/api/nodes?columns=name,running,partitions,mem_alarm,disk_free_alarm")
        } catch .notAllowed {
        } catch {
            throw error
        }
        return ClusterStanding(
            queues: queues.filter { names.contains($0.name) }.compactMap(\.standing),
            members: nodes.map(\.value)
        )
    }

    /// Reads the faults of the cluster that has our queues.
    package func brokerFaults() async throws(Failure) -> BrokerFaults {
        BrokerFaults(try await standing(of: TopologyManifest.queueNames))
    }

    /// Reads the number of our queues' consumers whose node is there; nil if no node is missing, because then AMQP
    /// counts right.
    package func liveConsumers() async throws(Failure) -> [String: Int]? {
        let standing = try await standing(of: TopologyManifest.queueNames)
        guard !standing.missingNodes.isEmpty else { return nil }
        let consumers: [ConsumerJSON] = try await get(
            "/api/consumers/\(virtualHost)?columns=queue.name,channel_details.node"
        )
        return standing.live(consumers.compactMap(\.place))
    }

    /// Reads the policies of the virtual host.
    func policies() async throws(Failure) -> [ObservedTopology.Policy] {
        let policies: [PolicyJSON] = try await get("/api/policies/\(virtualHost)")
        return policies.map(\.value)
    }

    /// Sets the policy of a queue, which has the queue's name; `spreadsLeaders`: a queue that is declared under it gets
    /// its leader on the node that leads the fewest.
    func setPolicy(of queue: TopologyManifest.Queue, spreadsLeaders: Bool) async throws(Failure) {
        var policy = PolicyJSON(queue)
        if spreadsLeaders { policy.definition["queue-leader-locator"] = .text("balanced") }
        guard let body = try? JSONEncoder().encode(policy) else {
            preconditionFailure("a policy of numbers and strings is always JSON")
        }
        _ = try await send("PUT", "/api/policies/\(virtualHost)/\(Self.encode(queue.name))", body: Array(body))
    }

    /// Returns false if the broker is known to be a single node.
    func mayHaveSeveralNodes() async -> Bool {
        guard let nodes: [NodeJSON] = try? await get("/api/nodes?columns=name") else { return true }
        return nodes.count != 1
    }

    /// Reads the broker's version, such as `3.10.8`.
    package func version() async throws(Failure) -> String {
        let overview: OverviewJSON = try await get("/api/overview")
        return overview.version
    }

    /// Reads the versions of the nodes that run; empty where the user may not ask, or where the nodes keep no metrics.
    package func nodeVersions() async throws(Failure) -> [String: String] {
        do throws(Failure) {
            let nodes: [NodeVersionJSON] = try await get("/api/nodes")
            return Dictionary(nodes.compactMap(\.version), uniquingKeysWith: { first, _ in first })
        } catch .notAllowed {
            return [:]
        } catch {
            throw error
        }
    }

    /// Reads the feature flags; nil where the user may not ask: that takes the tag `administrator`.
    package func featureFlags() async throws(Failure) -> [BrokerVersions.Flag]? {
        do throws(Failure) {
            let flags: [FeatureFlagJSON] = try await get("/api/feature-flags")
            return flags.map(\.value)
        } catch .notAllowed {
            return nil
        } catch {
            throw error
        }
    }

    /// Measures the difference between this machine's clock and the broker's; nil when the answer has no date.
    package func clockSkew() async throws(Failure) -> ClockSkew? {
        do {
            // The request needs no credentials: a refusal has a date, too.
            let response = try await answer("GET", "/api/overview")
            guard let date = response.date else { return nil }
            return ClockSkew(date: Array(date.utf8).span, now: WallClock.now().asRead)
        } catch {
            throw .unreachable("\(error)")
        }
    }

    private func get<Value: Decodable>(_ path: String) async throws(Failure) -> Value {
        let body = try await send("GET", path, body: nil)
        do {
            return try JSONDecoder().decode(Value.self, from: Data(body))
        } catch {
            throw .unexpected("\(path) with something else than is known: \(Self.words(error))")
        }
    }

    /// Returns the place and the kind of what cannot be decoded.
    private static func words(_ error: any Error) -> String {
        func at(_ context: DecodingError.Context, _ key: [any CodingKey] = []) -> String {
            let path = (context.codingPath + key).map { $0.intValue.map(String.init) ?? $0.stringValue }
            return path.isEmpty ? "the answer" : path.joined(separator: ".")
        }
        return switch error {
        case DecodingError.keyNotFound(let key, let context): "there is no \(at(context, [key]))"
        case DecodingError.valueNotFound(_, let context): "\(at(context)) is null"
        case DecodingError.typeMismatch(_, let context): "\(at(context)) has another type"
        default: "it is not JSON"
        }
    }

    private func send(_ method: String, _ path: String, body: [UInt8]?) async throws(Failure) -> [UInt8] {
        if let openAddress { throw .unprotected(openAddress) }
        let headers = [
            HTTP1Client.Header("Authorization", authorization),
            HTTP1Client.Header("Content-Type", "application/json"),
        ]
        let response: HTTP1Client.Response
        do {
            response = try await answer(method, path, headers: headers, body: body)
        } catch {
            throw .unreachable("\(error)")
        }
        switch response.status {
        case 200..<300: return response.body
        case 401, 403: throw .notAllowed(user: user)
        default:
            let text = String(decoding: response.body.prefix(200), as: UTF8.self)
            throw .unexpected("\(response.status) to \(method) \(path): \(text)")
        }
    }

    /// Returns the answer of the first node that can be reached; throws the failure of the last one.
    private func answer(
        _ method: String,
        _ path: String,
        headers: [HTTP1Client.Header] = [],
        body: [UInt8]? = nil
    ) async throws(HTTP1Error) -> HTTP1Client.Response {
        for client in clients.dropLast() {
            // Each request is the same however often it is made.
            if let response = try? await client.send(method, path, headers: headers, body: body) { return response }
        }
        return try await clients[clients.count - 1].send(method, path, headers: headers, body: body)
    }

    private static func encode(_ text: String) -> String {
        let hex = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                encoded.append(byte)
            default: encoded += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
