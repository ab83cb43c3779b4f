#if PostgreSQL
import Campaigns
import Delivery
import Servers
import Synchronization
import Testing

@testable import Store

/// A primary that dies while a commit waits for its synchronous standby, which takes over.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct FailoverTests {
    /// The body runs again if and only if its first commit did not reach the standby.
    @Test(arguments: [(StandbyGap.received, 1), (.lost, 2)])
    func `a commit that only the dead primary has reported to nobody is asked for at the standby`(
        _ gap: StandbyGap,
        _ expected: Int
    ) async throws {
        let server = try PrivatePostgreSQL()
        defer { server.remove() }
        let standby = try server.addStandby()
        defer { standby.remove() }
        let url = server.url(try server.createDatabase())
        let ledger = try Ledger.open(postgreSQL: url, create: true, timeout: .seconds(60))
        try await ledger.write { try $0.noteCommit(1) }
        let receiver = try standby.freezeReceiver()
        let runs = Mutex(0)
        async let written: Void = ledger.write(.synced) { transaction in
            runs.withLock { $0 += 1 }
            try transaction.noteCommit(2)
        }
        try await eventually("the commit waits for the standby") { try server.waitingCommits() > 0 }
        try await server.fail(over: standby, receiver: receiver, gap)
        try await written
        #expect(runs.withLock { $0 } == expected)
        try await ledger.write { try $0.noteCommit(3) }
        let events = try await ledger.read { try $0.events(limit: 10) }
        #expect(events.map(\.correlationID) == ["1", "2", "3"])
        await ledger.close()
    }
}

extension LedgerTransaction {
    fileprivate func noteCommit(_ number: Int) throws(LedgerError) {
        try addEvent(correlationID: "\(number)") { _ in
            CampaignEvent(.accepted, app: "news", campaign: "derby", time: .start, data: .null)
        }
    }
}
#endif
