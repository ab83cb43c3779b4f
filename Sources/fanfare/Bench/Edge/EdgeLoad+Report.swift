extension EdgeLoad {
    /// What came of a rush.
    struct Report: Sendable {
        /// From a request's instant to its answer, in microseconds, in order of size.
        private(set) var latencies: [UInt32] = []
        /// Answers by status.
        private(set) var statuses: [Int: Int] = [:]
        /// Requests that were never answered.
        var unanswered = 0
        /// CPU of the thread that sent and took the answers.
        var cpuSeconds = 0.0

        /// Room for so many answers.
        init(capacity: Int) { latencies.reserveCapacity(capacity) }

        /// Adds an answer.
        mutating func add(status: Int, microseconds: UInt32) {
            statuses[status, default: 0] += 1
            latencies.append(microseconds)
        }

        /// All answers are in.
        mutating func close() { latencies.sort() }

        /// The smallest latency in milliseconds that a share does not exceed.
        func percentile(_ share: Double) -> Double? {
            guard !latencies.isEmpty else { return nil }
            let rank = Int((share * Double(latencies.count)).rounded(.up))
            return Double(latencies[min(latencies.count - 1, max(0, rank - 1))]) / 1000
        }
    }
}
