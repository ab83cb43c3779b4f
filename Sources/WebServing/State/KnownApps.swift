package import Settings
import Synchronization

/// The apps that this host knows, by name and by the hashes of their integration keys; may be used from any thread.
package final class KnownApps: Sendable {
    private struct Index {
        let all: [AppConfiguration]
        /// The apps that have an edge.
        var edgeByName: [String: AppConfiguration] = [:]
        var nameByKey: [[UInt8]: String] = [:]
        /// The origins of all apps' sites.
        var webOrigins: Set<String> = []

        init(_ apps: [AppConfiguration]) {
            all = apps
            for app in apps {
                guard let edge = app.edge else { continue }
                edgeByName[app.name] = app
                for key in edge.integrationKeys { nameByKey[key.hash] = app.name }
                webOrigins.formUnion(edge.webOrigins)
            }
        }
    }

    private let index: Mutex<Index>

    init(_ apps: [AppConfiguration]) { index = Mutex(Index(apps)) }

    /// All apps; the server needs neither them nor their keys.
    package var all: [AppConfiguration] { index.withLock { $0.all } }

    /// Replaces the apps and their keys.
    func replace(_ apps: [AppConfiguration]) {
        let new = Index(apps)
        index.withLock { $0 = new }
    }

    /// Returns an app that has an edge.
    package func withEdge(named name: String) -> AppConfiguration? { index.withLock { $0.edgeByName[name] } }

    /// Returns true if a site of any app that has an edge is at an origin.
    package func haveSite(at origin: String) -> Bool { index.withLock { $0.webOrigins.contains(origin) } }

    /// Returns the app of an integration key, by the SHA-256 of the key.
    ///
    /// The lookup is by hash, so its duration reveals nothing of a key's text.
    package func withEdge(integrationKeyHash hash: [UInt8]) -> AppConfiguration? {
        index.withLock { index in index.nameByKey[hash].flatMap { index.edgeByName[$0] } }
    }
}
