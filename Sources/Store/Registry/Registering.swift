public import Campaigns
import Delivery

/// The result of a registration.
public enum RegistrationResult: String, Sendable, CaseIterable {
    /// The device is new.
    case added
    /// The device was known, and its data changed.
    case updated
    /// The device was known, and nothing changed.
    case unchanged
    /// The known data is of a later instant; nothing changed.
    case outdated
    /// The device was forgotten, and the registration is not known to be later; nothing changed.
    case forgotten
    /// The device would have more tags or attributes than allowed; nothing changed.
    case tooMany = "too_many"
}

extension LedgerTransaction {
    /// Registers the first of some devices of an app, as many as the piece allows; returns a result for each of those.
    ///
    /// An installation is a device; a device without an installation id is named after its token. A token belongs to
    /// one installation: if another registers it, the former loses it. The row stays with the token, so that a walk
    /// over the registry meets each token once, whatever moves meanwhile. A dead token that was registered after its
    /// death is alive again.
    public func register(
        _ registrations: [DeviceRegistration],
        tokens: [[UInt8]],
        app: String,
        _ piece: inout Piece,
        now: Timestamp
    ) throws(LedgerError) -> [RegistrationResult] {
        let keys = RegistryKeys(app: app)
        var numbers = try RegistryNumbers(self, app: app)
        var results: [RegistrationResult] = []
        while results.count < registrations.count, piece.allowance > 0 {
            let step = results.count..<min(results.count + piece.allowance, registrations.count)
            for (registration, token) in zip(registrations[step], tokens[step]) {
                results.append(try register(registration, token: token, secret: .asAdopted, keys, &numbers, now: now))
            }
            piece.did(step.count)
        }
        try numbers.save(self)
        if registrations.prefix(results.count).contains(where: { $0.badge ?? 0 > 0 }) { try countBadges(of: app) }
        return results
    }

    /// Registers all of a few devices.
    public func register(
        _ registrations: [DeviceRegistration],
        tokens: [[UInt8]],
        app: String,
        now: Timestamp
    ) throws(LedgerError) -> [RegistrationResult] {
        var piece = Piece { .zero }
        return try register(registrations, tokens: tokens, app: app, &piece, now: now)
    }

    func register(
        _ registration: DeviceRegistration,
        token: [UInt8],
        secret: SecretChange,
        _ keys: RegistryKeys,
        _ numbers: inout RegistryNumbers,
        now: Timestamp
    ) throws(LedgerError) -> RegistrationResult {
        let provider = registration.device.provider
        let holder = try reader.device(keys, provider: provider, token: token)
        let id = registration.device.id ?? holder?.installation ?? Self.installation(keys, token, provider)
        let isHolder = holder?.installation == id
        let known = isHolder ? holder : try reader.device(keys, installation: id)
        if let known, known.state == .forgotten {
            guard let since = registration.registeredAt, since > known.endedAt ?? now else { return .forgotten }
        } else if let known, known.token != nil, known.token != token,
            let before = known.traits.registeredAt, registration.registeredAt ?? .init(milliseconds: 0) < before
        {
            return .outdated
        }
        var device =
            known
            ?? RegisteredDevice(
                number: 0,
                app: keys.app,
                installation: id,
                state: .live,
                isSuspect: false,
                badge: 0,
                traits: DeviceTraits(provider: provider),
                changedAt: now
            )
        let isNewToken = device.token != token
        if isNewToken { device.traits.registeredAt = nil }
        device.traits = registration.applied(to: device.traits)
        guard RegistrationRules.allows(device.traits) else { return .tooMany }
        device.installation = id
        switch registration.user {
        case .unchanged: break
        case .nobody: device.user = nil
        case .user(let key): device.user = key
        }
        device.token = token
        if let badge = registration.badge { device.badge = badge }
        switch secret {
        case .stays: break
        case .begins(let hash, let key): (device.secretHash, device.cameWith) = (hash, key)
        case .becomes(let hash): device.secretHash = hash
        case .asAdopted:
            let shown = Adoption.Token(provider: provider, bytes: token)
            if let known = known?.adoptable, !Adoption.keepsSecret(known, token: shown) { device.secretHash = nil }
        }
        device.kitVersion = registration.kitVersion ?? device.kitVersion
        try judge(&device, isNewToken: isNewToken, keys)
        if let known, device == known { return .unchanged }
        device.changedAt = now
        return try place(
            device,
            known: known,
            holder: holder,
            saysBadge: registration.badge != nil,
            keys,
            &numbers
        )
    }

