/// The slots of open streams by stream id: a hash table with linear probing.
///
/// Ids are spread over the table (Fibonacci hashing) because a client's ids are consecutive: side by side they would
/// form one cluster, which each removal would have to walk to its end.
struct StreamIndex: ~Copyable {
    /// The number of streams in the table.
    private(set) var count = 0

    private struct Entry {
        /// The stream's id; 0 for none.
        var streamID: Int32
        var slot: Int32
    }

    private let entries: UnsafeMutablePointer<Entry>
    private let mask: Int
    private let shift: UInt32

    /// Creates a table for `streamsMax` streams at a load of a quarter at most.
    init(streamsMax: Int) {
        var (capacity, bits) = (16, 4 as UInt32)
        while capacity < 4 * streamsMax { (capacity, bits) = (2 * capacity, bits + 1) }
        mask = capacity - 1
        shift = 32 - bits
        entries = .allocate(capacity: capacity)
        entries.initialize(repeating: Entry(streamID: 0, slot: ClientSlot.none), count: capacity)
    }

    deinit { entries.deallocate() }

    private func home(_ streamID: Int32) -> Int {
        Int((UInt32(bitPattern: streamID) &* 0x9E37_79B9) >> shift)
    }

    /// Adds a stream that is not in the table.
    mutating func insert(_ streamID: Int32, slot: Int32) {
        var place = home(streamID)
        while entries[place].streamID != 0 { place = (place + 1) & mask }
        entries[place] = Entry(streamID: streamID, slot: slot)
        count += 1
    }

    /// Returns the slot of a stream; nil when it is not open.
    func slot(of streamID: Int32) -> Int32? {
        var place = home(streamID)
        while entries[place].streamID != 0 {
            if entries[place].streamID == streamID { return entries[place].slot }
            place = (place + 1) & mask
        }
        return nil
    }

    /// Removes a stream, if it is in the table.
    mutating func remove(_ streamID: Int32) {
        var place = home(streamID)
        while entries[place].streamID != streamID {
            guard entries[place].streamID != 0 else { return }
            place = (place + 1) & mask
        }
        count -= 1
        // Entries after the gap move into it where their probe sequence crosses the gap.
        var next = place
        while true {
            next = (next + 1) & mask
            let entry = entries[next]
            guard entry.streamID != 0 else { break }
            let way = (next - home(entry.streamID)) & mask
            guard way >= (next - place) & mask else { continue }
            entries[place] = entry
            place = next
        }
        entries[place] = Entry(streamID: 0, slot: ClientSlot.none)
    }
}

/// A queue of waiting slots; each slot is in at most one queue at a time.
struct SlotQueue: ~Copyable {
    private let places: UnsafeMutablePointer<Int32>
    private let mask: Int
    private var head = 0
    private var tail = 0

    init(capacity: Int) {
        var size = 16
        while size < capacity { size *= 2 }
        mask = size - 1
        places = .allocate(capacity: size)
    }

    deinit { places.deallocate() }

    /// The slot at the front of the queue.
    var first: Int32? { head == tail ? nil : places[head & mask] }

    mutating func append(_ slot: Int32) {
        places[tail & mask] = slot
        tail += 1
    }

    mutating func removeFirst() { head += 1 }
}
