import Campaigns
import Delivery
package import HummingbirdCore
import Logging
package import ServiceLifecycle
package import Settings
package import WebServing

/// The API and the dashboard as a role of a server; without the role `api`, only probes are served.
package struct ServedAPI: ServedRole {
    private let responder: APIResponder

    package static let section = OpenAPISection(
        APIRoutes.all,
        APIOperations.all,
        schemas: Schemas.all,
        refusal: [
            "description": "A problem (RFC 9457)",
            "content": ["application/problem+json": ["schema": JSONSchema.reference("Problem")]],
        ],
        failure: "503"
    ) { access in
        switch access {
        case .open: [JSONMember("security", .array([]))]
        case .role(let role): [JSONMember("x-fanfare-role", .string(role.rawValue))]
        }
    }

    /// Throws when the address is open to others without tokens, or their file cannot be used.
    package static func check(_ configuration: Configuration) throws(ConfigurationError) {
        let settings = configuration.server
        let open = [settings.listen, settings.metricsListen].compactMap(\.self)
            .first { !Loopback.isLoopback(host: $0.host) }
        if let file = settings.tokensFile {
            _ = try TokensFile.read(path: file)
        } else if let open {
            throw ConfigurationError([
                ConfigurationProblem(
                    location: "",
                    key: "server.tokens_file",
                    code: "missing",
                    detail: "\(open) can be reached from other hosts, and there are no access tokens",
                    fix: "make one with fanfare server token create, or listen on 127.0.0.1"
                )
            ])
        }
    }

    package init?(_ server: ServerCore) throws(ConfigurationError) {
        let tokens: [AccessToken]?
        if let file = server.configuration.server.tokensFile {
            tokens = try TokensFile.read(path: file)
        } else {
            tokens = nil
            server.logger.notice("no server.tokens_file: everybody on this host may do everything")
        }
        let isAPI = server.configuration.server.roles.contains(.api)
        responder = APIResponder(
            APICore(server, gate: Gate(tokens: tokens.map { AccessTokens($0) })),
            RouteTable(isAPI ? DashboardRoutes.all + APIRoutes.all : ProbeRoutes.ofProcess)
        )
    }

    /// The state of the routes.
    var core: APICore { responder.state }

    package func respond(to request: Request, from connection: Peer) async -> Response? {
        await responder.reply(to: request, at: responder.target(of: request.head), from: connection).response
    }

    /// Rereads the access tokens when their file changes.
    package var services: [any Service] {
        let file = core.server.configuration.server.tokensFile
        return [
            FilePoll {
                [file].compactMap(\.self)
            } changed: {
                readTokens()
            }
        ]
    }

    package func reload() { readTokens() }

    private func readTokens() {
        core.server.reread("the access tokens") { () throws(ConfigurationError) in
            guard let path = core.server.configuration.server.tokensFile, let book = core.gate.tokens else {
                return nil
            }
            let tokens = try TokensFile.read(path: path)
            book.replace(tokens)
            return tokens.count
        }
    }

    package func stop() async { await core.feed.stop() }

    package func close() async { await core.broker.close() }
}
