import Campaigns
import Delivery
import Seeds
import Store
import Testing

@Suite(.fewLedgersAtOnce)
struct TrackingTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }
    private let retention = Retention()

    private func event(
        _ campaign: UInt32,
        _ device: UInt32,
        _ type: TrackedType,
        _ surface: TrackedSurface = .system,
        _ detail: String = "",
        app: String = "news",
        at: Timestamp = .start
    ) -> TrackingBatch.Entry {
        let tracked = TrackedDevice(app: app, campaign: campaign, index: device, registered: 1 << 32 | Int64(device))
        return .event(TrackingEvent(device: tracked, type: type, surface: surface, detail: detail, at: at))
    }

    private func answers(_ campaign: UInt32, _ device: UInt32, _ choices: [String]) -> TrackingBatch.Entry {
        let tracked = TrackedDevice(app: "news", campaign: campaign, index: device, registered: 1 << 32 | Int64(device))
        return .answers(
            PollAnswers(device: tracked, answers: [.init(question: "q", choices: choices)], at: .start)
        )
    }

    @discardableResult
    private func track(_ entries: [TrackingBatch.Entry], now: Timestamp = .start) async throws -> TrackingResult {
        let retention = retention
        return try await ledger.write(.synced) { try $0.track(entries, retention, now: now) }
    }

    private func funnel(_ campaign: UInt32) async throws -> Funnel {
        try await ledger.read { try $0.funnel(campaign: campaign) }
    }

    @Test(arguments: TestDatabase.all)
    func `what is sent twice, late and out of order is counted once, like by an independent count`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        var random = SeededRandom(seed: 91)
        var (events, expected): ([TrackingBatch.Entry], [Funnel.Step: Set<UInt32>]) = ([], [:])
        for _ in 0..<3_000 {
            let (device, surface) = (UInt32(random.below(400)), TrackedSurface.allCases[random.below(3)])
            let type = TrackedType.allCases[random.below(6)]
            let detail = type == .actioned ? ["LIKE", "MORE"][random.below(2)] : type == .dropped ? "NoPresenter" : ""
            events.append(event(number, device, type, surface, detail))
            expected[Funnel.Step(surface, type), default: []].insert(device)
            if !detail.isEmpty { expected[Funnel.Step(surface, type, detail), default: []].insert(device) }
        }
        let again = events.shuffled(using: &random)
        var sum = TrackingResult()
        for batch in [events[..<1000], again[1500...], events[1000...], again[..<1500]] {
            sum = sum + (try await track(Array(batch)))
        }
        let funnel = try await funnel(number)
        #expect(funnel.devices == expected.mapValues(\.count))
        #expect(sum.counted + sum.repeated == 6_000 && sum.unknown == 0 && sum.late == 0)
        #expect(sum.counted == Set(events).count)
    }

    @Test(arguments: TestDatabase.all)
    func `what is said of campaigns that are not there, or are another app's, is dropped and counted`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        let result = try await track([
            event(number, 1, .opened), event(number + 7, 1, .opened), event(number, 2, .opened, app: "shop"),
        ])
        #expect(result.counted == 1 && result.unknown == 2)
        #expect(try await funnel(number).devices == [Funnel.Step(.system, .opened): 1])
        #expect(try await funnel(number + 7).isEmpty)
    }

    @Test(arguments: TestDatabase.all)
    func `what is new of one campaign does not hide what is new of another in the same batch`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let first = try await ledger.accepted()
        let second = try await ledger.accepted(Sample.campaign(facts: Sample.facts(id: "final"), identity: "final"))
        _ = try await track([event(second, 1, .actioned, .system, "LIKE")])
        let result = try await track([
            event(first, 1, .actioned, .system, ""), event(second, 1, .actioned, .system, "MORE"),
        ])
        #expect(result.counted == 2 && result.repeated == 0)
    }

    @Test(arguments: TestDatabase.all)
    func `a poll of 10,000 answers with repeats counts each device's first`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        var random = SeededRandom(seed: 92)
        var (first, count): ([UInt32: [String]], [String: Int]) = ([:], [:])
        var entries: [TrackingBatch.Entry] = []
        for _ in 0..<12_000 {
            let device = UInt32(random.below(10_000))
            let choices = [["a"], ["b"], ["a", "b"], []][random.below(4)]
            if first[device] == nil {
                first[device] = choices
                for choice in choices { count[choice, default: 0] += 1 }
            }
            entries.append(answers(number, device, choices))
        }
        for start in stride(from: 0, to: entries.count, by: 2_000) {
            try await track(Array(entries[start..<start + 2_000]))
        }
        let funnel = try await funnel(number)
        #expect(funnel.answered == first.count && funnel.choices == ["q": count])
    }

    @Test(arguments: TestDatabase.all)
    func `buttons that a phone makes up do not make the table grow without end`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        let most = LedgerTransaction.trackedDetailsMax
        try await track((0..<50).map { event(number, 1, .actioned, .system, "b\($0)") })
        try await track((50..<500).map { event(number, UInt32($0), .actioned, .system, "b\($0)") })
        let details = try await funnel(number).details(.system, .actioned)
        #expect(details.count == most + 1)
        #expect(details.first?.name == LedgerTransaction.otherDetail && details.first?.devices == 500 - most)
        #expect(try await funnel(number)[.system, .actioned] == 451)
    }

    @Test(arguments: TestDatabase.all)
    func `a segment's question is answered on any surface, page by page`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        let number = try await ledger.accepted()
        try await track([
            event(number, 1, .opened, .system), event(number, 1, .opened, .content), event(number, 2, .opened, .inApp),
            event(number, 3, .received), event(number, 4, .actioned, .system, "LIKE"),
            event(number, 5, .actioned, .system, "MORE", at: .start + 100), answers(number, 6, ["a"]),
        ])
        func devices(
            _ text: String,
            since: Timestamp? = nil,
            until: Timestamp = .start + 100
        ) async throws -> Set<Int64> {
            let question = try #require(try Segment(text).questions.first)
            var (found, cursor): (Set<Int64>, TrackedCursor?) = ([], nil)
            repeat {
                let after = cursor
                let page = try await ledger.read {
                    try $0.devices(
                        answering: question,
                        campaign: number,
                        since: since,
                        until: until,
                        after: after,
                        limit: 1
                    )
                }
                found.formUnion(page.registered.map { $0 & 0xFFFF_FFFF })
                cursor = page.next
            } while cursor != nil
            return found
        }
        #expect(try await devices("opened(derby)") == [1, 2])
        #expect(try await devices("received(derby)") == [3])
        #expect(try await devices("actioned(derby)") == [4, 5])
        #expect(try await devices("actioned(derby, action: LIKE)") == [4])
        #expect(try await devices("actioned(derby)", since: .start + 50) == [5])
        #expect(try await devices("answered(derby)") == [6])
        // What happens later does not count.
        #expect(try await devices("actioned(derby)", until: .start + 99) == [4])
        #expect(try await devices("answered(derby)", until: .start + -1).isEmpty)
        #expect(try await devices("exited(derby)").isEmpty)
    }

    @Test(arguments: TestDatabase.all)
    func `single phones' rows go after their time, never of a live campaign, and what comes later is not counted`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let done = try await completed("done", firstToken: 0)
        let live = try await ledger.accepted(
            Sample.campaign(facts: Sample.facts(id: "live"), identity: "live", firstToken: 50)
        )
        for number in [done, live] {
            try await track((0..<30).map { event(number, $0, .opened) } + [answers(number, 1, ["a"])])
        }
        let day = 86_400
        func due(_ days: Int) async throws -> UInt32? {
            let end = (Timestamp.start + days * day).advanced(by: .zero - retention.tracking)
            return try await ledger.read { try $0.trackingToPurge(after: -1, completedBefore: end) }
        }
        #expect(try await due(89) == nil)
        #expect(try await due(90) == done)
        while try await ledger.write(.normal, { try $0.purgeTracking(campaign: done, rowsMax: 7) }) {}
        #expect(try await due(90) == nil)
        let kept = try await funnel(done)
        #expect(kept[.system, .opened] == 30 && kept.answered == 1)
        let late = try await track([event(done, 1, .opened), event(live, 99, .opened)], now: .start + 90 * day)
        #expect(late.late == 1 && late.counted == 1)
        #expect(try await funnel(done) == kept)
        #expect(try await funnel(live)[.system, .opened] == 31)
    }

    private func completed(_ id: String, firstToken: Int) async throws -> UInt32 {
        let new = Sample.campaign([4], facts: Sample.facts(id: id), identity: id, firstToken: firstToken)
        let number = try await ledger.accepted(new)
        for shard in try await ledger.planned(number) {
            let (record, token) = try await ledger.running(shard.record.id.key)
            let settlement = try Settlement.of(.accepted(record.count))
            _ = try await ledger.write(.synced) { try $0.settle(token, settlement, now: .start) }
        }
        _ = try await ledger.write(.synced) { try $0.completeIfDone(campaign: number, now: .start) }
        return number
    }
}
