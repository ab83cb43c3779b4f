import Campaigns
import Delivery
import Fleet
import NIOCore
import NIOPosix
import Store

/// What operators do to a campaign, as the commands of `fanfare campaign` do it.
extension BenchFleet {
    /// Gives a campaign another rate.
    func pace(_ job: BenchJob, _ pace: Pace) async throws {
        let (app, id) = (job.job.app, job.job.id)
        _ = try await ledger.write(.synced) { [ledger] transaction in
            try transaction.reader.campaignNumber(app: app, id: id).map {
                try transaction.setPace(campaign: $0, pace, now: ledger.now())
            }
        }
    }

    /// Cancels a campaign and returns at once.
    @discardableResult
    func cancel(_ job: BenchJob) async throws -> Int64 {
        wasCut = true
        return try await order(job) { [ledger] in try $0.cancel(campaign: $1, now: ledger.now()) }
    }

    /// Pauses a campaign.
    func pause(_ job: BenchJob) async throws -> Int64 {
        try await order(job) { [ledger] in try $0.pause(campaign: $1, now: ledger.now()) }
    }

    /// Lets a paused campaign go on.
    func resume(_ job: BenchJob) async throws {
        _ = try await order(job) { [ledger] in try $0.resume(campaign: $1, reason: .paused, now: ledger.now()) }
    }

    /// Fires a held campaign twice at once, as two operators would; when the first commit was done, in nanoseconds of
    /// CLOCK_MONOTONIC.
    func fire(_ job: BenchJob) async throws -> Int64 {
        async let one = order(job) { [ledger] in try $0.fire(campaign: $1, now: ledger.now()) }
        async let two = order(job) { [ledger] in try $0.fire(campaign: $1, now: ledger.now()) }
        return min(try await one, try await two)
    }

    /// One order from a process of its own: a synced commit and a hint to all workers.
    ///
    /// - Returns: When the commit was done, in nanoseconds of CLOCK_MONOTONIC.
    private nonisolated func order(
        _ job: BenchJob,
        _ give: @escaping @Sendable (LedgerTransaction, UInt32) throws -> LifeResult
    ) async throws -> Int64 {
        let (app, id) = (job.job.app, job.job.id)
        let own = try Ledger.open(place.location, create: false)
        let hint = ControlHint(broker.amqp, on: MultiThreadedEventLoopGroup.singleton.next())
        await hint.ready(within: .seconds(2))
        let result = try await own.write(.synced) { transaction in
            try transaction.reader.campaignNumber(app: app, id: id).map { try give(transaction, $0) }
        }
        let committed = Int64(NIODeadline.now().uptimeNanoseconds)
        await hint.look(at: "\(app)/\(id)")
        await hint.close()
        await own.close()
        guard result != .unknown, result != nil else { throw CommandFailure(.failed, "nobody knows \(app)/\(id)") }
        return committed
    }
}
