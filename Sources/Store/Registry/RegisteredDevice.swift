public import Campaigns

/// The registry's data of one device.
public struct RegisteredDevice: Sendable, Equatable {
    /// The number in the ledger; an app's devices have neighboring numbers.
    public var number: Int64
    /// The app.
    public var app: String
    /// The id that identifies the device within its app; nil for a forgotten device.
    public var installation: String?
    /// The user's key.
    public var user: String?
    /// The token as raw bytes; nil for none.
    public var token: [UInt8]?
    /// The state.
    public var state: State
    /// True if the token was called wrong once.
    public var isSuspect: Bool
    /// The instant of the token's death, by the provider's clock, or the instant at which the device was forgotten.
    public var endedAt: Timestamp?
    /// The count on the app's icon.
    public var badge: Int
    /// The traits that segments select by.
    public var traits: DeviceTraits
    /// The instant of the last change in the registry.
    public var changedAt: Timestamp
    /// The SHA-256 of the device's secret for the edge; nil for a device that never registered there.
    public var secretHash: [UInt8]?
    /// The version of the kit in the app, as the device reports it.
    public var kitVersion: String?

    /// The number of the integration key with which the device registered; nil if it existed before, for example by an
    /// import.
    public var cameWith: Int64?

    /// The state of a device.
    public enum State: UInt8, Sendable, CaseIterable {
        /// The device receives pushes.
        case live = 0
        /// The provider has called the token dead; nothing is sent until another registration.
        case dead = 1
        /// A tombstone, which only says that such an installation existed.
        case forgotten = 2
        /// Another installation has the token now.
        case tokenless = 3
    }
}

extension RegisteredDevice.State: NamedInSQL {}

/// The columns of `devices`.
enum DeviceRows {
    static let columns = """
        number, installation, user_key, token, state, suspect, ended_at, badge, traits, changed_at, secret_hash,
        kit_version, came_with
        """

    static func device(_ rows: borrowing Rows, app: String) throws(LedgerError) -> RegisteredDevice {
        guard let state: RegisteredDevice.State = rows.value("state") else {
            throw .failed("device \(rows.int64("number")) is in a state that this version does not know")
        }
        guard let traits = DeviceTraits(packed: rows.blob("traits")) else {
            throw .failed("device \(rows.int64("number")) has traits that this version cannot read")
        }
        return RegisteredDevice(
            number: rows.int64("number"),
            app: app,
            installation: rows.optionalText("installation"),
            user: rows.optionalText("user_key"),
            token: rows.optionalBlob("token"),
            state: state,
            isSuspect: rows.bool("suspect"),
            endedAt: rows.optionalTime("ended_at"),
            badge: rows.int("badge"),
            traits: traits,
            changedAt: rows.time("changed_at"),
            secretHash: rows.optionalBlob("secret_hash"),
            kitVersion: rows.optionalText("kit_version"),
            cameWith: rows.optionalInt64("came_with")
        )
    }
}

/// The hashes by which the registry finds its rows.
struct RegistryKeys {
    let app: String
    private let installations: UInt128
    private let users: UInt128

    init(app: String) {
        self.app = app
        // No provider has such a name, so a token is never mistaken for an installation.
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
    /// The number of an app in the registry and the next free number of its devices, which begin at 1 in their low 32
    /// bits.
    func registryApp(_ app: String) throws(LedgerError) -> (number: Int64, next: Int64)? {
        let rows = try db.rows("SELECT number, next FROM registry_apps WHERE app = ?1", .text(app))
        return try rows.next() ? (rows.int64("number"), rows.int64("next")) : nil
    }

    /// Returns true if an app has any device in the registry, including forgotten ones.
    public func hasDevices(app: String) throws(LedgerError) -> Bool {
        guard let found = try registryApp(app) else { return false }
        return found.next > 1
    }

    /// The device with an installation id, forgotten or not; nil if there is none.
    public func device(app: String, installation id: String) throws(LedgerError) -> RegisteredDevice? {
        try device(RegistryKeys(app: app), installation: id)
    }

    /// The device with a token; nil if no installation has it.
    public func device(app: String, provider: ProviderName, token: [UInt8]) throws(LedgerError) -> RegisteredDevice? {
        try device(RegistryKeys(app: app), provider: provider, token: token)
    }

    /// All devices of a user, in order of their numbers.
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
        return try rows.map { row throws(LedgerError) in try DeviceRows.device(row, app: app) }
    }
}
