import Campaigns
import Delivery

/// The counts on the apps' icons, as the registry keeps them, and the numbers that shards carry.
extension LedgerTransaction {
    /// Raises or lowers the counts of devices that are cut, and writes down the numbers, so that each repeat of a shard
    /// carries the same.
    ///
    /// A device that the registry does not have has no number.
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

    /// Says that an app counts badges: from now on numbers that campaigns give are kept as well.
    func countBadges(of app: String) throws(LedgerError) {
        try db.run("UPDATE registry_apps SET counts_badges = 1 WHERE app = ?1 AND counts_badges = 0", .text(app))
    }

    /// What all phones show from now on.
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

    /// The devices' rows in the registry in their order, as values of statements.
    private func registered(_ devices: [CountedDevice]) -> [[SQLValue]] {
        let numbers = devices.compactMap { $0.registered?.number }.sorted()
        return Placeholders.ranges(numbers.count).map { numbers[$0].map { .integer($0) } }
    }

    /// Removes some numbers of a campaign that is gone; returns whether there are more.
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
    /// Whether anything has ever counted badges of an app: a campaign with a step, or a device that said its own.
    ///
    /// Until then a number that a campaign gives is no business of the registry, and costs no look into it.
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
        return ChunkBadges(bytes: try rows.next() ? rows.blob(0) : [])
    }
}

/// A number for each place of a chunk: four bytes, least significant first; all ones for none.
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
            for place in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: value >> (UInt32(place) * 8))) }
        }
    }

    subscript(position: Int) -> Int? {
        guard position * 4 + 4 <= bytes.count else { return nil }
        let value = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[position * 4 + $1]) << (UInt32($1) * 8) }
        return value == .max ? nil : Int(value)
    }
}

extension DeviceBatch {
    /// The batch with its badges as the variable that the payload's template asks for.
    mutating func set(_ badges: ChunkBadges) {
        set(BadgeStep.variable, (0..<count).map { badges[$0].map { Array(String($0).utf8) } })
    }
}
