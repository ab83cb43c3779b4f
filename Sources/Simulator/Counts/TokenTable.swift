/// Counts by token in about 60 bytes each: packed columns and an open-addressing index of row numbers.
///
/// A dictionary would take three times as much, and the table must hold millions.
struct TokenTable {
    private static let free = UInt32.max

    private var heads: [SIMD4<UInt64>] = []
    private var counts: [TokenCounts] = []
    /// Row numbers by hash; its length is a power of two, and it is at most half full.
    private var index: [UInt32] = Array(repeating: free, count: 64)
    /// Tokens above 32 bytes, rare enough for a dictionary.
    private var longer: [DeviceTokenKey: TokenCounts] = [:]

    /// The number of different tokens.
    var distinct: Int { heads.count + longer.count }

    /// The number of tokens that were accepted more than once.
    var repeated: Int { counts.count { $0.accepted > 1 } + longer.count { $0.value.accepted > 1 } }

    /// Reads and changes the counts of `token`, which begin at zero; `hash` is the token's `hash64`.
    mutating func update<R>(_ token: DeviceTokenKey, hash: UInt64, _ body: (inout TokenCounts) -> R) -> R {
        guard token.tail == nil else { return body(&longer[token, default: TokenCounts()]) }
        let mask = index.count - 1
        var bucket = Int(truncatingIfNeeded: hash) & mask
        while index[bucket] != Self.free {
            let row = Int(index[bucket])
            if heads[row] == token.head { return body(&counts[row]) }
            bucket = (bucket + 1) & mask
        }
        index[bucket] = UInt32(heads.count)
        heads.append(token.head)
        counts.append(TokenCounts())
        if heads.count * 2 > index.count { grow() }
        return body(&counts[counts.count - 1])
    }

    /// Returns the counts of `token`; zero for an unknown one.
    func counts(of token: DeviceTokenKey, hash: UInt64) -> TokenCounts {
        guard token.tail == nil else { return longer[token] ?? TokenCounts() }
        let mask = index.count - 1
        var bucket = Int(truncatingIfNeeded: hash) & mask
        while index[bucket] != Self.free {
            let row = Int(index[bucket])
            if heads[row] == token.head { return counts[row] }
            bucket = (bucket + 1) & mask
        }
        return TokenCounts()
    }

    /// Returns up to `most` tokens of 32 bytes from row `row` on, in the order of their first arrival.
    func entries(from row: Int, most: Int) -> [(DeviceTokenKey, TokenCounts)] {
        guard row < heads.count else { return [] }
        return (row..<min(row + most, heads.count)).map { (DeviceTokenKey(head: heads[$0]), counts[$0]) }
    }

    /// The tokens above 32 bytes, ordered by their text.
    var longerEntries: [(DeviceTokenKey, TokenCounts)] {
        longer.map { ($0.key, $0.value) }.sorted { $0.0.text < $1.0.text }
    }

    private mutating func grow() {
        index = Array(repeating: Self.free, count: index.count * 2)
        let mask = index.count - 1
        for row in heads.indices {
            var bucket = Int(truncatingIfNeeded: DeviceTokenKey(head: heads[row]).hash64) & mask
            while index[bucket] != Self.free { bucket = (bucket + 1) & mask }
            index[bucket] = UInt32(row)
        }
    }
}
