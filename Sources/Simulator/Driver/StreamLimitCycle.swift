/// Where a connection is in the stream limits that the faults make it go through.
struct StreamLimitCycle {
    private var place = 0
    private var streams = 0

    /// The limit that holds now.
    func current(_ faults: Faults) -> Int {
        faults.streamLimits.isEmpty ? faults.streams : faults.streamLimits[place % faults.streamLimits.count]
    }

    /// Counts a stream; true when the next limit holds from now on.
    mutating func streamProcessed(_ faults: Faults) -> Bool {
        guard !faults.streamLimits.isEmpty else { return false }
        streams += 1
        guard streams >= faults.streamLimitsEvery else { return false }
        advance()
        return true
    }

    mutating func advance() {
        place += 1
        streams = 0
    }
}
