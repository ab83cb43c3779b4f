public import Campaigns
import Delivery

/// The sends to devices that count for frequency caps of their apps: one row a device.
///
/// A charge counts while its device is pending or was reached. It is void when the device has ended otherwise. That is
/// read from the ledger's outcomes when it matters, so nothing has to be given back when a campaign ends.
extension LedgerTransaction {
    /// Leaves out the devices that have reached the cap; charges and returns the others.
    func charge(
        _ devices: [CountedDevice],
        _ chunks: inout [PlannableChunk],
        of campaign: UInt32,
        _ counting: Counting,
        now: Timestamp
    ) throws(LedgerError) -> [CountedDevice] {
        var keyed = devices.map { (device: $0, key: $0.key) }
        // The table's order, so that neighbors share pages.
        keyed.sort { $0.key.lexicographicallyPrecedes($1.key) }
        let keepUntil = now.advanced(by: counting.cap.window)
        let history = ChargeHistory(reader: reader)
        var admitted: [CountedDevice] = []
        admitted.reserveCapacity(keyed.count)
        for range in Placeholders.ranges(keyed.count) {
            let known = try charges(keyed[range].map(\.key))
            var written: [SQLValue] = []
            for (device, key) in keyed[range] {
                var charges = known[key] ?? []
                let isSpent = try isSpent(&charges, counting, history, now: now)
                if isSpent, !counting.ignoresCap {
                    chunks[device.chunk].known.capped.insert(device.position)
                    continue
                }
                charges.append(
                    FrequencyCharge(
                        at: now,
                        campaign: campaign,
                        chunk: chunks[device.chunk].ordinal,
                        position: UInt16(device.position)
                    )
                )
                written += [.blob(key), .time(keepUntil), .blob(FrequencyCharge.packed(charges))]
                admitted.append(device)
            }
            try write(written)
        }
        return admitted
    }

    private func isSpent(
        _ charges: inout [FrequencyCharge],
        _ counting: Counting,
        _ history: ChargeHistory,
        now: Timestamp
    ) throws(LedgerError) -> Bool {
        guard !charges.isEmpty else { return false }
        guard !counting.ignoresCap else {
            charges.removeAll { now.since($0.at) >= counting.cap.window }
            return false
        }
        return try counting.cap.isSpent(
            &charges,
            for: counting.rules,
            now: now,
            tags: { campaign throws(LedgerError) in try history.tags(of: campaign) },
            isVoid: { charge throws(LedgerError) in try history.isVoid(charge) }
        )
    }

    private func charges(_ keys: [[UInt8]]) throws(LedgerError) -> [[UInt8]: [FrequencyCharge]] {
        let rows = try db.rows(
            "SELECT device, charges FROM frequency_charges WHERE device IN (\(Placeholders.list(keys.count)))",
            values: keys.map { .blob($0) }
        )
        var found: [[UInt8]: [FrequencyCharge]] = [:]
        while try rows.next() { found[rows.blob("device")] = FrequencyCharge.unpacked(rows.blob("charges")) }
        return found
    }

    /// Writes rows of three values each.
    private func write(_ values: [SQLValue]) throws(LedgerError) {
        for range in Placeholders.ranges(values.count / 3) {
            try db.run(
                """
                INSERT INTO frequency_charges (device, keep_until, charges) VALUES \(Placeholders.triples(range.count))
                ON CONFLICT (device) DO UPDATE SET keep_until = excluded.keep_until, charges = excluded.charges
                """,
                values: Array(values[range.lowerBound * 3..<range.upperBound * 3])
            )
        }
    }

    // MARK: - The registry's rows

