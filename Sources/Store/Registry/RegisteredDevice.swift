public import Campaigns

/// What the registry knows of one device.
public struct RegisteredDevice: Sendable, Equatable {
    /// Its number in the ledger; devices of an app are neighbours.
    public var number: Int64
    /// The app.
    public var app: String
    /// What tells it from the app's other devices; nil of one that was forgotten.
    public var installation: String?
    /// Its user's key.
    public var user: String?
    /// The token as raw bytes; nil of one that has none.
    public var token: [UInt8]?
    /// Where it stands.
    public var state: State
    /// Whether its token was called wrong once.
    public var isSuspect: Bool
    /// When its token died, by the provider's clock, or when it was forgotten.
    public var endedAt: Timestamp?
    /// The count on the app's icon.
    public var badge: Int
    /// What segments look at.
    public var traits: DeviceTraits
    /// When the registry last heard of it.
    public var changedAt: Timestamp
    /// SHA-256 of the secret that it shows at the edge; nil of one that never came there.
    public var secretHash: [UInt8]?
    /// The version of the kit in the app, as the device says it.
    public var kitVersion: String?

    /// The integration key that it has registered with, by its number; nil of one that was there before, as by an import.
    public var cameWith: Int64?

    /// Where a device stands.
    public enum State: UInt8, Sendable, CaseIterable {
        /// It is sent to.
        case live = 0
        /// The provider has called its token dead; never sent to until another registration.
        case dead = 1
        /// A tombstone: nothing is kept but that there was such an installation.
        case forgotten = 2
        /// Its token is another installation's now.
        case tokenless = 3
    }
}

/// Reading rows of `devices`.
enum DeviceRows {
    static let columns = """
        number, installation, user_key, token, state, suspect, ended_at, badge, traits, changed_at, secret_hash,
        kit_version, came_with
        """

    static func device(_ rows: borrowing Rows, app: String) throws(LedgerError) -> RegisteredDevice {
        guard let state = RegisteredDevice.State(rawValue: UInt8(truncatingIfNeeded: rows.int64(4))) else {
            throw .failed("device \(rows.int64(0)) is in a state that this version does not know")
        }
        guard let traits = DeviceTraits(packed: rows.blob(8)) else {
            throw .failed("device \(rows.int64(0)) has traits that this version cannot read")
        }
        return RegisteredDevice(
            number: rows.int64(0),
            app: app,
            installation: rows.optionalText(1),
            user: rows.optionalText(2),
            token: rows.optionalBlob(3),
            state: state,
            isSuspect: rows.bool(5),
            endedAt: rows.optionalTime(6),
            badge: rows.int(7),
            traits: traits,
            changedAt: rows.time(9),
            secretHash: rows.optionalBlob(10),
            kitVersion: rows.optionalText(11),
            cameWith: rows.optionalInt64(12)
        )
    }
}

/// What the registry finds its rows by.
struct RegistryKeys {
    let app: String
    private let installations: UInt128
    private let users: UInt128

    init(app: String) {
        self.app = app
        // No provider has such a name, so that a token is never taken for an installation.
        installations = TokenHash.prefix(app: app, provider: "/installation")
        users = TokenHash.prefix(app: app, provider: "/user")
    }

    func installation(_ id: String) -> Int64 {
        TokenHash.short(TokenHash.value(prefix: installations, token: id.utf8))
    }

    func user(_ key: String) -> Int64 { TokenHash.short(TokenHash.value(prefix: users, token: key.utf8)) }

    func token(_ token: [UInt8], _ provider: ProviderName) -> UInt128 {
        TokenHash.value(prefix: TokenHash.prefix(app: app, provider: provider.rawValue), token: token)
    }
}

extension LedgerReader {
    /// Devices of an app that were ever registered; numbers of devices are from 1 to this, in their low 32 bits.
    func registryApp(_ app: String) throws(LedgerError) -> (number: Int64, next: Int64)? {
        let rows = try db.rows("SELECT number, next FROM registry_apps WHERE app = ?1", .text(app))
        return try rows.next() ? (rows.int64(0), rows.int64(1)) : nil
    }

    /// Whether an app has any device in the registry, forgotten ones included.
    public func hasDevices(app: String) throws(LedgerError) -> Bool {
        guard let found = try registryApp(app) else { return false }
        return found.next > 1
    }

    /// A device by its installation, forgotten ones included; nil when there is none.
    public func device(app: String, installation id: String) throws(LedgerError) -> RegisteredDevice? {
        try device(RegistryKeys(app: app), installation: id)
    }

    /// A device by its token; nil when no installation has it.
    public func device(app: String, provider: ProviderName, token: [UInt8]) throws(LedgerError) -> RegisteredDevice? {
        try device(RegistryKeys(app: app), provider: provider, token: token)
    }

    /// All devices of a user, in the order of their numbers.
    public func devices(app: String, user: String) throws(LedgerError) -> [RegisteredDevice] {
        let hash = RegistryKeys(app: app).user(user)
        return try devices("user_hash = ?1 ORDER BY number", hash, app: app).filter { $0.user == user }
    }

    func device(_ keys: RegistryKeys, installation id: String) throws(LedgerError) -> RegisteredDevice? {
        try devices("installation_hash = ?1 ORDER BY number", keys.installation(id), app: keys.app).first {
            $0.installation == id || $0.state == .forgotten
        }
    }

    func device(
        _ keys: RegistryKeys,
        provider: ProviderName,
        token: [UInt8]
    ) throws(LedgerError) -> RegisteredDevice? {
        let hash = TokenHash.short(keys.token(token, provider))
        return try devices("token_hash = ?1 ORDER BY number", hash, app: keys.app).first {
            $0.token == token && $0.traits.provider == provider
        }
    }

    private func devices(_ condition: String, _ hash: Int64, app: String) throws(LedgerError) -> [RegisteredDevice] {
        let rows = try db.rows("SELECT \(DeviceRows.columns) FROM devices WHERE \(condition)", .integer(hash))
        var devices: [RegisteredDevice] = []
        while try rows.next() { devices.append(try DeviceRows.device(rows, app: app)) }
        return devices
    }
}
