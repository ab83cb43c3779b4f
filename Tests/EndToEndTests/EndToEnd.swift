import Testing

/// The built executable as a fleet of producer, RabbitMQ, workers, ledger and simulator, few fleets at once.
@Suite("End to end", .fewFleetsAtOnce)
struct EndToEnd {}