    /// Moves a device's charges when its row in the registry changes.
    ///
    /// - Parameters:
    ///   - from: The device's row until now; nil if it had none.
    ///   - to: Its row from now on.
    ///   - loser: The new row of the device that had `to` until now; nil if that was the same device.
    func moveCharges(from: Int64?, to: Int64, loser: Int64?) throws(LedgerError) {
        let keys = [from, to].compactMap { $0.map { CountedDevice.key($0) } }
        var moved: [[UInt8]: (keepUntil: Int64, charges: [UInt8])] = [:]
        for key in keys {
            let rows = try db.rows("SELECT keep_until, charges FROM frequency_charges WHERE device = ?1", .blob(key))
            if try rows.next() { moved[key] = (rows.int64("keep_until"), rows.blob("charges")) }
        }
        guard !moved.isEmpty else { return }
        for key in keys { try db.run("DELETE FROM frequency_charges WHERE device = ?1", .blob(key)) }
        let own = from.flatMap { moved[CountedDevice.key($0)] }
        let found = moved[CountedDevice.key(to)]
        if let loser {
            try put(own, at: to)
            try put(found, at: loser)
        } else {
            let all = FrequencyCharge.unpacked(own?.charges ?? []) + FrequencyCharge.unpacked(found?.charges ?? [])
            let charges = all.sorted { $0.at < $1.at }
            let keepUntil = max(own?.keepUntil ?? 0, found?.keepUntil ?? 0)
            try put((keepUntil, FrequencyCharge.packed(charges)), at: to)
        }
    }

    private func put(_ row: (keepUntil: Int64, charges: [UInt8])?, at number: Int64) throws(LedgerError) {
        guard let row else { return }
        try write([.blob(CountedDevice.key(number)), .integer(row.keepUntil), .blob(row.charges)])
    }

    /// Removes the charges of a forgotten device.
    func forgetCharges(of number: Int64) throws(LedgerError) {
        try db.run("DELETE FROM frequency_charges WHERE device = ?1", .blob(CountedDevice.key(number)))
    }

    /// Removes expired charges among the next `rowsMax` rows; returns the key to go on from, nil after the last row.
    public func purgeCharges(after key: [UInt8], now: Timestamp, rowsMax: Int = 2000) throws(LedgerError) -> [UInt8]? {
        let rows = try db.rows(
            "SELECT device FROM frequency_charges WHERE device > ?1 ORDER BY device LIMIT 1 OFFSET ?2",
            .blob(key),
            .int(rowsMax - 1)
        )
        let last = try rows.next() ? rows.blob("device") : nil
        try db.run(
            "DELETE FROM frequency_charges WHERE device > ?1 AND (?2 = 0 OR device <= ?3) AND keep_until <= ?4",
            .blob(key),
            .bool(last != nil),
            .blob(last ?? []),
            .time(now)
        )
        return last
    }
}

/// The data by which charges are judged, read once per transaction; confined to it.
private final class ChargeHistory {
    let reader: LedgerReader
    private var tags: [UInt32: Set<String>] = [:]
    private var void: [Page: DeadBits] = [:]

    private struct Page: Hashable {
        var campaign: UInt32
        var chunk: UInt32
    }

    init(reader: LedgerReader) {
        self.reader = reader
    }

    /// A campaign's tags; empty for a purged campaign, which therefore counts only for rules without tags.
    func tags(of campaign: UInt32) throws(LedgerError) -> Set<String> {
        if let known = tags[campaign] { return known }
        let rows = try reader.db.rows("SELECT tags FROM campaigns WHERE number = ?1", .int(campaign))
        let found = try rows.next() ? CampaignTags.read(rows.text("tags")) : []
        tags[campaign] = found
        return found
    }

    /// Returns true if the device has ended without being reached.
    func isVoid(_ charge: FrequencyCharge) throws(LedgerError) -> Bool {
        let page = Page(campaign: charge.campaign, chunk: charge.chunk)
        if let known = void[page] { return known[Int(charge.position)] }
        let bits = try reader.unreached(campaign: charge.campaign, chunk: charge.chunk)
        void[page] = bits
        return bits[Int(charge.position)]
    }
}

extension LedgerReader {
    /// The positions of a chunk's devices that have ended without being reached.
    ///
    /// A device without an answer may have been reached. A device whose outcome is purged counts as reached.
    func unreached(campaign: UInt32, chunk: UInt32) throws(LedgerError) -> DeadBits {
        var bits = DeadBits()
        try forEachPlace(ofChunk: chunk, of: campaign) { record, index, position in
            if record.isUnreached(index) { bits.insert(position) } else { bits.remove(position) }
        }
        return bits
    }
}

extension ShardRecord {
    fileprivate func isUnreached(_ index: Int) -> Bool {
        guard case .outcome(let outcome) = progress.state(at: index) else { return false }
        switch outcome {
        case .accepted: return false
        case .failed: return progress.notes[UInt16(index)]?.reason != "Unknown"
        case .invalid, .expired, .superseded, .cancelled, .skipped: return true
        }
    }
}
