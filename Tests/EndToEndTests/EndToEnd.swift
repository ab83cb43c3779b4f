import Servers
import Testing

/// The built executable as a fleet: producer, RabbitMQ, workers, ledger and a far side, few of them at once.
///
/// The limit ends a run that hangs; the wait for a place counts too.
@Suite("End to end", .fewFleetsAtOnce, .timeLimit(.minutes(FullSuite.isOn ? 120 : 30)))
struct EndToEnd {}
