/// The entries of a client session: a free list, a list of live streams by age, and the closed ones to be reported.
///
/// The addresses of entries are stable.
struct ClientStreamTable: ~Copyable {
    let streams: UnsafeMutablePointer<ClientStream>
    let capacity: Int
    /// The number of streams whose end has not been reported.
    private(set) var liveCount = 0
    /// The number of entries that are not in the free list.
    private(set) var usedCount = 0

    /// Arenas without an entry; the one returned last is reused first.
    private var spareArenas: [(base: UnsafeMutableRawPointer, capacity: Int)] = []
    private let closed: UnsafeMutablePointer<Int32>
    private var closedCount = 0
    private var free: Int32 = ClientStream.none
    private var oldest: Int32 = ClientStream.none
    private var newest: Int32 = ClientStream.none

    init(capacity: Int) {
        precondition((1...65_536).contains(capacity), "a session with \(capacity) streams")
        self.capacity = capacity
        streams = .allocate(capacity: capacity)
        closed = .allocate(capacity: capacity)
        for index in (0..<capacity).reversed() {
            var stream = ClientStream()
            stream.next = free
            (streams + index).initialize(to: stream)
            free = Int32(index)
        }
    }

    deinit {
        for index in 0..<capacity { streams[index].free() }
        for arena in spareArenas { arena.base.deallocate() }
        streams.deallocate()
        closed.deallocate()
    }

    subscript(_ index: Int32) -> UnsafeMutablePointer<ClientStream> { streams + Int(index) }

    /// Takes a free entry without adding it to the live ones.
    mutating func take() -> Int32? {
        guard free != ClientStream.none else { return nil }
        let index = free
        free = streams[Int(index)].next
        streams[Int(index)].reset()
        if streams[Int(index)].arena == nil, let spare = spareArenas.popLast() {
            streams[Int(index)].arena = spare.base
            streams[Int(index)].arenaCapacity = spare.capacity
        }
        usedCount += 1
        return index
    }

    /// Frees the arena of an entry whose request was sent, for another request.
    mutating func giveBackArena(of index: Int32) {
        let stream = streams + Int(index)
        guard let arena = stream.pointee.arena else { return }
        spareArenas.append((arena, stream.pointee.arenaCapacity))
        stream.pointee.arena = nil
        stream.pointee.arenaCapacity = 0
    }

    /// Returns an entry to the free list.
    mutating func giveBack(_ index: Int32) {
        streams[Int(index)].streamID = 0
        streams[Int(index)].phase = .free
        streams[Int(index)].next = free
        free = index
        usedCount -= 1
    }

    /// Appends an entry to the list of live streams, as the youngest.
    mutating func enlist(_ index: Int32) {
        streams[Int(index)].previous = newest
        streams[Int(index)].next = ClientStream.none
        if newest == ClientStream.none {
            oldest = index
        } else {
            streams[Int(newest)].next = index
        }
        newest = index
        liveCount += 1
    }

    /// Removes an entry from the list of live streams.
    mutating func delist(_ index: Int32) {
        let (previous, next) = (streams[Int(index)].previous, streams[Int(index)].next)
        if previous == ClientStream.none { oldest = next } else { streams[Int(previous)].next = next }
        if next == ClientStream.none { newest = previous } else { streams[Int(next)].previous = previous }
        liveCount -= 1
    }

    /// The live stream that was submitted first.
    var oldestLive: Int32? { oldest == ClientStream.none ? nil : oldest }

    /// Records a closed stream until ``nextClosed()``.
    mutating func noteClosed(_ index: Int32) {
        closed[closedCount] = index
        closedCount += 1
    }

    /// True if a closed stream waits for ``nextClosed()``.
    var hasClosed: Bool { closedCount > 0 }

    /// Removes and returns a closed stream whose end is to be reported; nil when there is none.
    mutating func nextClosed() -> Int32? {
        guard closedCount > 0 else { return nil }
        closedCount -= 1
        return closed[closedCount]
    }
}
