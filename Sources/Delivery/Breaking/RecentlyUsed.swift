/// What is known by name, for at most so many names: the one that was not used for longest goes first.
///
/// For names that strangers choose, so that nobody can fill the memory with them.
public struct RecentlyUsed<Name: Hashable & Sendable, Value: Sendable>: Sendable {
    private var entries: [Name: (value: Value, use: UInt64)] = [:]
    private var uses: UInt64 = 0
    private let most: Int

    /// Nothing yet; `most` is at least 1.
    public init(most: Int) {
        precondition(most >= 1, "room for nothing")
        self.most = most
    }

    /// How many names are known.
    public var count: Int { entries.count }

    /// Gives, sets or takes away what is known by a name; each of it is a use.
    public subscript(name: Name) -> Value? {
        mutating get {
            guard let value = entries[name]?.value else { return nil }
            uses += 1
            entries[name]?.use = uses
            return value
        }
        set {
            guard let newValue else { return entries[name] = nil }
            uses += 1
            entries[name] = (newValue, uses)
            // A walk over all, and only where a new name comes to a full table.
            guard entries.count > most, let oldest = entries.min(by: { $0.value.use < $1.value.use })?.key else {
                return
            }
            entries[oldest] = nil
        }
    }
}