    /// Decides whether a device may receive pushes, by what providers have said of its token.
    private func judge(_ device: inout RegisteredDevice, isNewToken: Bool, _ keys: RegistryKeys) throws(LedgerError) {
        let hash = keys.token(device.token ?? [], device.traits.provider)
        let rows = try db.rows("SELECT at FROM dead_tokens WHERE hash = ?1", .blob(TokenHash.bytes(hash)))
        if try rows.next() {
            let diedAt = rows.optionalTime("at")
            if let since = device.traits.registeredAt, since > diedAt ?? .init(milliseconds: 0) {
                try trust(hash)
                (device.state, device.endedAt, device.isSuspect) = (.live, nil, false)
            } else {
                (device.state, device.endedAt) = (.dead, diedAt)
            }
            return
        }
        (device.state, device.endedAt) = (.live, nil)
        guard isNewToken else { return }
        device.isSuspect =
            try db.number("SELECT 1 FROM suspect_tokens WHERE hash = ?1", .blob(TokenHash.bytes(hash))) != nil
    }

    /// Writes a device; a row stays with its token.
    private func place(
        _ device: RegisteredDevice,
        known: RegisteredDevice?,
        holder: RegisteredDevice?,
        saysBadge: Bool,
        _ keys: RegistryKeys,
        _ numbers: inout RegistryNumbers
    ) throws(LedgerError) -> RegistrationResult {
        let result = known == nil ? RegistrationResult.added : .updated
        var (device, known) = (device, known)
        if let tombstone = known, tombstone.state == .forgotten {
            // Phones' reports are stored by number, so a returning device must not get the number of the forgotten one.
            try db.run("DELETE FROM devices WHERE number = ?1", .integer(tombstone.number))
            known = nil
        }
        guard let holder, holder.installation != device.installation else {
            device.number = known?.number ?? numbers.take()
            try write(device, isNew: known == nil, keys)
            return result
        }
        try moveActivities(from: known?.number, to: holder.number)
        var loser = holder
        (loser.token, loser.state, loser.endedAt, loser.isSuspect) = (nil, .tokenless, nil, false)
        loser.changedAt = device.changedAt
        device.number = holder.number
        if holder.secretHash != nil {
            // The secret goes with the installation, whose other row is written before this one is written again.
            try db.run("UPDATE devices SET secret_hash = NULL WHERE number = ?1", .integer(holder.number))
        }
        let token = device.token ?? []
        let wasNamedAfterToken = holder.installation == Self.installation(keys, token, device.traits.provider)
        if wasNamedAfterToken, !saysBadge { device.badge = max(device.badge, holder.badge) }
        if let known {
            // The two rows swap. A row that was named after the token was this device all the time.
            loser.number = known.number
            if wasNamedAfterToken {
                try db.run("DELETE FROM devices WHERE number = ?1", .integer(known.number))
                try moveCharges(from: known.number, to: holder.number, loser: nil)
            } else {
                try write(loser, isNew: false, keys)
                try moveCharges(from: known.number, to: holder.number, loser: known.number)
            }
        } else if !wasNamedAfterToken {
            loser.number = numbers.take()
            try write(loser, isNew: true, keys)
            try moveCharges(from: nil, to: holder.number, loser: loser.number)
        }
        try write(device, isNew: false, keys)
        return result
    }

    /// The name of an installation that gives none.
    private static func installation(_ keys: RegistryKeys, _ token: [UInt8], _ provider: ProviderName) -> String {
        let digits = String(keys.token(token, provider), radix: 16)
        return "token-" + String(repeating: "0", count: 32 - digits.utf8.count) + digits
    }

