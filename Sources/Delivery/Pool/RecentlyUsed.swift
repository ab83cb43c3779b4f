/// A map of limited size that evicts the least recently used name.
///
/// For names that strangers choose, so that nobody can fill the memory with them.
public struct RecentlyUsed<Name: Hashable & Sendable, Value: Sendable>: Sendable {
    private var entries: [Name: (value: Value, use: UInt64)] = [:]
    private var uses: UInt64 = 0
    private let most: Int

    /// An empty map; `most` is at least 1.
    public init(most: Int) {
        precondition(most >= 1, "room for nothing")
        self.most = most
    }

    /// The number of names.
    public var count: Int { entries.count }

    /// Gets, sets or removes the value of a name; each access is a use.
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
            // A scan of all entries, but only when a new name comes to a full map.
            guard entries.count > most, let oldest = entries.min(by: { $0.value.use < $1.value.use })?.key else {
                return
            }
            entries[oldest] = nil
        }
    }
}
