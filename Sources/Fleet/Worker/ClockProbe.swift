import Logging
import Operations
import PushProviders

/// Compares this machine's clock with the broker's every ten minutes.
///
/// Campaigns begin and end by the clocks of the workers' machines. A wrong clock sends too late or not at all, and it
/// looks as if the campaign were to blame. A SQLite ledger has no other clock than this machine's.
struct ClockProbe: Sendable {
    let management: ManagementAPI
    let logger: Logger

    /// Compares until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await probe()
            try? await Task.sleep(for: .seconds(600))  // a cancelled sleep ends the loop
        }
    }

    /// Compares once; a broker that does not tell its time is not an error.
    func probe() async {
        guard let skew = try? await management.clockSkew(), skew.isNoteworthy else { return }
        logger.warning("clock skew: \(skew.text(of: "the broker")); set the wrong one right")
    }
}
