import Testing

/// The built executable as a fleet: producer, RabbitMQ, workers, ledger and a far side, one test after the other.
@Suite("End to end", .serialized, .timeLimit(.minutes(5)))
struct EndToEnd {}
