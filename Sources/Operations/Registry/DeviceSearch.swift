package import Campaigns
import PushProviders
package import Store

/// A search for devices in the registry and in the audiences of campaigns.
package enum DeviceSearch: Sendable {
    /// An installation's id, the name that a job or a list gave the device, or a token.
    case device(String)
    /// All devices of a user.
    case user(String)
    /// A token.
    case token(String)

    /// Returns what campaigns did for the devices, the latest first; nil when neither the registry nor an audience has
    /// such a device.
    package func traces(
        app: String,
        since: Timestamp = Timestamp(milliseconds: 0),
        in ledger: Ledger
    ) async throws(LedgerError) -> [DeviceTrace]? {
        let known = try await registered(app: app, in: ledger)
        var devices = TracedDevices(
            tokens: Set(known.compactMap(\.token)),
            ids: Set(known.compactMap(\.installation))
        )
        switch self {
        case .device(let name):
            devices.tokens.formUnion(Registry.tokenBytes(name))
            devices.ids.insert(name)
        case .token(let token): devices.tokens.formUnion(Registry.tokenBytes(token))
        case .user: break
        }
        let traces = try await ledger.trace(devices, app: app, since: since)
        return known.isEmpty && traces.isEmpty ? nil : traces
    }

    /// Returns the registered devices that are meant; none is no failure.
    private func registered(app: String, in ledger: Ledger) async throws(LedgerError) -> [RegisteredDevice] {
        let text: String
        switch self {
        case .user(let user): return try await ledger.read { try $0.devices(app: app, user: user) }
        case .device(let name):
            if let device = try await ledger.read({ try $0.device(app: app, installation: name) }) { return [device] }
            text = name
        case .token(let token): text = token
        }
        for provider in ProviderRegistry.providers.map(\.name) {
            if let device = try await Registry.device(app: app, provider: provider, token: text, in: ledger) {
                return [device]
            }
        }
        return []
    }
}
