/// Actions in the order of their instants; those of one instant in the order in which they were added.
struct TimerHeap<Action> {
    private struct Entry {
        var at: Int64
        var order: UInt64
        var action: Action

        func isBefore(_ other: Entry) -> Bool { (at, order) < (other.at, other.order) }
    }

    private var entries: [Entry] = []
    private var added: UInt64 = 0

    /// The earliest instant; nil without an action.
    var next: Int64? { entries.first?.at }

    mutating func add(at instant: Int64, _ action: Action) {
        entries.append(Entry(at: instant, order: added, action: action))
        added += 1
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].isBefore(entries[parent]) else { break }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the earliest action if its instant has come.
    mutating func popDue(_ now: Int64) -> Action? {
        guard let first = entries.first, first.at <= now else { return nil }
        let last = entries.removeLast()
        if !entries.isEmpty {
            entries[0] = last
            sink()
        }
        return first.action
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
                if entries[child].isBefore(entries[least]) { least = child }
            }
            guard least != parent else { return }
            entries.swapAt(parent, least)
            parent = least
        }
    }
}
