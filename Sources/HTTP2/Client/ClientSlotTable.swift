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
        slots = .allocate(capacity: capacity)
        closed = .allocate(capacity: capacity)
        for index in (0..<capacity).reversed() {
            var slot = ClientSlot()
            slot.next = free
            (slots + index).initialize(to: slot)
            free = Int32(index)
        }
    }

    deinit {
        for index in 0..<capacity { slots[index].free() }
        for arena in spareArenas { arena.base.deallocate() }
        slots.deallocate()
        closed.deallocate()
    }

    subscript(_ index: Int32) -> UnsafeMutablePointer<ClientSlot> { slots + Int(index) }

    /// Takes a free slot without adding it to the live ones.
    mutating func take() -> Int32? {
        guard free != ClientSlot.none else { return nil }
        let index = free
        free = slots[Int(index)].next
        slots[Int(index)].reset()
        if slots[Int(index)].arena == nil, let spare = spareArenas.popLast() {
            slots[Int(index)].arena = spare.base
            slots[Int(index)].arenaCapacity = spare.capacity
        }
        usedCount += 1
        return index
    }

    /// Frees the arena of a slot whose request was sent, for another request.
    mutating func giveBackArena(of index: Int32) {
        let slot = slots + Int(index)
        guard let arena = slot.pointee.arena else { return }
        spareArenas.append((arena, slot.pointee.arenaCapacity))
        slot.pointee.arena = nil
        slot.pointee.arenaCapacity = 0
    }

    /// Returns a slot to the free list.
    mutating func giveBack(_ index: Int32) {
        slots[Int(index)].streamID = 0
        slots[Int(index)].phase = .free
        slots[Int(index)].next = free
        free = index
        usedCount -= 1
    }

    /// Appends a slot to the list of live streams, as the youngest.
    mutating func enlist(_ index: Int32) {
        slots[Int(index)].previous = newest
        slots[Int(index)].next = ClientSlot.none
        if newest == ClientSlot.none {
            oldest = index
        } else {
            slots[Int(newest)].next = index
        }
        newest = index
        liveCount += 1
    }

    /// Removes a slot from the list of live streams.
    mutating func delist(_ index: Int32) {
        let (previous, next) = (slots[Int(index)].previous, slots[Int(index)].next)
        if previous == ClientSlot.none { oldest = next } else { slots[Int(previous)].next = next }
        if next == ClientSlot.none { newest = previous } else { slots[Int(next)].previous = previous }
        liveCount -= 1
    }

    /// The live stream that was submitted first.
    var oldestLive: Int32? { oldest == ClientSlot.none ? nil : oldest }

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
