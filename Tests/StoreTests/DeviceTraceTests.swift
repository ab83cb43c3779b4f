import Campaigns
import Delivery
import Store
import Testing

/// The data of `device trace`.
@Suite(.fewLedgersAtOnce)
struct DeviceTraceTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private func trace(
        _ number: Int? = nil,
        id: String? = nil,
        app: String = "news",
        since: Timestamp = Timestamp(milliseconds: 0)
    ) async throws -> [DeviceTrace] {
        let tokens = Set([number.map { Sample.token($0) }].compactMap { $0 })
        let devices = TracedDevices(tokens: tokens, ids: Set([id].compactMap { $0 }))
        return try await ledger.trace(devices, app: app, since: since)
    }

    @Test(arguments: TestDatabase.all) func `a device's attempts are told with reasons and times`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([3, 2]))
        _ = try await ledger.planned(number, max: 1, now: .start + 1)
        let (_, first) = try await ledger.running(key(number, 0), now: .start + 2)
        let failed = try Settlement.of(
            .accepted(3) { $0.retry(1, .seconds5, Progress.Note(reason: "Shutdown", requests: 2)) }
        )
        _ = try await ledger.write(scope: .shards) { try $0.settle(first, failed, now: .start + 3) }

        let waiting = try #require(try await trace(1).first)
        #expect(waiting.campaign.id == "derby" && waiting.id == "device-1" && waiting.index == 1)
        #expect(waiting.outcome == nil && waiting.requests == 2 && waiting.reason == "Shutdown")
        #expect(waiting.steps.map(\.attempt) == [1, 2] && waiting.steps.last?.rung == .seconds5)
        #expect(waiting.steps.last?.dueAt == .start + 8 && waiting.steps.last?.begunAt == nil)

        let (_, second) = try await ledger.running(key(number, 0, 1), now: .start + 9)
        let last = try Settlement.of(.accepted(1), attempt: 2)
        _ = try await ledger.write(scope: .shards) { try $0.settle(second, last, now: .start + 10) }
        let done = try #require(try await trace(1).first)
        #expect(done.outcome == .accepted && done.requests == 3)
        #expect(done.steps.first?.plannedAt == .start + 1 && done.firstRequestAt == .start + 2)
        #expect(done.lastAnswerAt == .start + 10)
        // By the producer's name; no device of the second chunk has one.
        #expect(try await trace(id: "device-0").first?.outcome == .accepted)
        #expect(try await trace(id: "device-0", since: .start + 1).isEmpty)
        #expect(try await trace(4).first?.steps.isEmpty == true)
        #expect(try await trace(99).isEmpty)
        #expect(try await trace().isEmpty)
        #expect(try await trace(1, app: "shop").isEmpty)
    }

    @Test(arguments: TestDatabase.all) func `what the phone said of each is told, and whether it was read`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([3, 2]))
        func say(
            _ index: UInt32,
            _ surface: TrackedSurface,
            _ type: TrackedType,
            _ detail: String = "",
            at: Timestamp
        ) async throws {
            let device = TrackedDevice(app: "news", campaign: number, index: index, registered: Int64(index))
            let event = TrackingEvent(device: device, type: type, surface: surface, detail: detail, at: at)
            _ = try await ledger.write { try $0.track([.event(event)], Retention(), now: .start) }
        }
        try await say(0, .system, .displayed, at: .start + 5)
        try await say(1, .system, .displayed, at: .start + 7)
        try await say(1, .inApp, .displayed, at: .start + 6)
        try await say(1, .system, .actioned, "LIKE", at: .start + 9)
        try await say(2, .content, .displayed, at: .start + 8)
        try await say(4, .system, .exited, at: .start + 8)
        var told: [DeviceTrace] = []
        for number in 0...4 { told.append(try #require(try await trace(number).first)) }
        let displayed: [Timestamp?] = [.start + 5, .start + 6, .start + 8, nil, nil]
        #expect(told.map(\.displayedAt) == displayed)
        // A dismissal does not read the message; a button and a displayed page do.
        let read: [Timestamp?] = [nil, .start + 9, .start + 8, nil, nil]
        #expect(told.map(\.readAt) == read)
        #expect(told[1].told.contains { $0.type == .actioned && $0.detail == "LIKE" } && told[3].told.isEmpty)

        let all = try #require(try await ledger.traces(campaign: number, devicesMax: 5))
        #expect(all.map(\.index) == [0, 1, 2, 3, 4] && all.map(\.readAt) == told.map(\.readAt))
        #expect(try await ledger.traces(campaign: number, devicesMax: 4) == nil)
        #expect(try await ledger.traces(campaign: number + 1, devicesMax: 4) == [])
    }

    @Test(arguments: TestDatabase.all) func `every campaign is told, the latest first, also one that never sent`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        for (index, id) in ["one", "two", "three"].enumerated() {
            let facts = Sample.facts(id: id)
            // The second campaign has other devices.
            let new = Sample.campaign([70, 1], facts: facts, identity: id, firstToken: index == 1 ? 1000 : 0)
            let number = try await ledger.accepted(new, now: .start + index)
            if id == "three" { _ = try await ledger.write { try $0.cancel(campaign: number, now: .start + 5) } }
        }
        let traces = try await trace(70)
        #expect(traces.map(\.campaign.id) == ["three", "one"])
        #expect(traces.map(\.outcome) == [.cancelled, nil] && traces.allSatisfy { $0.requests == 0 })
    }

    @Test(arguments: TestDatabase.all) func `pieces of a chunk under a rate, and many chunks, are found`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        var paced = Sample.campaign(Array(repeating: 20, count: 70))
        paced.pace = Pace(perSecond: 40)
        _ = try await ledger.accepted(paced)
        let shards = try await ledger.write(.synced) { transaction in
            let lease = try #require(transaction.leaseCampaigns(worker: 1, apps: ["news"], now: .start).first)
            return try transaction.givePacedTurns(lease.token, appPace: nil, now: .start).shards
        }
        #expect(!shards.isEmpty)
        // The second piece of the first chunk, and a chunk after the first page.
        let piece = try #require(try await trace(15).first)
        #expect(piece.index == 15 && piece.steps.count == 1)
        let far = try #require(try await trace(69 * 20 + 3).first)
        #expect(far.index == 69 * 20 + 3 && far.steps.isEmpty)
    }

    @Test(arguments: TestDatabase.all) func `outcomes that are not kept any longer are not told as pending`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted(Sample.campaign([2]))
        _ = try await ledger.planned(number)
        let (_, token) = try await ledger.running(key(number, 0))
        _ = try await ledger.write(.synced) { try $0.settle(token, .of(.accepted(2)), now: .start) }
        _ = try await ledger.write(.synced) { try $0.completeIfDone(campaign: number, now: .start) }
        let retention = Retention(outcomes: .seconds(1))
        while try await ledger.write(
            .normal,
            { try $0.purge(campaign: number, retention, now: .start + 10) }
        ) {}
        let trace = try #require(try await trace(1).first)
        #expect(trace.isForgotten && trace.outcome == nil)
    }
}
