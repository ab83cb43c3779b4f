/// Everything that Fanfare needs on the broker, as data (design, section 6).
public struct TopologyManifest: Sendable, Equatable {
    /// An exchange; all of them are durable.
    public struct Exchange: Sendable, Equatable {
        /// How it routes.
        public enum Kind: String, Sendable { case topic, direct, fanout, headers }

        /// Its name.
        public var name: String
        /// How it routes.
        public var kind: Kind
        /// Where it sends what none of its bindings takes.
        public var alternate: String?

        /// An exchange.
        public init(name: String, kind: Kind, alternate: String? = nil) {
            self.name = name
            self.kind = kind
            self.alternate = alternate
        }
    }

    /// A quorum queue, declared with nothing but `x-queue-type`; everything that may change is in its policy.
    public struct Queue: Sendable, Equatable {
        /// Its name, and the name of its policy.
        public var name: String
        /// Its policy.
        public var policy: Policy

        /// A queue.
        public init(name: String, policy: Policy) {
            self.name = name
            self.policy = policy
        }
    }

    /// What a queue's policy says; absent settings are left out of it.
    public struct Policy: Sendable, Equatable {
        /// How often a message may be delivered before it is dead-lettered.
        public var deliveryLimit: Int?
        /// How long a message stays, in milliseconds, before it is dead-lettered.
        public var messageTTL: Int?
        /// Where messages go that expired or were delivered too often.
        ///
        /// Their routing key stays.
        public var deadLetterExchange: String?
        /// The queue refuses publishes when it holds this many messages.
        public var maxLength: Int?
        /// The queue refuses publishes when its bodies take this many bytes.
        public var maxLengthBytes: Int?

        /// A policy.
        public init(
            deliveryLimit: Int? = nil,
            messageTTL: Int? = nil,
            deadLetterExchange: String? = nil,
            maxLength: Int? = nil,
            maxLengthBytes: Int? = nil
        ) {
            self.deliveryLimit = deliveryLimit
            self.messageTTL = messageTTL
            self.deadLetterExchange = deadLetterExchange
            self.maxLength = maxLength
            self.maxLengthBytes = maxLengthBytes
        }

        /// The definition as RabbitMQ's policies name it, in a fixed order.
        ///
        /// Every queue refuses publishes when full; dead letters are at least once, which needs that.
        public var definition: [(key: String, value: PolicyValue)] {
            var pairs: [(key: String, value: PolicyValue)] = []
            if let deliveryLimit { pairs.append(("delivery-limit", .number(deliveryLimit))) }
            if let messageTTL { pairs.append(("message-ttl", .number(messageTTL))) }
            if let deadLetterExchange {
                pairs.append(("dead-letter-exchange", .text(deadLetterExchange)))
                pairs.append(("dead-letter-strategy", .text("at-least-once")))
            }
            pairs.append(("overflow", .text("reject-publish")))
            if let maxLength { pairs.append(("max-length", .number(maxLength))) }
            if let maxLengthBytes { pairs.append(("max-length-bytes", .number(maxLengthBytes))) }
            return pairs
        }
    }

    /// One setting of a policy.
    public enum PolicyValue: Sendable, Equatable {
        /// A whole number.
        case number(Int)
        /// A string.
        case text(String)
    }

    /// A route from an exchange.
    public struct Binding: Sendable, Equatable {
        /// What messages are routed to.
        public enum Destination: Sendable, Equatable {
            /// Another exchange.
            case exchange(String)
            /// A queue.
            case queue(String)
        }

        /// The exchange that routes.
        public var source: String
        /// What it routes to.
        public var destination: Destination
        /// The routing key or pattern; without meaning for fanout and headers.
        public var routingKey: String
        /// For a headers exchange: the one header that a message must have, and its value.
        public var header: Header?

        /// A header and its value.
        public struct Header: Sendable, Equatable {
            /// The name.
            public var name: String
            /// The value, a string.
            public var value: String

            /// A header.
            public init(name: String, value: String) {
                self.name = name
                self.value = value
            }
        }

        /// A binding.
        public init(source: String, destination: Destination, routingKey: String = "", header: Header? = nil) {
            self.source = source
            self.destination = destination
            self.routingKey = routingKey
            self.header = header
        }
    }

    /// The exchanges, each before any that names it.
    public var exchanges: [Exchange]
    /// The queues.
    public var queues: [Queue]
    /// The bindings.
    public var bindings: [Binding]

    /// A manifest.
    public init(exchanges: [Exchange], queues: [Queue], bindings: [Binding]) {
        self.exchanges = exchanges
        self.queues = queues
        self.bindings = bindings
    }

    /// What a policy calls the queue that it is for: a pattern that matches no other name.
    public static func policyPattern(queue: String) -> String {
        "^" + queue.split(separator: ".", omittingEmptySubsequences: false).joined(separator: "\\.") + "$"
    }
}
