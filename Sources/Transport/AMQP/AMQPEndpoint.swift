/// Where the broker is and who we are there: the value of `amqp.url` (contract, section 4).
///
/// `amqp://user:password@host1:5672,host2:5672/vhost?…`: several hosts separated by commas are the nodes of one
/// cluster; no path or `/` is the virtual host `/`; user and password default to `guest`; `amqps` takes RabbitMQ's
/// query parameters `cacertfile`, `certfile`, `keyfile`.
public struct AMQPEndpoint: Sendable, Equatable, CustomStringConvertible {
    /// A node of the broker.
    public struct Host: Sendable, Equatable, Hashable, CustomStringConvertible {
        /// A DNS name or an IP address, without brackets.
        public var name: String
        /// The TCP port.
        public var port: Int

        /// A node.
        public init(name: String, port: Int) {
            self.name = name
            self.port = port
        }

        /// As it stands in a URL.
        public var description: String { name.contains(":") ? "[\(name)]:\(port)" : "\(name):\(port)" }
    }

    /// The files of `amqps`.
    public struct TLSFiles: Sendable, Equatable {
        /// PEM of the authorities to trust; the operating system's when absent.
        public var authorities: String?
        /// PEM of a client certificate.
        public var certificate: String?
        /// PEM of its key, unencrypted.
        public var key: String?

        /// Files; all absent by default.
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
    /// The user's password; in no description.
    public var password: String
    /// The virtual host.
    public var virtualHost: String
    /// Set for `amqps`.
    public var tls: TLSFiles?

    /// An endpoint from its parts.
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

    /// The URL without its password, fit for logs.
    public var description: String {
        let scheme = tls == nil ? "amqp" : "amqps"
        let path = virtualHost == "/" ? "" : "/\(virtualHost)"
        return "\(scheme)://\(user)@\(hosts.map(\.description).joined(separator: ","))\(path)"
    }
}

/// Why an `amqp.url` cannot be used.
///
/// Never quotes the password.
public struct AMQPEndpointError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong and how to mend it.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
