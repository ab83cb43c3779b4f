/// The broker's address and our login there: the value of `amqp.url` (contract, section 4).
///
/// `amqp://user:password@host1:5672,host2:5672/vhost?…`: several hosts, separated by commas, are the nodes of one
/// cluster. Without a path, or with `/`, the virtual host is `/`. User and password default to `guest`. `amqps` accepts
/// RabbitMQ's query parameters `cacertfile`, `certfile`, `keyfile`.
public struct AMQPEndpoint: Sendable, Equatable, CustomStringConvertible {
    /// A node of the broker.
    public struct Host: Sendable, Equatable, Hashable, CustomStringConvertible {
        /// A DNS name or an IP address, without brackets.
        public var name: String
        /// The TCP port.
        public var port: Int

        /// Creates a node.
        public init(name: String, port: Int) {
            self.name = name
            self.port = port
        }

        /// The node in the form of a URL.
        public var description: String { name.contains(":") ? "[\(name)]:\(port)" : "\(name):\(port)" }
    }

    /// The files of `amqps`.
    public struct TLSFiles: Sendable, Equatable {
        /// The PEM file of the trusted authorities; absent means the operating system's.
        public var authorities: String?
        /// The PEM file of a client certificate.
        public var certificate: String?
        /// The PEM file of its key, unencrypted.
        public var key: String?

        /// Creates a set of files; all are absent by default.
        public init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
            self.authorities = authorities
            self.certificate = certificate
            self.key = key
        }
    }

    /// The nodes, at least one.
    public var hosts: [Host]
    /// The user's name.
    public var user: String
    /// The user's password; no description shows it.
    public var password: String
    /// The virtual host.
    public var virtualHost: String
    /// The TLS files; set for `amqps`.
    public var tls: TLSFiles?

    /// Creates an endpoint from its parts.
    public init(
        hosts: [Host],
        user: String = "guest",
        password: String = "guest",
        virtualHost: String = "/",
        tls: TLSFiles? = nil
    ) {
        self.hosts = hosts
        self.user = user
        self.password = password
        self.virtualHost = virtualHost
        self.tls = tls
    }

    /// The URL without its password, safe for logs.
    public var description: String {
        let scheme = tls == nil ? "amqp" : "amqps"
        let path = virtualHost == "/" ? "" : "/\(virtualHost)"
        return "\(scheme)://\(user)@\(hosts.map(\.description).joined(separator: ","))\(path)"
    }
}

/// The reason why an `amqp.url` cannot be used.
///
/// Never quotes the password.
public struct AMQPEndpointError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The fault and its fix.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
