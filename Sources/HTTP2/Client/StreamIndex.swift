/// Which slot an open stream has, by stream id: a hash table with linear probing.
///
/// Ids are spread over the table (Fibonacci hashing), because a client's ids follow one another: side by side they
/// would be one cluster, which each removal would have to walk to its end.
struct StreamIndex: ~Copyable {
    /// Streams in the table.
    private(set) var count = 0

    private struct Entry {
        /// 0 for none.
        var streamID: Int32
        var slot: Int32
    }

    private let entries: UnsafeMutablePointer<Entry>
    private let mask: Int
    private let shift: UInt32

    /// Room for `streamsMax` streams at a load of a quarter at most.
    init(streamsMax: Int) {
        var (capacity, bits) = (16, 4 as UInt32)
        while capacity < 4 * streamsMax { (capacity, bits) = (2 * capacity, bits + 1) }
        self.mask = capacity - 1
        self.shift = 32 - bits
        self.entries = .allocate(capacity: capacity)
        self.entries.initialize(repeating: Entry(streamID: 0, slot: ClientSlot.none), count: capacity)
    }

    deinit { self.entries.deallocate() }

    private func home(_ streamID: Int32) -> Int {
        Int((UInt32(bitPattern: streamID) &* 0x9E37_79B9) >> self.shift)
    }

    /// Adds a stream that is not there.
    mutating func insert(_ streamID: Int32, slot: Int32) {
        var place = self.home(streamID)
        while self.entries[place].streamID != 0 { place = (place + 1) & self.mask }
        self.entries[place] = Entry(streamID: streamID, slot: slot)
        self.count += 1
    }

    /// The slot of a stream; nil when it is not open.
    func slot(of streamID: Int32) -> Int32? {
        var place = self.home(streamID)
        while self.entries[place].streamID != 0 {
            if self.entries[place].streamID == streamID { return self.entries[place].slot }
            place = (place + 1) & self.mask
        }
        return nil
    }

    /// Takes a stream out, if it is there.
    mutating func remove(_ streamID: Int32) {
        var place = self.home(streamID)
        while self.entries[place].streamID != streamID {
            guard self.entries[place].streamID != 0 else { return }
            place = (place + 1) & self.mask
        }
        self.count -= 1
        // What follows moves up where its way from home leads over the gap.
        var next = place
        while true {
            next = (next + 1) & self.mask
            let entry = self.entries[next]
            guard entry.streamID != 0 else { break }
            let way = (next - self.home(entry.streamID)) & self.mask
            guard way >= (next - place) & self.mask else { continue }
            self.entries[place] = entry
            place = next
        }
        self.entries[place] = Entry(streamID: 0, slot: ClientSlot.none)
    }

    /// The slots of all streams; the table must not change meanwhile.
    func forEachSlot(_ body: (Int32) -> Void) {
        for place in 0...self.mask where self.entries[place].streamID != 0 { body(self.entries[place].slot) }
    }
}

/// Slots that wait in line; each is in at most one line at a time.
struct SlotQueue: ~Copyable {
    private let places: UnsafeMutablePointer<Int32>
    private let mask: Int
    private var head = 0
    private var tail = 0

    init(capacity: Int) {
        var size = 16
        while size < capacity { size *= 2 }
        self.mask = size - 1
        self.places = .allocate(capacity: size)
    }

    deinit { self.places.deallocate() }

    /// The slot whose turn it is.
    var first: Int32? { self.head == self.tail ? nil : self.places[self.head & self.mask] }

    mutating func append(_ slot: Int32) {
        self.places[self.tail & self.mask] = slot
        self.tail += 1
    }

    mutating func removeFirst() { self.head += 1 }
}
