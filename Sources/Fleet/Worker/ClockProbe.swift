import Logging
import PushProviders

/// Holds this machine's clock against the broker's, every ten minutes.
///
/// Campaigns begin and end by the clocks of the machines that workers run on; one that is wrong sends too late or
/// not at all, and looks as if the campaign were to blame. A SQLite ledger has no clock but this machine's.
struct ClockProbe: Sendable {
    let management: ManagementAPI
    let logger: Logger

    /// Looks until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await look()
            try? await Task.sleep(for: .seconds(600))  // a cancelled sleep ends the loop
        }
    }

    /// Looks once; a broker that does not say its time is no fault.
    func look() async {
        guard let skew = try? await management.clockSkew(), skew.isNoteworthy else { return }
        logger.warning("clock skew: \(skew.text(of: "the broker")); set the wrong one right")
    }
}
