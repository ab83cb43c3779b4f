/// The lines of a worker's log that no run may have, whatever goes wrong in it.
///
/// The sweep of messages that the broker has lost heals a shard that the fleet itself has forgotten, too, a quarter of
/// an hour later. A quorum queue loses nothing that it confirmed, so nothing may come to that.
enum LogLaws {
    private static let forbidden: Set = [
        "the law does not hold for a shard; it is parked",
        "a settlement has too few devices; its shard is parked",
        "the ledger never takes a campaign",
        "an event is dropped",
    ]

    /// The line of the sweep; where a clock jumps, a process may write the time before for a second (Faults).
    private static let swept = "shards without a message are published anew"

    /// Notes the message of a line; `mayJump` is true if a clock jumps in the run.
    static func logged(_ message: String, _ observer: Observer, mayJump: Bool) {
        let isForbidden = forbidden.contains(message) || message == swept && !mayJump
        observer.broke("a worker says: \(message)", if: isForbidden)
    }
}
