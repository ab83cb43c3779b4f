import Logging
import Operations
import PushProviders

/// Compares this machine's clock with the broker's every minute.
///
/// Campaigns begin and end by the clocks of the workers' machines. A wrong clock sends too late or not at all, and it
/// looks as if the campaign were to blame. A SQLite ledger has no other clock than this machine's.
struct ClockProbe: Sendable {
    let management: ManagementAPI
    let health: HealthRecorder
    let logger: Logger

    /// Compares until the task is cancelled.
    func run() async {
        var wasWrong = false
        while !Task.isCancelled {
            wasWrong = await probe(wasWrong)
            try? await Task.sleep(for: .seconds(60))  // a cancelled sleep ends the loop
        }
    }

    /// Compares once and returns true if one of the clocks is wrong, of which the log tells once.
    ///
    /// A broker that does not tell its time is not an error.
    private func probe(_ wasWrong: Bool) async -> Bool {
        guard let skew = try? await management.clockSkew(), skew.isNoteworthy else {
            health.compared(brokerSkew: nil)
            return false
        }
        health.compared(brokerSkew: Int64(skew.lead / .milliseconds(1)))
        if !wasWrong { logger.warning("clock skew: \(skew.text(of: "the broker")); set the wrong one right") }
        return true
    }
}
