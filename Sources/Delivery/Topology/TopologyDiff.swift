/// The observed topology of a broker; what could not be read is nil.
public struct ObservedTopology: Sendable, Equatable {
    /// A policy of the broker.
    public struct Policy: Sendable, Equatable {
        /// The policy's name.
        public var name: String
        /// The names that it applies to, as a regular expression.
        public var pattern: String
        /// `queues`, `exchanges`, `all` and newer ones.
        public var appliesTo: String
        /// The priority: of several matching policies the highest counts.
        public var priority: Int
        /// The policy's settings.
        public var definition: [String: TopologyManifest.PolicyValue]

        /// A policy.
        public init(
            name: String,
            pattern: String,
            appliesTo: String,
            priority: Int,
            definition: [String: TopologyManifest.PolicyValue]
        ) {
            self.name = name
            self.pattern = pattern
            self.appliesTo = appliesTo
            self.priority = priority
            self.definition = definition
        }
    }

    /// The names of the exchanges, with the kind and alternate of each if the management API gave them.
    public var exchanges: [String: TopologyManifest.Exchange]
    /// The names of the queues, with their type (`quorum`) and the name of the policy in force, if known.
    public var queues: [String: Queue]
    /// The bindings; nil if they could not be read.
    public var bindings: [TopologyManifest.Binding]?
    /// The policies; nil if they could not be read.
    public var policies: [Policy]?

    /// A queue of the broker.
    public struct Queue: Sendable, Equatable {
        /// The type, `quorum`, `classic`, …; nil if it could not be read.
        public var type: String?
        /// The policy in force; nil if it could not be read or there is none.
        public var policy: String?

        /// A queue.
        public init(type: String? = nil, policy: String? = nil) {
            self.type = type
            self.policy = policy
        }
    }

    /// An observation.
    public init(
        exchanges: [String: TopologyManifest.Exchange] = [:],
        queues: [String: Queue] = [:],
        bindings: [TopologyManifest.Binding]? = nil,
        policies: [Policy]? = nil
    ) {
        self.exchanges = exchanges
        self.queues = queues
        self.bindings = bindings
        self.policies = policies
    }
}

/// A step from the broker's topology to the manifest's.
public enum TopologyChange: Sendable, Equatable {
    /// The exchange is missing.
    case createExchange(TopologyManifest.Exchange)
    /// The queue is missing.
    case createQueue(TopologyManifest.Queue)
    /// The binding is missing.
    case createBinding(TopologyManifest.Binding)
    /// The queue's policy is missing or different; `difference` says how.
    case setPolicy(TopologyManifest.Queue, difference: String)
    /// The exchange or queue exists, but with a kind that cannot be changed; `difference` says how.
    case conflict(name: String, difference: String)
    /// Another policy than ours is in force on the queue.
    case overruled(queue: String, by: String)
}

extension TopologyManifest {
    /// Returns the changes that the broker needs, in a possible order.
    ///
    /// Policies come before their queues, so that no queue is ever without one.
    public func changes(from observed: ObservedTopology) -> [TopologyChange] {
        exchanges.compactMap { change($0, observed) }
            + queues.flatMap { changes($0, observed) }
            + bindings.compactMap { binding in
                guard let known = observed.bindings, !known.contains(binding) else { return nil }
                return .createBinding(binding)
            }
    }

    private func change(_ exchange: Exchange, _ observed: ObservedTopology) -> TopologyChange? {
        guard let known = observed.exchanges[exchange.name] else { return .createExchange(exchange) }
        guard known != exchange else { return nil }
        let difference =
            known.kind != exchange.kind
            ? "is \(known.kind.rawValue), \(exchange.kind.rawValue) is needed"
            : "has the alternate exchange \(known.alternate ?? "none"), \(exchange.alternate ?? "none") is needed"
        return .conflict(name: exchange.name, difference: difference)
    }

    private func changes(_ queue: Queue, _ observed: ObservedTopology) -> [TopologyChange] {
        var changes: [TopologyChange] = []
        if let policies = observed.policies, let difference = difference(queue, policies) {
            changes.append(.setPolicy(queue, difference: difference))
        }
        guard let known = observed.queues[queue.name] else { return changes + [.createQueue(queue)] }
        if let type = known.type, type != "quorum" {
            changes.append(.conflict(name: queue.name, difference: "is a \(type) queue, a quorum queue is needed"))
        }
        if let policy = known.policy, policy != queue.name, changes.isEmpty {
            changes.append(.overruled(queue: queue.name, by: policy))
        }
        return changes
    }

    private func difference(_ queue: Queue, _ policies: [ObservedTopology.Policy]) -> String? {
        guard let known = policies.first(where: { $0.name == queue.name }) else { return "is missing" }
        let wanted = Dictionary(uniqueKeysWithValues: queue.policy.definition.map { ($0.key, $0.value) })
        if known.pattern != Self.policyPattern(queue: queue.name) { return "has the pattern \(known.pattern)" }
        if known.appliesTo != "queues" { return "applies to \(known.appliesTo)" }
        if known.priority != Self.policyPriority { return "has the priority \(known.priority)" }
        for key in Set(wanted.keys).union(known.definition.keys).sorted() where wanted[key] != known.definition[key] {
            return "has \(key) \(Self.text(known.definition[key])) instead of \(Self.text(wanted[key]))"
        }
        return nil
    }

    /// The priority of our policies: above a catch-all of the broker's owner, below one that is meant to overrule.
    public static let policyPriority = 10

    private static func text(_ value: PolicyValue?) -> String {
        switch value {
        case .number(let number): "\(number)"
        case .text(let text): text
        case nil: "unset"
        }
    }
}
