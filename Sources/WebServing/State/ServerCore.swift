package import Campaigns
import Delivery
package import Logging
package import Settings
package import Store

/// The state that all responders share; may be used from any task.
package final class ServerCore: Sendable {
    package let configuration: Configuration
    package let version: String
    package let ledger: Ledger
    package let apps: KnownApps
    package let readiness: Readiness
    package let counters = RequestCounters()
    package let load: ProcessLoad
    package let peers: PeerResolver
    /// The certificate of all addresses; nil for HTTP in the clear.
    let certificate: ServerCertificate?
    /// The connections of the server's address.
    let mainLimiter: ConnectionLimiter
    /// The connections of the edge's own address.
    let edgeLimiter: ConnectionLimiter
    package let logger: Logger
    private let document: @Sendable () -> JSONValue

    init(
        configuration: Configuration,
        version: String,
        ledger: Ledger,
        apps: [AppConfiguration],
        certificate: ServerCertificate?,
        document: @escaping @Sendable () -> JSONValue,
        logger: Logger
    ) {
        self.configuration = configuration
        self.version = version
        self.ledger = ledger
        self.apps = KnownApps(apps)
        self.certificate = certificate
        self.document = document
        self.logger = logger
        readiness = Readiness(ledger: ledger)
        let settings = configuration.server
        load = ProcessLoad(memory: settings.memory ?? MemoryLimit.read())
        peers = PeerResolver(settings.trustedProxies)
        let caps = ConnectionCaps(
            descriptors: DescriptorLimit.raise(),
            listeners: 2,
            total: settings.connections ?? 0,
            ofAddress: settings.addressConnections ?? 0
        )
        mainLimiter = ConnectionLimiter(caps, load)
        edgeLimiter = ConnectionLimiter(caps, load)
    }

    /// The OpenAPI document of all responders.
    package var openAPI: JSONValue { document() }

    /// The metrics of connections, and of the certificate that they are served with.
    package var loadMetrics: LoadMetrics {
        LoadMetrics(load, [("api", mainLimiter), ("edge", edgeLimiter)], certificateEnd: certificate?.endsAt)
    }

    /// Runs `read` and logs the result; `read` returns the current count, nil when the server has none of these.
    package func reread(_ what: String, _ read: () throws(ConfigurationError) -> Int?) {
        do throws(ConfigurationError) {
            guard let count = try read() else { return }
            logger.notice("\(what) were read again", metadata: ["count": "\(count)"])
        } catch {
            let problem = error.problems.map(\.line).joined(separator: "; ")
            logger.error("\(what) stay as they were", metadata: ["problem": "\(problem)"])
        }
    }
}
