import Campaigns
import Delivery
import NIOCore
import NIOPosix
import Operations
import Settings
import Store

/// Operators' orders to a campaign, as the commands of `fanfare campaign` give them.
extension BenchFleet {
    /// Notes the broadcast channel of ``BenchJob/channel``.
    func addChannel() async throws {
        let channel = BroadcastChannel(
            app: BenchJob.urgentApp,
            name: BenchJob.channel,
            id: "dHN0LXNyY2gtY2hubA==",
            environment: .production,
            storage: .nothing,
            createdAt: WallClock.now().asRead
        )
        _ = try await ledger.write(.synced) { try $0.addChannel(channel) }
    }

    /// Changes a campaign's rate.
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

    /// Resumes a paused campaign.
    func resume(_ job: BenchJob) async throws {
        _ = try await order(job) { [ledger] in try $0.resume(campaign: $1, reason: .paused, now: ledger.now()) }
    }

    /// Fires a held campaign twice at once, as two operators would; returns the time of the first commit, in
    /// nanoseconds of CLOCK_MONOTONIC.
    func fire(_ job: BenchJob) async throws -> Int64 {
        async let one = order(job) { [ledger] in try $0.fire(campaign: $1, now: ledger.now()) }
        async let two = order(job) { [ledger] in try $0.fire(campaign: $1, now: ledger.now()) }
        return min(try await one, try await two)
    }

    /// Gives one order with a ledger connection of its own: a synced commit and a hint to all workers.
    ///
    /// - Returns: The time of the commit, in nanoseconds of CLOCK_MONOTONIC.
    private nonisolated func order(
        _ job: BenchJob,
        _ give: @escaping @Sendable (LedgerTransaction, UInt32) throws -> LifeResult
    ) async throws -> Int64 {
        let (app, id) = (job.job.app, job.job.id)
        let own = try Ledger.open(storage.location, create: false)
        let hint = ControlHint(broker.amqp, on: MultiThreadedEventLoopGroup.singleton.next())
        await hint.ready(within: .seconds(2))
        let result = try await own.write(.synced) { transaction in
            try transaction.reader.campaignNumber(app: app, id: id).map { try give(transaction, $0) }
        }
        let committed = Int64(NIODeadline.now().uptimeNanoseconds)
        await hint.send(at: "\(app)/\(id)")
        await hint.close()
        await own.close()
        guard result != .unknown, result != nil else { throw CommandFailure(.failed, "\(app)/\(id) is unknown") }
        return committed
    }
}
