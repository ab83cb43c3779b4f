package import HummingbirdCore
package import ServiceLifecycle
package import Settings

/// A role of a server (`server.roles`): the API, or the edge.
package protocol ServedRole: Sendable {
    /// The role's routes in the OpenAPI document, whether they are served or not.
    static var section: OpenAPISection { get }

    /// Throws when the configuration cannot be used.
    static func check(_ configuration: Configuration) throws(ConfigurationError)

    /// Begins; nil when the configuration does not give the server this role.
    init?(_ server: ServerCore) throws(ConfigurationError)

    /// The role's own address; nil when it is served at the server's.
    var ownAddress: Configuration.NetworkAddress? { get }

    /// Answers on the connection's loop; nil without a need for it.
    var fastPath: (any FastPath)? { get }

    /// The services that run beside the server.
    var services: [any Service] { get }

    /// Answers a request; nil when it is another role's.
    func respond(to request: Request, from connection: Peer) async -> Response?

    /// Reads the role's files again (SIGHUP).
    func reload()

    /// Ends what would delay a stop.
    func stop() async

    /// Closes connections after the last answer.
    func close() async
}

extension ServedRole {
    package static func check(_ configuration: Configuration) throws(ConfigurationError) {}
    package var ownAddress: Configuration.NetworkAddress? { nil }
    package var fastPath: (any FastPath)? { nil }
    package var services: [any Service] { [] }
    package func reload() {}
    package func stop() async {}
}
