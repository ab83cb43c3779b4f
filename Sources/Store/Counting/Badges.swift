import Campaigns

/// The badge counts of the registry, and the numbers that shards carry.
extension LedgerTransaction {
    /// Applies a badge step to devices that are cut, and stores the numbers, so that each repeat of a shard carries the
    /// same.
    ///
    /// A device that is not in the registry has no number.
    func countBadges(
        _ devices: [CountedDevice],
        _ chunks: inout [PlannableChunk],
        _ batches: inout [DeviceBatch],
        of campaign: UInt32,
        _ step: BadgeStep
    ) throws(LedgerError) {
        var numbers = batches.map { [Int?](repeating: nil, count: $0.count) }
        for device in devices {
            numbers[device.chunk][device.position] = device.registered.map { step.applied(to: $0.badge) }
        }
        let change =
            switch step {
            case .up: "badge = badge + 1 WHERE badge < \(BadgeStep.countMax)"
            case .down: "badge = badge - 1 WHERE badge > 0"
            }
        for block in registered(devices) {
            try db.run(
                "UPDATE devices SET \(change) AND number IN (\(Placeholders.list(block.count)))",
                values: block
            )
        }
        for index in chunks.indices {
            let badges = ChunkBadges(numbers: numbers[index])
            try db.run(
                "INSERT INTO chunk_badges (campaign, chunk, badges) VALUES (?1, ?2, ?3)",
                .int(campaign),
                .int(chunks[index].ordinal),
                .blob(badges.bytes)
            )
            batches[index].set(badges)
            do { chunks[index].devices = try batches[index].encoded() } catch {
                throw .failed("chunk \(chunks[index].ordinal) of campaign \(campaign): \(error)")
            }
        }
    }

    /// Marks an app as counting badges: from now on the registry also keeps the numbers that campaigns set.
    func countBadges(of app: String) throws(LedgerError) {
        try db.run("UPDATE registry_apps SET counts_badges = 1 WHERE app = ?1 AND counts_badges = 0", .text(app))
    }

    /// Sets the badge of devices.
    func setBadges(_ devices: [CountedDevice], to count: Int) throws(LedgerError) {
        for block in registered(devices.filter { $0.registered?.badge != count }) {
            try db.run(
                """
                UPDATE devices SET badge = ?\(block.count + 1) WHERE number IN (\(Placeholders.list(block.count)))
                """,
                values: block + [.int(count)]
            )
        }
    }

    /// The devices' row numbers in the registry, sorted, as values for statements.
    private func registered(_ devices: [CountedDevice]) -> [[SQLValue]] {
        let numbers = devices.compactMap { $0.registered?.number }.sorted()
        return Placeholders.ranges(numbers.count).map { numbers[$0].map { .integer($0) } }
    }

    /// Removes some badge numbers of a removed campaign; returns true if there may be more.
    func purgeBadges(ofForgotten campaign: UInt32, rowsMax: Int) throws(LedgerError) -> Bool {
        let removed = try db.run(
            """
            DELETE FROM chunk_badges WHERE campaign = ?1 AND chunk IN (
                SELECT chunk FROM chunk_badges WHERE campaign = ?1 ORDER BY chunk LIMIT ?2
            )
            """,
            .int(campaign),
            .int(rowsMax)
        )
        return removed == rowsMax
    }
}

extension LedgerReader {
    /// Returns true if the app's badges were ever counted: by a campaign with a step, or by a device that reported its
    /// own.
    ///
    /// Until then the registry ignores the numbers that campaigns set, and no lookup is made.
    func countsBadges(app: String) throws(LedgerError) -> Bool {
        try db.number("SELECT 1 FROM registry_apps WHERE app = ?1 AND counts_badges = 1", .text(app)) != nil
    }

    /// The numbers that the devices of a chunk carry.
    func badges(campaign: UInt32, chunk: UInt32) throws(LedgerError) -> ChunkBadges {
        let rows = try db.rows(
            "SELECT badges FROM chunk_badges WHERE campaign = ?1 AND chunk = ?2",
            .int(campaign),
            .int(chunk)
        )
        return ChunkBadges(bytes: try rows.next() ? rows.blob("badges") : [])
    }
}

/// The badge of each position of a chunk: four bytes, least significant byte first; all ones for none.
struct ChunkBadges {
    private(set) var bytes: [UInt8]

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    init(numbers: [Int?]) {
        bytes = []
        bytes.reserveCapacity(numbers.count * 4)
        for number in numbers {
            let value = number.map { UInt32(clamping: $0) } ?? .max
            for offset in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: value >> (UInt32(offset) * 8))) }
        }
    }

    subscript(position: Int) -> Int? {
        guard position * 4 + 4 <= bytes.count else { return nil }
        let value = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[position * 4 + $1]) << (UInt32($1) * 8) }
        return value == .max ? nil : Int(value)
    }
}

extension DeviceBatch {
    /// Sets the badges as the variable that the payload's template uses.
    mutating func set(_ badges: ChunkBadges) {
        set(BadgeStep.variable, (0..<count).map { badges[$0].map { Array(String($0).utf8) } })
    }
}
