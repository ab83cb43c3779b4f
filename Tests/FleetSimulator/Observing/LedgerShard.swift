/// A row of the ledger's `shards`, read and decoded without the fleet's code.
struct LedgerShard: Equatable {
    /// The place of a shard in its campaign.
    struct Key: Hashable {
        var part: Int
        var ordinal: Int
        var child: Int
    }

    /// The number of `ShardState.settled` in the schema.
    private static let settled = 4
    /// The columns that `init` reads.
    static let columns = """
        part, ordinal, child, state, epoch, chunk, count, \(outcomes.joined(separator: ", ")), retried, positions,
        progress
        """
    /// The names of the outcomes in the order of their numbers, which begin with 1.
    static let outcomes = ["accepted", "invalid", "failed", "expired", "superseded", "cancelled", "skipped"]

    let key: Key
    let state: Int
    /// The number of the row's claim: a worker that reports for an older one is not heard.
    let epoch: Int
    let chunk: Int
    let count: Int
    /// The devices of a settled row by their outcomes, as the row counts them.
    private let counts: [Int]
    private let retried: Int
    /// The bytes of the columns; nil for NULL.
    private let positions: [UInt8]?
    private let progress: [UInt8]?

    init(_ row: ObservedRow) {
        key = Key(part: row.int(0), ordinal: row.int(1), child: row.int(2))
        (state, epoch, chunk, count) = (row.int(3), row.int(4), row.int(5), row.int(6))
        counts = (0..<Self.outcomes.count).map { row.int(7 + Int32($0)) }
        retried = row.int(14)
        positions = row.bytes(15)
        progress = row.bytes(16)
    }

    var isSettled: Bool { state == Self.settled }

    /// The positions of the devices in their chunk; nil if the column has another number of them.
    var places: [Int]? {
        guard let positions else { return Array(0..<count) }
        guard positions.count == 2 * count else { return nil }
        return (0..<count).map { Int(positions[2 * $0]) | Int(positions[2 * $0 + 1]) << 8 }
    }

    /// The devices' codes: 0 without an answer, 1 to 7 for outcomes, 8 to 13 for retries, 14 for those held back.
    ///
    /// A progress has a byte for its version, two numbers of seven bits a byte, and two codes a byte.
    var codes: [UInt8]? {
        guard let progress else { return Array(repeating: 0, count: count) }
        var at = 1
        var numbers: [Int] = []
        for _ in 0..<2 {
            var (number, shift) = (0, 0)
            repeat {
                guard at < progress.count else { return nil }
                number |= Int(progress[at] & 0x7F) << shift
                shift += 7
                at += 1
            } while progress[at - 1] >= 0x80
            numbers.append(number)
        }
        guard numbers[0] == count, progress.count >= at + (count + 1) / 2 else { return nil }
        return (0..<count).map { progress[at + $0 / 2] >> ($0 % 2 == 0 ? 0 : 4) & 15 }
    }

    /// Returns what is wrong with the counts of a settled row; nil if they are those of its codes.
    func wrongCounts(_ codes: [UInt8]) -> String? {
        guard isSettled else { return nil }
        let told = (1...Self.outcomes.count).map { outcome in codes.count { Int($0) == outcome } }
        guard told == counts else { return "counts \(counts) and its devices are \(told)" }
        let sum = counts.reduce(0, +) + retried
        return sum == count ? nil : "has \(count) devices and accounts for \(sum)"
    }
}
