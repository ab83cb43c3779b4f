public import Campaigns
public import Logging
import PushProviders
public import Store
import TLS

/// Answers what a device gets when a session starts: the in-app messages that it is eligible for.
///
/// May be used from any thread. A rush of sessions costs one read and one write at a time, each for all that wait.
public final class InAppSessions: Sendable {
    private let ledger: Ledger
    private let catalogue: InAppCatalogue
    private let reads: SessionReads
    private let tally: GivenTally

    /// What a device gets.
    public struct Answer: Sendable {
        /// JSON: `messages` and `assets`.
        public let body: [UInt8]
        /// Tells it from every other answer; with its quotes (RFC 9110, section 8.8.3).
        public let entityTag: String
    }

    /// Sessions of all apps of a ledger.
    public init(ledger: Ledger, logger: Logger) {
        self.ledger = ledger
        catalogue = InAppCatalogue(ledger: ledger, logger: logger)
        reads = SessionReads(ledger: ledger)
        tally = GivenTally(ledger: ledger)
    }

    /// The messages of a device's session.
    ///
    /// Each device is counted for a campaign when it is given its message first, before it has the answer.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - installation: The device's id in it.
    ///   - locale: What the session says; nil: what the registry knows of the device.
    ///   - keys: What the app signs message ids with; nil: the messages have none, and cannot be tracked.
    ///   - now: The instant.
    /// - Returns: nil when the registry has no such device.
    public func answer(
        app: String,
        installation: String,
        locale: String?,
        keys: MessageKeys?,
        now: Timestamp
    ) async throws -> Answer? {
        let entries = try await catalogue.entries(app: app)
        let ask = SessionReads.Ask(
            app: app,
            installation: installation,
            lists: entries.flatMap(\.lists),
            wantsDisplays: !entries.isEmpty
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
        try await tally.count(meant.map(\.live.campaign), device: number)
        let body = Self.body(
            meant,
            app: app,
            device: UInt32(truncatingIfNeeded: number),
            locale: locale ?? device.traits.locale,
            keys: keys
        )
        let tag = String(decoding: Base64URL.encode(Array(SHA256.digest(body)[..<16])), as: UTF8.self)
        return Answer(body: body, entityTag: "\"\(tag)\"")
    }

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
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }
}

extension MessageID {
    /// The signed id of one device, as its push or its in-app message carries it.
    static func text(app: String, campaign: UInt32, device: UInt32, keys: MessageKeys) -> String {
        let signer = MessageIDSigner(app: app, campaign: campaign, keys: keys)
        let code = signer.codes(of: [device])[0]
        return String(unsafeUninitializedCapacity: MessageIDPlace.byteCount) { place in
            signer.write(device: device, code: code, into: UnsafeMutableRawBufferPointer(place))
            return MessageIDPlace.byteCount
        }
    }
}
