import Campaigns
import Delivery

/// What is counted for each device when a campaign is cut: what the app's frequency cap asks for, and badges.
struct Counting {
    /// The app's frequency cap.
    var cap: FrequencyCap
    /// The rules of it that bind the campaign; none: it is neither bound nor counted.
    var rules: [FrequencyCap.Rule]
    /// Whether devices that have had enough get it all the same.
    var ignoresCap: Bool
    /// What becomes of the badges.
    var badge: BadgeChange?

    /// Whether it matters when a held campaign is counted: what others send until it is fired counts as well.
    var waitsForFire: Bool { !rules.isEmpty || badge?.step != nil }

    /// How it bounds what is cut in one transaction.
    var limit: CutLimit.Counting { CutLimit.Counting(waitsForFire: waitsForFire) }
}

extension CampaignPush {
    /// What is to be counted; nil for nothing, which costs nothing.
    ///
    /// A cap is about what a person sees: of other pushes than alerts none is counted, and none is left out.
    func counting(_ cap: FrequencyCap) -> Counting? {
        var rules: [FrequencyCap.Rule] = []
        if !cap.rules.isEmpty, facts.pushType == .alert { rules = cap.rules(for: CampaignTags.read(tags)) }
        guard !rules.isEmpty || badge != nil else { return nil }
        return Counting(cap: cap, rules: rules, ignoresCap: ignoresCap, badge: badge)
    }
}

/// A campaign's tags in the ledger.
enum CampaignTags {
    static func read(_ json: String) -> Set<String> {
        Set(JSONReader.read(Array(json.utf8)).value?.array?.compactMap(\.string) ?? [])
    }
}

/// A device in the chunks that are being cut.
struct CountedDevice {
    /// The chunk, by its place among them.
    var chunk: Int
    var position: Int
    /// Of its token.
    var hash: UInt128
    /// Its row in the registry; nil when that does not have it.
    var registered: (number: Int64, badge: Int)?

    /// What its charges are kept under: its row in the registry, so that neighbours there are neighbours here, or the
    /// hash of its token.
    var key: [UInt8] { registered.map { Self.key($0.number) } ?? TokenHash.bytes(hash) }

    static func key(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}

extension LedgerTransaction {
    /// Counts for each device of some chunks, in the transaction that cuts them: what is cut once is counted once,
    /// whatever becomes of its shards, and of two campaigns that are cut at once one sees what the other has counted.
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

    /// Looks the devices up in the registry, in the order of its index.
    private func findRegistered(
        _ devices: inout [CountedDevice],
        in batches: [DeviceBatch],
        app number: Int64
    ) throws(LedgerError) {
        devices.sort { TokenHash.short($0.hash) < TokenHash.short($1.hash) }
        for range in Placeholders.ranges(devices.count) {
            let places = Placeholders.list(range.count)
            let rows = try db.rows(
                "SELECT token_hash, number, badge, token FROM devices WHERE token_hash IN (\(places))",
                values: devices[range].map { .integer(TokenHash.short($0.hash)) }
            )
            var found: [Int64: [(number: Int64, badge: Int, token: [UInt8])]] = [:]
            while try rows.next() {
                guard rows.int64(1) >> 32 == number else { continue }
                found[rows.int64(0), default: []].append((rows.int64(1), rows.int(2), rows.blob(3)))
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

/// Statements over many values: as few texts as there are powers of two, so that each is prepared once.
enum Placeholders {
    private static let countMax = 256

    /// Ranges whose lengths are powers of two.
    static func ranges(_ count: Int) -> [Range<Int>] {
        var (ranges, start, size): ([Range<Int>], Int, Int) = ([], 0, countMax)
        while start < count {
            while size > count - start { size /= 2 }
            ranges.append(start..<start + size)
            start += size
        }
        return ranges
    }

    /// The text `?1, ?2` with as many.
    static func list(_ count: Int) -> String { lists[count] ?? text(count, columns: 0) }

    /// The text `(?1, ?2, ?3), (?4, ?5, ?6)` with as many rows.
    static func triples(_ count: Int) -> String { triples[count] ?? text(count, columns: 3) }

    private static let sizes = (0...8).map { 1 << $0 }
    private static let lists = Dictionary(uniqueKeysWithValues: sizes.map { ($0, text($0, columns: 0)) })
    private static let triples = Dictionary(uniqueKeysWithValues: sizes.map { ($0, text($0, columns: 3)) })

    private static func text(_ count: Int, columns: Int) -> String {
        guard columns > 0 else { return (1...count).map { "?\($0)" }.joined(separator: ", ") }
        return (0..<count).map { row in
            "(" + (1...columns).map { "?\(row * columns + $0)" }.joined(separator: ", ") + ")"
        }.joined(separator: ", ")
    }
}
