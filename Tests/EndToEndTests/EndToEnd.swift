import Servers
import Testing

/// The built executable as a fleet: producer, RabbitMQ, workers, ledger and a far side, one test after the other.
@Suite("End to end", .serialized, .timeLimit(.minutes(FullSuite.isOn ? 60 : 5)))
struct EndToEnd {}
