import Campaigns
import Delivery
import Store
import Testing

/// The reasons of states, as the ledger knows them, and of retries.
@Suite(.fewLedgersAtOnce) struct StateReasonTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    /// Plans a campaign of one shard, of whose devices two are tried again and the others are accepted.
    private func retrying(_ devices: Int = 4) async throws -> (number: UInt32, child: ShardRecord) {
        let number = try await ledger.accepted(Sample.campaign([devices]))
        _ = try await ledger.planned(number)
        let (_, token) = try await ledger.running(key(number, 0))
        let progress = Progress.accepted(devices) { progress in
            progress.retry(1, .seconds30, Progress.Note(reason: "TooManyRequests"))
            progress.retry(2, .seconds30, Progress.Note(reason: "Shutdown"))
        }
        let settlement = try Settlement.of(progress)
        let result = try await ledger.write(.synced) { try $0.settle(token, settlement, now: .start) }
        guard case .settled(let children) = result else { throw LedgerError.failed("\(result)") }
        return (number, try #require(children.first))
    }

    private func live() async throws {
        _ = try await ledger.write {
            try $0.registerWorker(name: "a", roles: ["sender"], accounts: .apns(["news"]), now: .start)
        }
    }

    @Test(arguments: TestDatabase.all) func `a retry's row keeps why its devices are tried again`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await live()
        let (number, _) = try await retrying()
        let status = try await ledger.status(number)
        #expect(status.retryReasons == ["TooManyRequests": 1, "Shutdown": 1])
        #expect(status.retries == [.seconds30: 2])
        #expect(status.stateFacts.retries.until == .start + 30)
        let text = try #require(status.stateReason)
        let due = Timestamp.start + 30
        #expect(text == "2 devices are tried again at \(due.rfc3339) after Shutdown, TooManyRequests")
        let rungs = try await ledger.read { try $0.rungWaits() }
        #expect(rungs[.seconds30]?.devices == 2 && rungs[.seconds30]?.reasons == status.retryReasons)
        #expect(rungs[.seconds30]?.from == .start + 30 && rungs.count == 1)
    }

    @Test(arguments: TestDatabase.all) func `devices that expired on a rung are told with the reason of their last try`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (number, _) = try await retrying()
        let end = Timestamp.start + 3600
        #expect(try await ledger.write(.synced) { try $0.endDue(now: end).expired } == [number])
        let status = try await ledger.status(number, now: end)
        #expect(status.state == "completed" && status.counts.expired == 2 && status.retryReasons.isEmpty)
        let text = try #require(status.stateReason)
        #expect(text.hasPrefix("2 devices expired: the end at "))
        #expect(text.hasSuffix("came before another try after Shutdown, TooManyRequests"))
    }

    @Test(arguments: TestDatabase.all)
    func `devices that expired in their run keep the reason, and accepted ones take none with them`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let (number, child) = try await retrying()
        let (_, token) = try await ledger.running(child.id.key)
        // One of the two is accepted, the other cannot come back in time.
        let progress = Progress.accepted(2) { $0.end(1, .expired, Progress.Note(reason: "TooManyRequests")) }
        let settlement = try Settlement.of(progress, attempt: 2)
        _ = try await ledger.write(.synced) { transaction in
            _ = try transaction.settle(token, settlement, now: .start + 40)
            _ = try transaction.completeIfDone(campaign: number, now: .start + 40)
        }
        let status = try await ledger.status(number, now: .start + 40)
        #expect(status.counts.expired == 1)
        #expect(status.stateReason?.hasSuffix("came before another try after TooManyRequests") == true)
    }

    @Test(arguments: TestDatabase.all) func `the history and the end keep what a campaign waited for when it expired`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await live()
        let number = try await ledger.accepted()
        _ = try await ledger.planned(number)
        _ = try await ledger.write(.synced) { try $0.pause(campaign: number, by: "ana", now: .start) }
        let end = Timestamp.start + 3600
        _ = try await ledger.write(.synced) { try $0.endDue(now: end) }
        let status = try await ledger.status(number, now: end)
        #expect(status.stateReason?.hasSuffix("came before their first try (paused)") == true)
        let entries = try await ledger.read { try $0.history(campaign: number, now: end) }
        let expired = try #require(entries.first { $0.kind == .expired })
        #expect(expired.data["reason"]?.string == "paused")
    }

    @Test(arguments: TestDatabase.all) func `a cancelled campaign says by whom`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        _ = try await ledger.write(.synced) { try $0.cancel(campaign: number, by: "ana", now: .start) }
        #expect(try await ledger.status(number).stateReason == "by ana")
    }

    @Test(arguments: TestDatabase.all) func `a row of an earlier version has no reasons, and is a retry all the same`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await live()
        let (number, _) = try await retrying()
        _ = try scratch.execute("UPDATE shards SET retry_reasons = NULL")
        let status = try await ledger.status(number)
        #expect(status.retryReasons.isEmpty && status.pending.retrying == 2)
        #expect(StateReason.codes(status.stateReasons) == ["retry"])
    }

    @Test(arguments: TestDatabase.all) func `refused jobs are counted apart from what the fleet could not handle`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let parked: [(String, String)] = [
            (BrokerNames.campaignsQueue, "InvalidJob"), (BrokerNames.urgentCampaignsQueue, "CampaignConflict"),
            (BrokerNames.campaignsQueue, "Expiration"), (BrokerNames.campaignsQueue, "LedgerError"),
            ("fanfare.v1.work.apns.bulk", "Expiration"), ("fanfare.v1.work.apns.bulk", "WorkerDied"),
        ]
        try await ledger.write(.synced) { transaction in
            for (queue, reason) in parked {
                try transaction.park(ParkedMessage(queue: queue, reason: reason, body: [1], at: .start))
            }
        }
        #expect(try await ledger.read { try $0.parkedCounts() } == ParkedCounts(fleets: 3, producers: 3))
    }
}
