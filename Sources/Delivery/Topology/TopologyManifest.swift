/// The complete topology that Fanfare needs on the broker, as data (design, section 6).
public struct TopologyManifest: Sendable, Equatable {
    /// An exchange; all of them are durable.
    public struct Exchange: Sendable, Equatable {
        /// The kind of routing.
        public enum Kind: String, Sendable { case topic, direct, fanout, headers }

        /// The exchange's name.
        public var name: String
        /// The kind of routing.
        public var kind: Kind
        /// The exchange for messages that no binding takes.
        public var alternate: String?

        /// An exchange.
        public init(name: String, kind: Kind, alternate: String? = nil) {
            self.name = name
            self.kind = kind
            self.alternate = alternate
        }
    }

    /// A quorum queue, declared only with `x-queue-type`; everything that may change is in its policy.
    public struct Queue: Sendable, Equatable {
        /// The name of the queue and of its policy.
        public var name: String
        /// The queue's policy.
        public var policy: Policy
    }

    /// The settings of a queue's policy; absent ones are omitted.
    public struct Policy: Sendable, Equatable {
        /// The number of deliveries of a message before it is dead-lettered.
        public var deliveryLimit: Int?
        /// The time that a message stays before it is dead-lettered, in milliseconds.
        public var messageTTL: Int?
        /// The exchange for messages that expired or were delivered too often.
        ///
        /// They keep their routing key.
        public var deadLetterExchange: String?
        /// The number of messages from which the queue rejects publishes.
        public var maxLength: Int?
        /// The total size of the bodies from which the queue rejects publishes, in bytes.
        public var maxLengthBytes: Int?

        /// The definition with the keys of RabbitMQ's policies, in a fixed order.
        ///
        /// Every full queue rejects publishes; dead-lettering at least once needs that.
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
        /// The target of a binding.
        public enum Destination: Sendable, Equatable {
            /// Another exchange.
            case exchange(String)
            /// A queue.
            case queue(String)
        }

        /// The exchange that routes.
        public var source: String
        /// The target.
        public var destination: Destination
        /// The routing key or pattern; meaningless for fanout and headers.
        public var routingKey: String
        /// The one header, with its value, that a headers exchange asks for.
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

    /// Returns the pattern of a queue's policy, which matches no other name.
    public static func policyPattern(queue: String) -> String {
        "^" + queue.split(separator: ".", omittingEmptySubsequences: false).joined(separator: "\\.") + "$"
    }
}
