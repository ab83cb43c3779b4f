import Campaigns
import Delivery
import Store
import Testing

/// The devices that other campaigns have waiting, as a forecast asks for them.
@Suite(.fewLedgersAtOnce)
struct WaitingTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private func waiting(exceptID id: String = "other", begin: Timestamp = .start) async throws -> [WaitingDevices] {
        try await ledger.read {
            try $0.waitingDevices(exceptApp: "news", id: id, begin: begin, now: .start)
        }
    }

    @Test(arguments: TestDatabase.all)
    func `what waits is counted by provider, for campaigns that may be sent now`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        _ = try await ledger.accepted(Sample.mixed())
        let shop = Sample.facts(app: "shop", id: "sale", urgency: .urgent)
        _ = try await ledger.accepted(Sample.campaign([4, 4, 2], facts: shop))
        let all = try await waiting().sorted { $0.app < $1.app }
        #expect(
            all == [
                WaitingDevices(app: "news", urgency: .bulk, devices: [.apns: 6, .fcm: 8]),
                WaitingDevices(app: "shop", urgency: .urgent, devices: [.apns: 10]),
            ]
        )
        // The job itself may be a campaign already.
        #expect(try await waiting(exceptID: "derby").map(\.app) == ["shop"])
    }

    @Test(arguments: TestDatabase.all)
    func `what is paused, held or begins later is in nobody's way`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let held = NewCampaign.Release(isHeld: true)
        _ = try await ledger.accepted(Sample.campaign(facts: Sample.facts(id: "held"), release: held))
        let later = NewCampaign.Release(sendAt: .start + 600)
        _ = try await ledger.accepted(Sample.campaign(facts: Sample.facts(id: "later"), release: later))
        let paused = try await ledger.accepted(Sample.campaign(facts: Sample.facts(id: "paused")))
        _ = try await ledger.write(.synced) { try $0.pause(campaign: paused, now: .start) }
        #expect(try await waiting().isEmpty)
        // Whoever begins later meets it.
        #expect(try await waiting(begin: .start + 600).count == 1)
    }

    @Test(arguments: TestDatabase.all)
    func `a list's devices are counted by provider`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        _ = try await ledger.accepted(Sample.mixed())
        // The devices of the first campaign are the first list.
        #expect(try await ledger.read { try $0.deviceCounts(list: 1) } == [.apns: 6, .fcm: 8])
    }
}
