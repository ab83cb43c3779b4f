import Campaigns

/// The devices of a campaign that no push could reach, found by what a registered device has now.
///
/// 64 bits of `TokenHash` each, as in ``InAppTokens``. A device whose token died is found by its installation, if the
/// registry had named it: the names of a list are its producer's, and a stranger may have one of them.
public struct UntoldDevices: Sendable {
    private let app: String
    private let ofRegistry: Bool
    private var prefixes: [ProviderName: UInt128] = [:]
    private let installations: UInt128
    private var indexes: [Int64: UInt32] = [:]

    /// None yet, of an app's campaign; `ofRegistry`: its devices' names are installations.
    public init(app: String, ofRegistry: Bool) {
        (self.app, self.ofRegistry) = (app, ofRegistry)
        installations = TokenHash.prefix(app: app, provider: "installation")
    }

    /// Entries that are kept.
    public var count: Int { indexes.count }

    /// Takes a device when no push could reach it: its token is dead, the provider refused it, or its person allows none.
    ///
    /// One that was left out by a template or a frequency cap is to hear nothing; one without an answer may have got it.
    public mutating func add(_ device: DeviceResult) {
        switch (device.outcome, device.reason) {
        case (.invalid, _), (.skipped, "OptedOut"): break
        case (.failed, let reason) where reason != "Unknown": break
        default: return
        }
        let prefix = prefixes[device.provider] ?? TokenHash.prefix(app: app, provider: device.provider.rawValue)
        prefixes[device.provider] = prefix
        indexes[TokenHash.short(TokenHash.value(prefix: prefix, token: device.token))] = device.index
        guard ofRegistry, let id = device.id else { return }
        indexes[TokenHash.short(TokenHash.value(prefix: installations, token: id.utf8))] = device.index
    }

    /// A registered device's index in the campaign; nil when a push reached it, or it was not meant.
    public func index(of device: RegisteredDevice) -> UInt32? {
        if let token = device.token {
            let prefix =
                prefixes[device.traits.provider]
                ?? TokenHash.prefix(app: app, provider: device.traits.provider.rawValue)
            let hash = TokenHash.short(TokenHash.value(prefix: prefix, token: token))
            if let index = indexes[hash] { return index }
        }
        guard ofRegistry, let installation = device.installation else { return nil }
        return indexes[TokenHash.short(TokenHash.value(prefix: installations, token: installation.utf8))]
    }
}
