import Fleet
import NIOCore
import Store
import Synchronization

/// What the edge works with besides what all of the server does; may be used from any thread.
final class EdgeCore: Sendable {
    /// Finds devices by their secrets.
    let devices: DeviceLookup
    /// Forgets those that go.
    let forgetting: DeviceForgetting
    /// Requests of each device.
    let deviceLimiter: RateLimiter
    /// Requests of each address with an app's integration key.
    let keyLimiter: RateLimiter
    /// Requests of each address that neither a key nor a device's secret vouches for.
    let addressLimiter: RateLimiter
    private let apps: Mutex<Apps>

    /// The apps that have an edge, by name and by the hashes of their integration keys.
    private struct Apps {
        var byName: [String: AppConfiguration] = [:]
        var nameByKey: [[UInt8]: String] = [:]

        init(_ apps: [AppConfiguration]) {
            for app in apps {
                guard let edge = app.edge else { continue }
                byName[app.name] = app
                for key in edge.integrationKeys { nameByKey[key.hash] = app.name }
            }
        }
    }

    init(
        _ settings: Configuration.ServerSettings,
        ledger: Ledger,
        apps: [AppConfiguration],
        on loop: any EventLoop
    ) {
        devices = DeviceLookup(ledger, on: loop)
        forgetting = DeviceForgetting(ledger)
        deviceLimiter = RateLimiter(perSecond: settings.edgeRequestsPerSecond)
        keyLimiter = RateLimiter(perSecond: settings.edgeRegistrationsPerSecond)
        addressLimiter = RateLimiter(perSecond: settings.edgeRegistrationsPerSecond)
        self.apps = Mutex(Apps(apps))
    }

    /// From now on these apps and keys, and no others.
    func take(_ apps: [AppConfiguration]) {
        let new = Apps(apps)
        self.apps.withLock { $0 = new }
    }

    /// An app that has an edge.
    func app(named name: String) -> AppConfiguration? { apps.withLock { $0.byName[name] } }

    /// The app of an integration key, by the SHA-256 of the key.
    ///
    /// Found by its hash: how long that takes tells nothing of any key's text.
    func app(integrationKeyHash hash: [UInt8]) -> AppConfiguration? {
        apps.withLock { apps in apps.nameByKey[hash].flatMap { apps.byName[$0] } }
    }
}
