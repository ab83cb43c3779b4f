extension EdgeLoad {
    /// The result of a rush.
    struct Report: Sendable {
        /// Times from a request's due instant to its answer, in microseconds, sorted once closed.
        private(set) var latencies: [UInt32] = []
        /// Answers by status.
        private(set) var statuses: [Int: Int] = [:]
        /// Requests that were never answered.
        var unanswered = 0
        /// CPU of the thread that sends and receives, in seconds.
        var cpuSeconds = 0.0

        /// Reserves room for so many answers.
        init(capacity: Int) { latencies.reserveCapacity(capacity) }

        /// Adds an answer.
        mutating func add(status: Int, microseconds: UInt32) {
            statuses[status, default: 0] += 1
            latencies.append(microseconds)
        }

        /// Sorts the latencies when all answers are in.
        mutating func close() { latencies.sort() }

        /// Returns the latency in milliseconds that covers a share of the answers; nil for none.
        func percentile(_ share: Double) -> Double? {
            guard !latencies.isEmpty else { return nil }
            let rank = Int((share * Double(latencies.count)).rounded(.up))
            return Double(latencies[min(latencies.count - 1, max(0, rank - 1))]) / 1000
        }
    }
}
