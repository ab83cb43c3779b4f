/// The migrations of a ledger, compared with those that this program has.
///
/// Migrations only add what earlier versions pass over, so a ledger of the next version serves this one too, unless the
/// ledger says how many migrations a version must know (`meta.needed_migrations`).
public struct SchemaStanding: Sendable, Equatable {
    /// The migrations that the ledger has.
    public let applied: [String]
    /// The migrations that the ledger lacks, in their order.
    public let missing: [String]
    /// The migrations that only later versions know.
    public let unknown: [String]
    /// True if a later version has changed the ledger in a way that this program cannot work with.
    public let isTooNew: Bool

    /// Compares the migrations of a ledger with the program's; `needed` is the number that a version must know.
    init(applied: [String], known: [String], needed: Int) {
        self.applied = applied
        missing = known.filter { !applied.contains($0) }
        unknown = applied.filter { !known.contains($0) }
        // One that has some of a later version's migrations, and not all of ours, is of another branch.
        isTooNew = !unknown.isEmpty && (!missing.isEmpty || needed > known.count)
    }

    /// Returns the migrations that an earlier look did not find; nil stands for a ledger that did not exist.
    public func applied(since earlier: SchemaStanding?) -> [String] {
        applied.filter { earlier?.applied.contains($0) != true }
    }

    /// True if this program can work with the ledger as it is.
    public var isUsable: Bool { missing.isEmpty && !isTooNew }
}
