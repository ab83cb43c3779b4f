import Campaigns
import Delivery
import Logging
import NIOCore
import Operations
import Settings
import Store

/// Polls the ledger every 500 ms, or at a hint: for campaigns running here that were paused, cancelled, superseded or
/// have expired, for the routes of held campaigns, and for an order to read the files again.
struct LedgerPoll: Sendable {
    let context: WorkerContext
    let core: NIOLoopBound<WorkerCore>
    let loop: any EventLoop
    let signal: WakeSignal

    /// The time between two looks at which connections to keep: short beside the life of a provider token.
    private static let warmPause = Duration.seconds(10)

    /// Polls until the task is cancelled.
    func run() async {
        let sends = context.configuration.worker.roles.contains(.sender)
        var warmAt = ContinuousClock.now
        while !Task.isCancelled {
            await signal.wait(upTo: .milliseconds(500))
            let asked = NIODeadline.now()
            let warms = sends && ContinuousClock.now >= warmAt
            do {
                let numbers = try await loop.submit { core.value.coordinator.shards.campaigns }.get()
                let (facts, shares, quiet, held, order, senders) = try await context.ledger.read { reader in
                    let facts = try reader.campaigns(numbers)
                    let now = context.ledger.now()
                    let shares = try facts.reduce(into: [ShardKey: CampaignFacts]()) { shares, campaign in
                        shares.merge(try reader.runsByShare(campaign)) { $1 }
                    }
                    let quiet = try facts.filter(\.hasQuietHours).flatMap { try reader.runsInQuiet($0.number, at: now) }
                    let held = sends ? try reader.heldRoutes() : []
                    let senders = warms ? try reader.liveWorkers(now: now).filter { $0.roles.contains("sender") } : []
                    return (facts, shares, Set(quiet), held, try reader.reloadOrder(), senders.count)
                }
                let isReloadOrdered = context.reloads.polled(order)
                if warms { warmAt = .now + Self.warmPause }
                let warmConnections = context.configuration.worker.warmConnections
                loop.execute { [core] in
                    core.value.coordinator.tell { $0.polled(facts, shares: shares, quiet: quiet, at: $1) }
                    core.value.coordinator.loops.warm(held, of: context.apps)
                    if warms {
                        core.value.coordinator.loops.keepWarm(warmConnections, workers: senders, of: context.apps)
                    }
                    core.value.ledgerRead(at: asked)
                    if isReloadOrdered { core.value.reloadAsked() }
                }
            } catch {
                context.logger.error("the ledger does not answer a poll", metadata: ["error": "\(error)"])
            }
        }
    }
}
