package import Delivery
import NIOPosix
package import Store
package import Transport

/// The order to all workers to read their files again, and their answers; the command and the HTTP API share it.
package enum FleetReload {
    /// The time between two readings of the answers; workers look for orders every half a second.
    private static let interval = Duration.milliseconds(100)
    /// The longest wait for a broker that takes the hint to workers of earlier versions.
    private static let hintTimeout = Duration.seconds(2)

    /// Gives the order and returns the answers, which are not there yet.
    package static func order(
        by actor: String,
        in ledger: Ledger,
        isDryRun: Bool = false
    ) async throws(LedgerError) -> ReloadStanding {
        let now = ledger.now()
        return try await ledger.order(isDryRun: isDryRun) { transaction in
            let order = try transaction.orderReload(by: actor, now: now)
            return ReloadStanding(order, workers: try transaction.reader.knownWorkers(now: now), now: now)
        }
    }

    /// Returns the answers to the newest order; nil if none was ever given.
    package static func standing(in ledger: Ledger) async throws(LedgerError) -> ReloadStanding? {
        let now = ledger.now()
        return try await ledger.read { reader in
            guard let order = try reader.reloadOrder() else { return nil }
            return ReloadStanding(order, workers: try reader.knownWorkers(now: now), now: now)
        }
    }

    /// Waits until every worker that lives has answered, or the time is over, and returns the last answers.
    ///
    /// A later order takes the place of this one: whoever answers it has answered both.
    package static func answers(
        to standing: ReloadStanding,
        within time: Duration,
        in ledger: Ledger
    ) async throws -> ReloadStanding {
        var latest = standing
        let end = ContinuousClock.now + time
        while latest.isAwaited, .now < end {
            try await Task.sleep(for: interval)
            latest = try await self.standing(in: ledger) ?? latest
        }
        return latest
    }

    /// Tells workers of earlier versions, which do not look for the order, through the broker, if it can be reached.
    package static func hint(_ standing: ReloadStanding, _ endpoint: AMQPEndpoint) async {
        let hint = ControlHint(endpoint, on: MultiThreadedEventLoopGroup.singleton.next())
        await hint.ready(within: hintTimeout)
        await hint.reload(standing.order)
        await hint.close()
    }
}
