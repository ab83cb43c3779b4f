import Campaigns
import Delivery

/// The counting for each device when a campaign is cut: the app's frequency cap and badges.
struct Counting {
    /// The app's frequency cap.
    var cap: FrequencyCap
    /// The cap's rules that bind the campaign; without any, it is neither limited nor counted.
    var rules: [FrequencyCap.Rule]
    /// True if devices that have reached the cap get the campaign all the same.
    var ignoresCap: Bool
    /// The change to the badges.
    var badge: BadgeChange?

    /// True if a held campaign is to be counted only when it is fired: sends of other campaigns until then count too.
    var waitsForFire: Bool { !rules.isEmpty || badge?.step != nil }

    /// The limit that counting puts on a transaction that cuts shards.
    var limit: CutLimit.Counting { CutLimit.Counting(waitsForFire: waitsForFire) }
}

extension CampaignPush {
    /// Returns the counting of this campaign; nil if there is nothing to count, which then costs nothing.
    ///
    /// A cap limits what a person sees: pushes other than alerts are neither counted nor left out.
    func counting(_ cap: FrequencyCap) -> Counting? {
        var rules: [FrequencyCap.Rule] = []
        if !cap.rules.isEmpty, facts.pushType == .alert { rules = cap.rules(for: CampaignTags.read(tags)) }
        guard !rules.isEmpty || badge != nil else { return nil }
        return Counting(cap: cap, rules: rules, ignoresCap: ignoresCap, badge: badge)
    }
}

/// The reader of a campaign's tags in the ledger.
enum CampaignTags {
    static func read(_ json: String) -> Set<String> {
        Set(JSONReader.read(Array(json.utf8)).value?.array?.compactMap(\.string) ?? [])
    }
}

/// A device in the chunks that are being cut.
struct CountedDevice {
    /// The index of the chunk among those being cut.
    var chunk: Int
    var position: Int
    /// The hash of the token.
    var hash: UInt128
    /// The device's row in the registry; nil if the registry does not have it.
    var registered: (number: Int64, badge: Int)?

    /// The key of the device's charges: its row in the registry, so that neighbors there are neighbors here, or the
    /// hash of its token.
    var key: [UInt8] { registered.map { Self.key($0.number) } ?? TokenHash.bytes(hash) }

    static func key(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}

extension LedgerTransaction {
    /// Counts each device of some chunks, in the transaction that cuts them.
    ///
    /// Each device that is cut is counted once, whatever its shard's outcome. Of two campaigns that are cut at the same
    /// time, one sees the other's counts.
    func count(
        _ chunks: inout [PlannableChunk],
        of campaign: UInt32,
        _ counting: Counting,
        app facts: Shard.Facts,
        now: Timestamp
    ) throws(LedgerError) {
        let registry = try reader.registryApp(facts.app)?.number
        if counting.badge?.step != nil {
            try countBadges(of: facts.app)
        } else if counting.rules.isEmpty {
            guard registry != nil, try reader.countsBadges(app: facts.app) else { return }
        }
        var batches: [DeviceBatch] = []
        for chunk in chunks {
            do { batches.append(try DeviceBatch(encoded: chunk.devices)) } catch {
                throw .failed("chunk \(chunk.ordinal) of campaign \(campaign): \(error)")
            }
        }
        var devices: [CountedDevice] = []
        for (index, chunk) in chunks.enumerated() {
            let prefix = TokenHash.prefix(app: facts.app, provider: chunk.provider.rawValue)
            for position in 0..<chunk.count where chunk.known.mayGetIt(position) {
                let token = batches[index].tokens[batches[index].tokenRange(at: position)]
                let hash = TokenHash.value(prefix: prefix, token: token)
                devices.append(CountedDevice(chunk: index, position: position, hash: hash))
            }
        }
        if let registry { try findRegistered(&devices, in: batches, app: registry) }
        if !counting.rules.isEmpty {
            devices = try charge(devices, &chunks, of: campaign, counting, now: now)
        }
        switch counting.badge {
        case .step(let step): try countBadges(devices, &chunks, &batches, of: campaign, step)
        case .count(let count): try setBadges(devices, to: count)
        case nil: break
        }
    }

    /// Looks up the devices in the registry, in the order of its index.
    private func findRegistered(
        _ devices: inout [CountedDevice],
        in batches: [DeviceBatch],
        app number: Int64
    ) throws(LedgerError) {
        devices.sort { TokenHash.short($0.hash) < TokenHash.short($1.hash) }
        for range in Placeholders.ranges(devices.count) {
            let placeholders = Placeholders.list(range.count)
            let rows = try db.rows(
                "SELECT token_hash, number, badge, token FROM devices WHERE token_hash IN (\(placeholders))",
                values: devices[range].map { .integer(TokenHash.short($0.hash)) }
            )
            var found: [Int64: [(number: Int64, badge: Int, token: [UInt8])]] = [:]
            while try rows.next() {
                guard rows.int64("number") >> 32 == number else { continue }
                found[rows.int64("token_hash"), default: []].append(
                    (rows.int64("number"), rows.int("badge"), rows.blob("token"))
                )
            }
            for index in range {
                let device = devices[index]
                guard let candidates = found[TokenHash.short(device.hash)] else { continue }
                let batch = batches[device.chunk]
                let token = batch.tokens[batch.tokenRange(at: device.position)]
                devices[index].registered = candidates.first { $0.token.elementsEqual(token) }.map {
                    ($0.number, $0.badge)
                }
            }
        }
    }
}
