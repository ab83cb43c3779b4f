import Store

/// Counts of what a worker's tracking role has written since the process began.
struct TrackingCounters: Sendable {
    private(set) var results = TrackingResult()
    private(set) var commits = 0

    mutating func wrote(_ result: TrackingResult) {
        results = results + result
        commits += 1
    }
}