    private func write(_ device: RegisteredDevice, isNew: Bool, _ keys: RegistryKeys) throws(LedgerError) {
        let insertion = """
            INSERT INTO devices (number, state, suspect, ended_at, badge, changed_at, installation_hash, user_hash,
                token_hash, installation, token, traits, user_key, secret_hash, kit_version, came_with)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
            """
        let update = """
            UPDATE devices SET state = ?2, suspect = ?3, ended_at = ?4, badge = ?5, changed_at = ?6,
                installation_hash = ?7, user_hash = ?8, token_hash = ?9, installation = ?10, token = ?11, traits = ?12,
                user_key = ?13, secret_hash = ?14, kit_version = ?15, came_with = ?16
            WHERE number = ?1
            """
        try db.run(
            isNew ? insertion : update,
            .integer(device.number),
            .int(device.state.rawValue),
            .bool(device.isSuspect),
            .time(device.endedAt),
            .int(device.badge),
            .time(device.changedAt),
            .integer(keys.installation(device.installation ?? "")),
            device.user.map { .integer(keys.user($0)) } ?? .null(.integer),
            device.token.map { .integer(TokenHash.short(keys.token($0, device.traits.provider))) } ?? .null(.integer),
            .text(device.installation),
            .blob(device.token),
            .blob(device.traits.packed()),
            .text(device.user),
            .blob(device.secretHash),
            .text(device.kitVersion),
            device.cameWith.map { .integer($0) } ?? .null(.integer)
        )
    }

    /// Forgets a device; a tombstone stays, which only says that such an installation existed.
    ///
    /// `leaveOut` marks the device's positions in lists. Returns false if there is no such device.
    public func forget(app: String, installation id: String, now: Timestamp) throws(LedgerError) -> Bool {
        let keys = RegistryKeys(app: app)
        guard let device = try reader.device(keys, installation: id), device.state != .forgotten else { return false }
        try db.run(
            """
            UPDATE devices SET state = \(RegisteredDevice.State.forgotten.sql), suspect = 0, ended_at = ?2, badge = 0,
                changed_at = ?2, user_hash = NULL,
                token_hash = NULL, installation = NULL, token = NULL, traits = ?3, user_key = NULL, secret_hash = NULL,
                kit_version = NULL, came_with = NULL
            WHERE number = ?1
            """,
            .integer(device.number),
            .time(now),
            .blob(DeviceTraits(provider: device.traits.provider).packed())
        )
        // The mark of the change has the traits that the device had.
        try unindex(device.number)
        try forgetCharges(of: device.number)
        try db.run("DELETE FROM activity_tokens WHERE device = ?1", .integer(device.number))
        return true
    }
}

/// The change of a device's secret at its registration.
enum SecretChange {
    /// The device has shown its secret, which stays.
    case stays
    /// A new device gets its first secret (its hash), by an integration key.
    case begins([UInt8]?, key: Int64?)
    /// The device gets this secret (its hash).
    case becomes([UInt8]?)
    /// An operator registers the device (`Adoption.keepsSecret`).
    case asAdopted
}

/// The assignment of numbers to devices of an app.
struct RegistryNumbers {
    private let app: Int64
    private let first: Int64
    private var next: Int64

    init(_ transaction: LedgerTransaction, app name: String) throws(LedgerError) {
        if let found = try transaction.reader.registryApp(name) {
            (app, next) = found
        } else {
            let number = try transaction.db.writtenNumber(
                "INSERT INTO registry_apps (app) VALUES (?1) RETURNING number",
                .text(name)
            )
            (app, next) = (number ?? 0, 1)
        }
        first = next
    }

    mutating func take() -> Int64 {
        defer { next += 1 }
        return app << 32 | next
    }

    func save(_ transaction: LedgerTransaction) throws(LedgerError) {
        guard next > first else { return }
        try transaction.db.run("UPDATE registry_apps SET next = ?2 WHERE number = ?1", .integer(app), .integer(next))
    }
}
