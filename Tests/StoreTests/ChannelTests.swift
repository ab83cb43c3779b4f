import Campaigns
import Store
import Testing

/// The channels of apps.
@Suite(.fewLedgersAtOnce)
struct ChannelTests {
    private let scratch = ScratchLedger()

    private func channel(_ name: String, id: String, app: String = "news") -> BroadcastChannel {
        BroadcastChannel(
            app: app,
            name: name,
            id: id,
            environment: .sandbox,
            storage: .latest,
            createdAt: .start
        )
    }

    @Test(arguments: TestDatabase.all)
    func `a channel is found by app and name, and has one name`(_ database: TestDatabase) async throws {
        let ledger = try scratch.open(on: database)
        func add(_ channel: BroadcastChannel) async throws -> Bool {
            try await ledger.write(.synced) { try $0.addChannel(channel) }
        }
        let derby = channel("derby-21", id: "dHN0LXNyY2gtY2hubA==")
        #expect(try await add(derby))
        #expect(try await !add(channel("derby-21", id: "b3RoZXI=")), "the name is taken")
        #expect(try await !add(channel("other", id: derby.id)), "the id has a name")
        #expect(try await add(channel("derby-21", id: derby.id, app: "shop")), "another app's are its own")
        #expect(try await add(channel("a", id: "YQ==")))
        #expect(try await ledger.read { try $0.channel(app: "news", name: "derby-21") } == derby)
        #expect(try await ledger.read { try $0.channel(app: "news", name: "nobody") } == nil)
        #expect(try await ledger.read { try $0.channels(app: "news") }.map(\.name) == ["a", "derby-21"])
        #expect(try await ledger.read { try $0.channels() }.map(\.app) == ["news", "news", "shop"])
    }

    @Test(arguments: TestDatabase.all)
    func `a channel that is removed leaves its name and those of others`(_ database: TestDatabase) async throws {
        let ledger = try scratch.open(on: database)
        let derby = channel("derby-21", id: "dHN0LXNyY2gtY2hubA==")
        _ = try await ledger.write(.synced) { try $0.addChannel(derby) }
        let other = channel("derby-21", id: derby.id, app: "shop")
        _ = try await ledger.write(.synced) { try $0.addChannel(other) }
        #expect(try await ledger.write(.synced) { try $0.removeChannel(app: "news", name: "derby-21") })
        #expect(try await !ledger.write(.synced) { try $0.removeChannel(app: "news", name: "derby-21") })
        #expect(try await ledger.read { try $0.channels() }.map(\.app) == ["shop"])
        #expect(try await ledger.write(.synced) { try $0.addChannel(derby) }, "the name is free again")
    }
}
