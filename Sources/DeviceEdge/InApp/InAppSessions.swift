import Campaigns
import Logging
import PushProviders
import Settings
import Store
import TLS

/// Answers a device's session with the in-app messages that it is eligible for, and the campaigns that its app shows
/// in place of the system.
///
/// May be used from any thread. A rush of sessions costs one read and one write at a time, each for all that wait.
final class InAppSessions: Sendable {
    private let catalogue: InAppCatalogue
    private let reads: SessionReads
    private let counters: GivenCounters

    /// The answer to a session.
    struct Answer: Sendable {
        /// JSON: `messages`, `assets`, `notifications` and the app's `payload_names`.
        let body: [UInt8]
        /// The entity tag, which only equal answers share; with its quotes (RFC 9110, section 8.8.3).
        let entityTag: String
    }

    /// Creates the sessions of all apps of a ledger.
    init(ledger: Ledger, logger: Logger) {
        catalogue = InAppCatalogue(ledger: ledger, logger: logger)
        reads = SessionReads(ledger: ledger)
        counters = GivenCounters(ledger: ledger)
    }

    /// Returns the messages of a device's session.
    ///
    /// A device is counted for a campaign when it first gets the message, before the answer is sent.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - installation: The device's id in the app.
    ///   - locale: The session's locale; nil: the one in the registry.
    ///   - keys: The keys that sign the app's message ids; nil: the messages have none and cannot be tracked, and
    ///     there are no notifications to show in place of the system.
    ///   - rules: The app's declarations about its content.
    ///   - now: The instant.
    /// - Returns: nil when the registry has no such device.
    func answer(
        app: String,
        installation: String,
        locale: String?,
        keys: MessageKeys?,
        rules: AppContentRules,
        now: Timestamp
    ) async throws -> Answer? {
        let (entries, inside) = try await catalogue.live(app: app)
        let ask = SessionReads.Ask(
            app: app,
            installation: installation,
            lists: entries.flatMap(\.lists) + inside.flatMap(\.lists),
            wantsDisplays: !entries.isEmpty,
            inside: keys == nil ? [] : inside
        )
        guard let found = try await reads.read(ask) else { return nil }
        let device = InAppDevice(
            user: found.device.user,
            token: found.device.token,
            traits: found.device.traits,
            displayed: found.displays,
            lists: found.lists
        )
        let eligible = InAppEligibility.eligible(entries.map(\.candidate), for: device, at: now)
        let byNumber = Dictionary(entries.map { ($0.live.campaign, $0) }) { first, _ in first }
        let meant = eligible.compactMap { byNumber[$0.campaign] }
        let number = found.device.number
        let offers = keys == nil ? [] : Self.offers(inside, found, device, at: now)
        let ofAudience = offers.filter { if case .audience = $0.meant { true } else { false } }
        try await counters.count(meant.map(\.live.campaign) + ofAudience.map(\.campaign), device: number)
        let language = locale ?? device.traits.locale
        var body = Self.body(
            meant,
            app: app,
            device: UInt32(truncatingIfNeeded: number),
            locale: language,
            keys: keys
        )
        let notifications = offers.compactMap { entry -> JSONValue? in
            guard let keys, let index = entry.index(of: found.device) else { return nil }
            let id = MessageID.text(app: app, campaign: entry.campaign, device: index, keys: keys)
            return entry.notification(locale: language, rules: rules, messageID: id)
        }
        Self.write(notifications, rules.payloadNames, into: &body)
        let tag = String(decoding: Base64URL.encode(Array(SHA256.digest(body)[..<16])), as: UTF8.self)
        return Answer(body: body, entityTag: "\"\(tag)\"")
    }

    /// Returns the campaigns that a device's app shows itself, the oldest release first.
    private static func offers(
        _ inside: [InsideEntry],
        _ found: SessionReads.Found,
        _ device: InAppDevice,
        at now: Timestamp
    ) -> [InsideEntry] {
        let offered = inside.filter { entry in
            !found.told.contains(entry.campaign) && entry.index(of: found.device) != nil && entry.isFor(device, at: now)
        }
        let ordered = offered.sorted { ($0.releasedAt, $0.campaign) < ($1.releasedAt, $1.campaign) }
        return Array(ordered.prefix(notificationsMax))
    }

    /// The most such campaigns in one answer; the others follow when these have been shown.
    private static let notificationsMax = 50

    private static func write(_ notifications: [JSONValue], _ names: PayloadNames, into bytes: inout [UInt8]) {
        bytes += Array(",\"notifications\":".utf8)
        JSONWriter.write(.array(notifications), into: &bytes)
        if !names.isEmpty {
            let members = names.names.sorted { $0.key.rawValue < $1.key.rawValue }
            bytes += Array(",\"payload_names\":".utf8)
            JSONWriter.write(.object(members.map { JSONMember($0.key.rawValue, .string($0.value)) }), into: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Returns the answer without the notifications and the last brace.
    private static func body(
        _ entries: [InAppEntry],
        app: String,
        device: UInt32,
        locale: String?,
        keys: MessageKeys?
    ) -> [UInt8] {
        var bytes = Array("{\"messages\":[".utf8)
        var (assets, seen): ([JSONValue], Set<String>) = ([], [])
        for (index, entry) in entries.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            let id = keys.map { MessageID.text(app: app, campaign: entry.live.campaign, device: device, keys: $0) }
            entry.write(messageID: id, locale: locale, into: &bytes)
            for address in entry.addresses(locale: locale) where seen.insert(address).inserted {
                assets.append(.string(address))
            }
        }
        bytes += Array("],\"assets\":".utf8)
        JSONWriter.write(.array(assets), into: &bytes)
        return bytes
    }
}

extension MessageID {
    /// Returns the signed id of one device, as its push or its in-app message carries it.
    static func text(app: String, campaign: UInt32, device: UInt32, keys: MessageKeys) -> String {
        let signer = MessageIDSigner(app: app, campaign: campaign, keys: keys)
        let code = signer.codes(of: [device])[0]
        return String(unsafeUninitializedCapacity: MessageIDPlaceholder.byteCount) { buffer in
            signer.write(device: device, code: code, into: UnsafeMutableRawBufferPointer(buffer))
            return MessageIDPlaceholder.byteCount
        }
    }
}
