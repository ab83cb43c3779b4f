/// The slots of a client session: a free list, a list of live streams by age, and the closed ones to be reported.
///
/// The addresses of slots are stable.
struct ClientSlotTable: ~Copyable {
    let slots: UnsafeMutablePointer<ClientSlot>
    let capacity: Int
    /// The number of streams whose end has not been reported.
    private(set) var liveCount = 0
    /// The number of slots that are not in the free list.
    private(set) var usedCount = 0

    /// Arenas without a slot; the one returned last is reused first.
    private var spareArenas: [(base: UnsafeMutableRawPointer, capacity: Int)] = []
    private let closed: UnsafeMutablePointer<Int32>
    private var closedCount = 0
    private var free: Int32 = ClientSlot.none
    private var oldest: Int32 = ClientSlot.none
    private var newest: Int32 = ClientSlot.none

    init(capacity: Int) {
        precondition((1...65_536).contains(capacity), "a session with \(capacity) streams")
        self.capacity = capacity
        self.slots = .allocate(capacity: capacity)
        self.closed = .allocate(capacity: capacity)
        for index in (0..<capacity).reversed() {
            var slot = ClientSlot()
            slot.next = self.free
            (self.slots + index).initialize(to: slot)
            self.free = Int32(index)
        }
    }

    deinit {
        for index in 0..<self.capacity { self.slots[index].free() }
        for arena in self.spareArenas { arena.base.deallocate() }
        self.slots.deallocate()
        self.closed.deallocate()
    }

    subscript(_ index: Int32) -> UnsafeMutablePointer<ClientSlot> { self.slots + Int(index) }

    /// Takes a free slot without adding it to the live ones.
    mutating func take() -> Int32? {
        guard self.free != ClientSlot.none else { return nil }
        let index = self.free
        self.free = self.slots[Int(index)].next
        self.slots[Int(index)].reset()
        if self.slots[Int(index)].arena == nil, let spare = self.spareArenas.popLast() {
            self.slots[Int(index)].arena = spare.base
            self.slots[Int(index)].arenaCapacity = spare.capacity
        }
        self.usedCount += 1
        return index
    }

    /// Frees the arena of a slot whose request was sent, for another request.
    mutating func giveBackArena(of index: Int32) {
        let slot = self.slots + Int(index)
        guard let arena = slot.pointee.arena else { return }
        self.spareArenas.append((arena, slot.pointee.arenaCapacity))
        slot.pointee.arena = nil
        slot.pointee.arenaCapacity = 0
    }

    /// Returns a slot to the free list.
    mutating func giveBack(_ index: Int32) {
        self.slots[Int(index)].streamID = 0
        self.slots[Int(index)].phase = .free
        self.slots[Int(index)].next = self.free
        self.free = index
        self.usedCount -= 1
    }

    /// Appends a slot to the list of live streams, as the youngest.
    mutating func enlist(_ index: Int32) {
        self.slots[Int(index)].previous = self.newest
        self.slots[Int(index)].next = ClientSlot.none
        if self.newest == ClientSlot.none {
            self.oldest = index
        } else {
            self.slots[Int(self.newest)].next = index
        }
        self.newest = index
        self.liveCount += 1
    }

    /// Removes a slot from the list of live streams.
    mutating func delist(_ index: Int32) {
        let (previous, next) = (self.slots[Int(index)].previous, self.slots[Int(index)].next)
        if previous == ClientSlot.none { self.oldest = next } else { self.slots[Int(previous)].next = next }
        if next == ClientSlot.none { self.newest = previous } else { self.slots[Int(next)].previous = previous }
        self.liveCount -= 1
    }

    /// The live stream that was submitted first.
    var oldestLive: Int32? { self.oldest == ClientSlot.none ? nil : self.oldest }

    /// Records a closed stream until ``nextClosed()``.
    mutating func noteClosed(_ index: Int32) {
        self.closed[self.closedCount] = index
        self.closedCount += 1
    }

    /// True if a closed stream waits for ``nextClosed()``.
    var hasClosed: Bool { self.closedCount > 0 }

    /// Removes and returns a closed stream whose end is to be reported; nil when there is none.
    mutating func nextClosed() -> Int32? {
        guard self.closedCount > 0 else { return nil }
        self.closedCount -= 1
        return self.closed[self.closedCount]
    }
}
