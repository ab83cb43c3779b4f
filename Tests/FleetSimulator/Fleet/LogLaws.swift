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
        "shards without a message are published anew",
    ]

    /// Notes the message of a line.
    static func logged(_ message: String, _ observer: Observer) {
        observer.broke("a worker says: \(message)", if: forbidden.contains(message))
    }
}
