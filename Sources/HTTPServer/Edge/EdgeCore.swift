import NIOCore
import Settings
import Store
import Synchronization

/// The edge's own part of the server's state; may be used from any thread.
final class EdgeCore: Sendable {
    /// Finds devices by their secrets.
    let devices: DeviceLookup
    /// Forgets devices that deregister.
    let forgetting: DeviceForgetting
    /// Limits the requests of each device.
    let deviceLimiter: RateLimiter
    /// Limits the requests of each address that shows an app's integration key.
    let keyLimiter: RateLimiter
    /// Limits the requests of each address without a valid key or secret.
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

    /// Replaces the apps and their keys.
    func take(_ apps: [AppConfiguration]) {
        let new = Apps(apps)
        self.apps.withLock { $0 = new }
    }

    /// Returns an app that has an edge.
    func app(named name: String) -> AppConfiguration? { apps.withLock { $0.byName[name] } }

    /// Returns the app of an integration key, by the SHA-256 of the key.
    ///
    /// The lookup is by hash, so its duration reveals nothing of a key's text.
    func app(integrationKeyHash hash: [UInt8]) -> AppConfiguration? {
        apps.withLock { apps in apps.nameByKey[hash].flatMap { apps.byName[$0] } }
    }
}
