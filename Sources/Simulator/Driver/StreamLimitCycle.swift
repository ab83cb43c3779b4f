/// A connection's position in the sequence of stream limits that the faults define.
struct StreamLimitCycle {
    private var index = 0
    private var streams = 0

    /// Returns the current limit.
    func current(_ faults: Faults) -> Int {
        faults.streamLimits.isEmpty ? faults.streams : faults.streamLimits[index % faults.streamLimits.count]
    }

    /// Counts a stream; returns true if the next limit applies from now on.
    mutating func streamProcessed(_ faults: Faults) -> Bool {
        guard !faults.streamLimits.isEmpty else { return false }
        streams += 1
        guard streams >= faults.streamLimitsEvery else { return false }
        advance()
        return true
    }

    mutating func advance() {
        index += 1
        streams = 0
    }
}
