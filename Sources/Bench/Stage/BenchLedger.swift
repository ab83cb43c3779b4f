import Campaigns
import Foundation
import NIOCore
import Operations
import Settings

/// The ledger of one fleet: a file in its folder, or a database of its own on a PostgreSQL server.
package struct BenchLedger: Sendable {
    /// The value of `store.url`.
    let location: Configuration.StoreLocation
    private let database: (name: String, server: Server)?

    /// A PostgreSQL server on which databases may be created, through `psql`.
    package struct Server: Sendable {
        private let url: URLComponents

        /// Takes the URL of an existing database; nil for an invalid one or one of several hosts.
        package init?(_ url: String) {
            guard let url = URLComponents(string: url), let scheme = url.scheme, scheme.hasPrefix("postgres") else {
                return nil
            }
            self.url = url
        }

        /// Returns the URL of another database of the server.
        func url(of database: String) -> String? {
            var url = url
            url.path = "/" + database
            return url.string
        }

        /// The environment for `psql`, since a password in a command line is readable by everybody.
        fileprivate var environment: [String: String] {
            var values = ["PGDATABASE": String(url.path.dropFirst())]
            values["PGHOST"] = url.host ?? url.queryItems?.first { $0.name == "host" }?.value
            values["PGPORT"] = url.port.map { "\($0)" }
            values["PGUSER"] = url.user
            values["PGPASSWORD"] = url.password
            return values.filter { !$0.value.isEmpty }
        }
    }

    /// Names a file.
    init(file path: String) {
        location = .sqlite(path: path)
        database = nil
    }

    /// Creates a database.
    init(_ name: String, on server: Server, _ stage: BenchStage) async throws {
        guard let url = server.url(of: name) else {
            throw CommandFailure(.usage, "store.url does not name a database of one PostgreSQL server")
        }
        location = .postgreSQL(url: url)
        database = (name, server)
        try await Self.run("CREATE DATABASE \(name) TEMPLATE template0", server, stage)
    }

    /// The value for a configuration file.
    var text: String {
        switch location {
        case .sqlite(let path): "sqlite:\(path)"
        case .postgreSQL(let url): url
        }
    }

    /// Starts a relay to the server that holds each byte back for a while; nil for a file, or a server on a socket.
    ///
    /// Returns the relay, and the value of `store.url` behind it.
    func relay(delay: TimeAmount) async throws -> (relay: DelayRelay, url: String)? {
        guard case .postgreSQL(let url) = location, var parts = URLComponents(string: url),
            let host = parts.host, !host.isEmpty
        else { return nil }
        let relay = try await DelayRelay.start(to: host, port: parts.port ?? 5432, delay: delay)
        (parts.host, parts.port) = ("127.0.0.1", relay.port)
        return parts.string.map { (relay, $0) }
    }

    /// Removes a database; a file goes with its folder.
    func remove(_ stage: BenchStage) async throws {
        guard let database else { return }
        try await Self.run("DROP DATABASE \(database.name) WITH (FORCE)", database.server, stage)
    }

    private static func run(_ statement: String, _ server: Server, _ stage: BenchStage) async throws {
        let command = [
            "/usr/bin/env", "psql", "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--command", statement,
        ]
        _ = try await stage.processes.run("psql", command, variables: server.environment)
    }
}
