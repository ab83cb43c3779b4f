/// The slots of a client session: a free list, a list of live streams by age, and the closed ones to be told.
///
/// Addresses of slots are stable.
struct ClientSlotTable: ~Copyable {
    let slots: UnsafeMutablePointer<ClientSlot>
    let capacity: Int
    /// Streams whose end has not been told.
    private(set) var liveCount = 0
    /// Slots that are not in the free list.
    private(set) var usedCount = 0

    /// Arenas that no slot has; the one that was given back last is taken first.
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

    /// Takes a free slot, without putting it among the live ones.
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

    /// The request of a slot has left: another one can have its memory.
    mutating func giveBackArena(of index: Int32) {
        let slot = self.slots + Int(index)
        guard let arena = slot.pointee.arena else { return }
        self.spareArenas.append((arena, slot.pointee.arenaCapacity))
        slot.pointee.arena = nil
        slot.pointee.arenaCapacity = 0
    }

    /// Gives a slot back.
    mutating func giveBack(_ index: Int32) {
        self.slots[Int(index)].streamID = 0
        self.slots[Int(index)].phase = .free
        self.slots[Int(index)].next = self.free
        self.free = index
        self.usedCount -= 1
    }

    /// Puts a slot at the young end of the live ones.
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

    /// Takes a slot out of the live ones.
    mutating func delist(_ index: Int32) {
        let (previous, next) = (self.slots[Int(index)].previous, self.slots[Int(index)].next)
        if previous == ClientSlot.none { self.oldest = next } else { self.slots[Int(previous)].next = next }
        if next == ClientSlot.none { self.newest = previous } else { self.slots[Int(next)].previous = previous }
        self.liveCount -= 1
    }

    /// The live stream that was submitted first.
    var oldestLive: Int32? { self.oldest == ClientSlot.none ? nil : self.oldest }

    /// Remembers a closed stream until ``nextClosed()``.
    mutating func noteClosed(_ index: Int32) {
        self.closed[self.closedCount] = index
        self.closedCount += 1
    }

    /// Whether a closed stream waits for ``nextClosed()``.
    var hasClosed: Bool { self.closedCount > 0 }

    /// A closed stream whose end is to be told; nil when all are.
    mutating func nextClosed() -> Int32? {
        guard self.closedCount > 0 else { return nil }
        self.closedCount -= 1
        return self.closed[self.closedCount]
    }
}
