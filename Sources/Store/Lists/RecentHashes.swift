/// The latest hashes of a `TokenFilter`, in a table of fixed size: nothing is allocated for a hash.
struct RecentHashes {
    /// The hashes of a run: 4 MiB of them, in a table that is half full then.
    static let countMax = 262_144
    /// The table's size as a power of two.
    private static let sizeBits = 19

    /// The hashes by their place (linear probing); 0 is an empty place.
    private var places = [UInt128](repeating: 0, count: 1 << sizeBits)
    private var count = 0

    /// True if the hashes have to be taken before another one is inserted.
    var isFull: Bool { count >= Self.countMax }

    func contains(_ hash: UInt128) -> Bool { places[place(of: hash)] != 0 }

    mutating func insert(_ hash: UInt128) {
        let place = place(of: hash)
        guard places[place] == 0 else { return }
        places[place] = Self.stored(hash)
        count += 1
    }

    /// Returns all hashes in their order, and forgets them.
    mutating func takeAll() -> [UInt128] {
        var hashes = places.filter { $0 != 0 }
        hashes.sort()
        for place in places.indices { places[place] = 0 }
        count = 0
        return hashes
    }

    /// Returns the place that has the hash, or that is free for it.
    private func place(of hash: UInt128) -> Int {
        let (wanted, mask) = (Self.stored(hash), places.count - 1)
        var place = Int(truncatingIfNeeded: RunIndex.mixed(hash).0 >> UInt64(64 - Self.sizeBits))
        while places[place] != 0, places[place] != wanted { place = (place + 1) & mask }
        return place
    }

    /// The hash 0 is stored as 1; no two hashes of an upload are the same by accident, this one included.
    private static func stored(_ hash: UInt128) -> UInt128 { hash == 0 ? 1 : hash }
}
