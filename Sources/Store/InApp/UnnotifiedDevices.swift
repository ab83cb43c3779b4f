import Campaigns

/// The devices of a campaign that no push could reach, indexed by the present data of registered devices.
///
/// Each takes 64 bits of `TokenHash`, as in ``InAppTokens``. A device whose token died is found by its installation,
/// but only if the registry named it. The names in a list are chosen by its producer and may equal other devices'
/// installations.
public struct UnnotifiedDevices: Sendable {
    private let app: String
    private let ofRegistry: Bool
    private var prefixes: [ProviderName: UInt128] = [:]
    private let installations: UInt128
    private var indexes: [Int64: UInt32] = [:]

    /// An empty collection for a campaign; `ofRegistry` says that its device names are installations.
    public init(app: String, ofRegistry: Bool) {
        (self.app, self.ofRegistry) = (app, ofRegistry)
        installations = TokenHash.prefix(app: app, provider: "installation")
    }

    /// The number of entries.
    public var count: Int { indexes.count }

    /// Adds a device that no push could reach: its token is dead, the provider refused it, or its person opted out.
    ///
    /// Devices that a template or a frequency cap left out are not to be told. A device without an answer may have
    /// received the push.
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

    /// The index in the campaign of a registered device; nil if a push reached it or it is not in the audience.
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
