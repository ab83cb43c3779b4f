import Campaigns
import Delivery
import Store
import Testing

@Suite("Devices that no push reached", .fewLedgersAtOnce)
struct UnnotifiedTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    /// Sends a campaign to the tokens 0 to 5, one end each, until it is completed.
    private func sent(_ id: String = "derby", allAccepted: Bool = false) async throws -> UInt32 {
        var campaign = Sample.campaign([6], facts: Sample.facts(id: id), identity: id)
        campaign.kind = .announcement
        let number = try await ledger.accepted(campaign)
        for shard in try await ledger.planned(number) {
            let (record, token) = try await ledger.running(shard.record.id.key)
            let settlement = try Settlement.of(
                .accepted(record.count) { progress in
                    if allAccepted { return }
                    progress.end(1, .invalid, Progress.Note(reason: "Unregistered", deadSince: .start))
                    progress.end(2, .failed, Progress.Note(reason: "PayloadTooLarge"))
                    progress.end(3, .failed, Progress.Note(reason: "Unknown"))
                    progress.end(4, .skipped, Progress.Note(reason: "OptedOut", requests: 0))
                    progress.end(5, .skipped, Progress.Note(reason: "Aborted", requests: 0))
                }
            )
            _ = try await ledger.write(.synced, scope: .shards) { try $0.settle(token, settlement, now: .start) }
        }
        #expect(
            try await ledger.read { try $0.unnotifiedCampaigns(now: .start, limit: 10) }.allSatisfy {
                $0.campaign != number
            }
        )
        _ = try await ledger.write(.synced) { try $0.completeIfDone(campaign: number, now: .start) }
        return number
    }

    private func unnotified(_ now: Timestamp = .start) async throws -> [UInt32] {
        try await ledger.read { try $0.unnotifiedCampaigns(now: now, limit: 10) }.map(\.campaign)
    }

    @Test(arguments: TestDatabase.all)
    func `a completed campaign is remembered until its end while devices were not reached, and then not`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let all = try await sent("all", allAccepted: true)
        let some = try await sent("some")
        #expect(try await unnotified() == [some] && all != some)
        let found = try #require(try await ledger.read { try $0.unnotifiedCampaigns(now: .start, limit: 1) }.first)
        #expect(found.app == "news" && found.expiresAt == .start + 3600)
        #expect(try await unnotified(.start + 3600) == [])
        #expect(try await ledger.read { try $0.unnotifiedChunks(campaign: some, from: 0, limit: 9) } == [0])
        #expect(try await ledger.read { try $0.unnotifiedChunks(campaign: all, from: 0, limit: 9) } == [])
        var more = true
        while more {
            more = try await ledger.write { try $0.purge(campaign: some, Retention(), now: .start + 400 * 86_400) }
        }
        #expect(try await unnotified() == [])
    }

    @Test(arguments: TestDatabase.all)
    func `a device is told of what it could not get: not what it may have got, or was to hear nothing of`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        // The registry names the campaign's devices `device-0` and so on; one token now belongs to another device.
        for number in 0..<6 {
            try await ledger.register(Sample.registration("phone-\(number)"), token: number)
        }
        try await ledger.register(Sample.registration("device-2"), token: 77)
        let number = try await sent()
        let results = try await ledger.read { try $0.deviceResults(campaign: number, chunks: 0..<1) }
        var (ofRegistry, ofList) = (
            UnnotifiedDevices(app: "news", ofRegistry: true), UnnotifiedDevices(app: "news", ofRegistry: false)
        )
        for result in results {
            ofRegistry.add(result)
            ofList.add(result)
        }
        var found: [UInt32?] = []
        for index in 0..<6 {
            let device = try #require(try await ledger.device("phone-\(index)"))
            found.append(ofList.index(of: device))
        }
        #expect(found == [nil, 1, 2, nil, 4, nil])
        let renewed = try #require(try await ledger.device("device-2"))
        #expect(ofRegistry.index(of: renewed) == 2)
        // A list's names are its producer's: a device registered under one of them is unrelated.
        #expect(ofList.index(of: renewed) == nil)
    }

    @Test(arguments: TestDatabase.all) func `whoever has told more than that it came is told no more`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await sent()
        func track(_ device: UInt32, _ type: TrackedType, _ surface: TrackedSurface, _ detail: String = "") async throws
        {
            let who = TrackedDevice(app: "news", campaign: number, index: device, registered: Int64(device))
            let event = TrackingEvent(device: who, type: type, surface: surface, detail: detail, at: .start)
            _ = try await ledger.write { try $0.track([.event(event)], Retention(), now: .start) }
        }
        func told(_ device: UInt32) async throws -> Bool {
            try await ledger.read { try $0.told([(number, device), (number + 1, device)]) } == [number]
        }
        try await track(1, .received, .system)
        #expect(try await !told(1))
        try await track(1, .dropped, .inApp, "Declined")
        #expect(try await told(1))
        for (device, type) in [(2, TrackedType.displayed), (3, .exited), (4, .opened)] {
            #expect(try await !told(UInt32(device)))
            try await track(UInt32(device), type, .system)
            #expect(try await told(UInt32(device)))
        }
    }
}
