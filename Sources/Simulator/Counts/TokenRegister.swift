import Synchronization

/// All token counts, in sections with a lock each, so that loops seldom contend.
final class TokenRegister: Sendable {
    private final class Section: Sendable {
        let table = Mutex(TokenTable())
    }

    private static let sectionBits = 6

    private let sections = (0..<(1 << sectionBits)).map { _ in Section() }

    /// Reads and changes the counts of `token` under its section's lock.
    func update<R: Sendable>(_ token: DeviceTokenKey, _ body: (inout TokenCounts) -> R) -> R {
        let hash = token.hash64
        // The table uses the low bits of the hash, the section the high ones.
        let section = sections[Int(hash >> UInt64(64 - Self.sectionBits))]
        return section.table.withLock { $0.update(token, hash: hash, body) }
    }

    /// The number of distinct tokens, and of those accepted more than once.
    var totals: (distinct: Int, repeated: Int) {
        sections.reduce(into: (0, 0)) { totals, section in
            section.table.withLock { table in
                totals.0 += table.distinct
                totals.1 += table.repeated
            }
        }
    }

    /// Returns the counts of one token; zero for an unknown one.
    func counts(of token: DeviceTokenKey) -> TokenCounts {
        let hash = token.hash64
        return sections[Int(hash >> UInt64(64 - Self.sectionBits))].table.withLock { $0.counts(of: token, hash: hash) }
    }

    /// Forgets all tokens.
    func reset() {
        for section in sections { section.table.withLock { $0 = TokenTable() } }
    }

    /// Returns a page of tokens; begin with the default cursor, end when it returns nil.
    func page(after cursor: inout Cursor, most: Int) -> [(DeviceTokenKey, TokenCounts)]? {
        while cursor.section < sections.count {
            let (row, section) = (cursor.row, sections[cursor.section])
            let found = section.table.withLock { $0.entries(from: row, most: most) }
            if !found.isEmpty {
                cursor.row += found.count
                return found
            }
            let longer = section.table.withLock { $0.longerEntries }
            cursor = Cursor(section: cursor.section + 1)
            if !longer.isEmpty { return longer }
        }
        return nil
    }

    /// The position of a reader of all tokens.
    struct Cursor: Sendable {
        fileprivate var section = 0
        fileprivate var row = 0

        init() {}

        fileprivate init(section: Int) { self.section = section }
    }
}
