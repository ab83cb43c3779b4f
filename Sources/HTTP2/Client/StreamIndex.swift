/// The entries of open streams by stream id: a hash table with linear probing.
///
/// Ids are spread over the table (Fibonacci hashing) because a client's ids are consecutive: side by side they would
/// form one cluster, which each removal would have to walk to its end.
struct StreamIndex: ~Copyable {
    /// The number of streams in the table.
    private(set) var count = 0

    private struct Entry {
        /// The stream's id; 0 for none.
        var streamID: Int32
        var index: Int32
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
        entries.initialize(repeating: Entry(streamID: 0, index: ClientStream.none), count: capacity)
    }

    deinit { entries.deallocate() }

    private func home(_ streamID: Int32) -> Int {
        Int((UInt32(bitPattern: streamID) &* 0x9E37_79B9) >> shift)
    }

    /// Adds a stream that is not in the table.
    mutating func insert(_ streamID: Int32, index: Int32) {
        var bucket = home(streamID)
        while entries[bucket].streamID != 0 { bucket = (bucket + 1) & mask }
        entries[bucket] = Entry(streamID: streamID, index: index)
        count += 1
    }

    /// Returns the entry of a stream; nil when it is not open.
    func index(of streamID: Int32) -> Int32? {
        var bucket = home(streamID)
        while entries[bucket].streamID != 0 {
            if entries[bucket].streamID == streamID { return entries[bucket].index }
            bucket = (bucket + 1) & mask
        }
        return nil
    }

    /// Removes a stream, if it is in the table.
    mutating func remove(_ streamID: Int32) {
        var bucket = home(streamID)
        while entries[bucket].streamID != streamID {
            guard entries[bucket].streamID != 0 else { return }
            bucket = (bucket + 1) & mask
        }
        count -= 1
        // Entries after the gap move into it where their probe sequence crosses the gap.
        var next = bucket
        while true {
            next = (next + 1) & mask
            let entry = entries[next]
            guard entry.streamID != 0 else { break }
            let way = (next - home(entry.streamID)) & mask
            guard way >= (next - bucket) & mask else { continue }
            entries[bucket] = entry
            bucket = next
        }
        entries[bucket] = Entry(streamID: 0, index: ClientStream.none)
    }
}

/// A queue of waiting entries; each entry is in at most one queue at a time.
struct StreamQueue: ~Copyable {
    private let elements: UnsafeMutablePointer<Int32>
    private let mask: Int
    private var head = 0
    private var tail = 0

    init(capacity: Int) {
        var size = 16
        while size < capacity { size *= 2 }
        mask = size - 1
        elements = .allocate(capacity: size)
    }

    deinit { elements.deallocate() }

    /// The entry at the front of the queue.
    var first: Int32? { head == tail ? nil : elements[head & mask] }

    mutating func append(_ index: Int32) {
        elements[tail & mask] = index
        tail += 1
    }

    mutating func removeFirst() { head += 1 }
}
