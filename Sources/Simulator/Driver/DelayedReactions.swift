import NIOCore

/// Delayed reactions: a binary heap, earliest first, equal times in the order of arrival.
struct DelayedReactions {
    struct Element {
        let due: NIODeadline
        let order: UInt64
        let streamID: Int32
        let reaction: Reaction
    }

    private var heap: [Element] = []
    private var nextOrder: UInt64 = 0

    var earliest: NIODeadline? { heap.first?.due }

    mutating func add(_ reaction: Reaction, streamID: Int32, due: NIODeadline) {
        heap.append(Element(due: due, order: nextOrder, streamID: streamID, reaction: reaction))
        nextOrder += 1
        var child = heap.count - 1
        while child > 0, Self.precedes(heap[child], heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes and returns the earliest reaction, if it is due.
    mutating func takeDue(_ now: NIODeadline) -> Element? {
        guard let first = heap.first, first.due <= now else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && Self.precedes(heap[child], heap[least]) {
                least = child
            }
            if least == parent { return first }
            heap.swapAt(least, parent)
            parent = least
        }
    }

    private static func precedes(_ one: Element, _ other: Element) -> Bool {
        one.due != other.due ? one.due < other.due : one.order < other.order
    }
}
