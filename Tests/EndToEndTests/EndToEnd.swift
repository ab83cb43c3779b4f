import Servers
import Testing

/// The built executable as a fleet of producer, RabbitMQ, workers, ledger and simulator, few fleets at once.
///
/// The time limit ends a run that hangs; it includes the wait for a permit.
@Suite("End to end", .fewFleetsAtOnce, .timeLimit(.minutes(FullSuite.isOn ? 120 : 30)))
struct EndToEnd {}
