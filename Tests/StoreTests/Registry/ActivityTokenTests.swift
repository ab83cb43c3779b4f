import Campaigns
import Delivery
import Store
import Testing

/// The tokens of devices for Live Activities.
@Suite(.fewLedgersAtOnce) struct ActivityTokenTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private func secret(_ id: String) -> [UInt8] {
        Array(id.utf8) + Array(repeating: 0, count: 32 - id.utf8.count)
    }

    private func activity(_ token: Int, id: String? = "match-7", type: String = "Match") -> ActivityToken {
        ActivityToken(type: type, id: id, token: Sample.token(1000 + token))
    }

    /// Registers an installation with its own token and, if given, all of its activities' tokens.
    private func enroll(
        _ id: String,
        _ token: Int,
        _ activities: [ActivityToken]?,
        at now: Timestamp = .start
    ) async throws {
        let isKnown = try await ledger.device(id) != nil
        let word = Enrolment(
            registration: Sample.registration(id),
            token: Sample.token(token),
            proof: isKnown
                ? .secret(hash: secret(id)) : .integrationKey(secretHash: secret(id), user: nil, key: nil),
            activities: activities
        )
        let result = try await ledger.write { try $0.enroll(word, app: "news", now: now) }
        #expect(result == .registered(isNew: !isKnown))
    }

    private func activities(_ id: String) async throws -> [ActivityToken] {
        guard let number = try await ledger.device(id)?.number else { return [] }
        return try await ledger.read { try $0.activities(of: number) }
    }

    @Test(arguments: TestDatabase.all)
    func `a device says all of its tokens: they come, are replaced, go, and stay where it says nothing`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await enroll("a", 1, nil)
        #expect(try await activities("a").isEmpty)
        let start = activity(1, id: nil)
        try await enroll("a", 1, [activity(2), start])
        #expect(try await activities("a") == [start, activity(2)])
        try await enroll("a", 1, nil)
        #expect(try await activities("a") == [start, activity(2)])
        try await enroll("a", 1, [start, activity(3), activity(4, id: "match-8"), activity(5, type: "Order")])
        #expect(
            try await activities("a") == [
                start, activity(3), activity(4, id: "match-8"), activity(5, type: "Order"),
            ]
        )
        try await enroll("a", 1, [])
        #expect(try await activities("a").isEmpty)
    }

    @Test(arguments: TestDatabase.all)
    func `a token is the installation's that named it last, and goes with it when the phone's own token changes rows`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await enroll("a", 1, [activity(1)])
        try await enroll("b", 2, [activity(1), activity(2, id: "match-8")])
        #expect(try await activities("a").isEmpty)
        #expect(try await activities("b").count == 2)
        let row = try await ledger.device("a")?.number
        // b takes a's own token, and with it a's row.
        try await enroll("a", 1, [activity(3)])
        try await enroll("b", 1, nil)
        #expect(try await ledger.device("b")?.number == row)
        #expect(try await activities("b") == [activity(1), activity(2, id: "match-8")])
        #expect(try await activities("a").isEmpty)
    }

    @Test(arguments: TestDatabase.all)
    func `a dead token goes alone, and is not taken again`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        try await enroll("a", 1, [activity(1), activity(2, id: "match-8")])
        // The campaign's only device has the token of the first activity.
        try await ledger.send("goal", token: 1001, since: .start + 5)
        #expect(try await activities("a") == [activity(2, id: "match-8")])
        #expect(try await ledger.device("a")?.state == .live)
        try await enroll("a", 1, [activity(1), activity(2, id: "match-8")], at: .start + 10)
        #expect(try await activities("a") == [activity(2, id: "match-8")])
        try await enroll("a", 1, [activity(3)], at: .start + 20)
        #expect(try await activities("a") == [activity(3)])
    }

    @Test(arguments: TestDatabase.all)
    func `those who follow an activity are walked in the order of the registry, page by page, with their tokens for it`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        for number in 0..<5 {
            let tokens = [activity(number), activity(10 + number, id: nil)]
            try await enroll("d\(number)", number, number == 2 ? nil : tokens)
        }
        try await enroll("other", 6, [activity(20, id: "match-8"), activity(21, type: "Order")])
        let end = try #require(try await ledger.read { try $0.registryEnd(app: "news") })
        let name = ActivityName(type: "Match", id: "match-7")
        var (found, next, pages): ([String], Int64?, Int) = ([], end.start, 0)
        while let after = next {
            let page = try await ledger.read { try $0.followers(of: name, after: after, end: end.end, limit: 3) }
            try page.forEach { entry in
                let id = String(decoding: entry.installation, as: UTF8.self)
                found.append(id)
                let own = Int(id.dropFirst()) ?? 0
                #expect(Array(entry.token) == Sample.token(1000 + own))
            }
            (next, pages) = (page.next, pages + 1)
        }
        #expect(found == ["d0", "d1", "d3", "d4"] && pages == 2)
        let numbers = try await ledger.read { reader in
            try (0..<5).map { try reader.device(app: "news", installation: "d\($0)")?.number ?? 0 }
        }
        let starts = try await ledger.read { try $0.startTokens(of: "Match", devices: numbers) }
        #expect(starts[numbers[0]] == StartToken(token: Sample.token(1010), isSuspect: false))
        #expect(starts[numbers[2]] == nil && starts.count == 4)
        #expect(try await ledger.read { try $0.startTokens(of: "Order", devices: numbers) }.isEmpty)
    }

    /// Returns the tokens of match 7, in the order of the registry.
    private func followers() async throws -> [[UInt8]] {
        let end = try #require(try await ledger.read { try $0.registryEnd(app: "news") })
        let name = ActivityName(type: "Match", id: "match-7")
        let page = try await ledger.read { try $0.followers(of: name, after: end.start, end: end.end, limit: 10) }
        var tokens: [[UInt8]] = []
        try page.forEach { tokens.append(Array($0.token)) }
        return tokens
    }

    /// Sends a push for match 7 to a device, to its end.
    private func send(_ id: String, event: String, at now: Timestamp) async throws {
        let job = """
            {"id": "\(id)", "app": "news", "audience": {"activity": {"type": "Match", "id": "match-7"}},
             "content": {"live_activity": {"event": "\(event)", "timestamp": 1795204500, "content_state": {}}},
             "delivery": {"push_type": "liveactivity"}}
            """
        var facts = Sample.facts(id: id)
        facts.pushType = .liveactivity
        var campaign = Sample.campaign([1], facts: facts, identity: id)
        campaign.job = Array(job.utf8)
        let number = try await ledger.accepted(campaign, now: now)
        for shard in try await ledger.planned(number, now: now) {
            let (record, running) = try await ledger.running(shard.record.id.key, now: now)
            let settlement = try Settlement.of(.accepted(record.count))
            _ = try await ledger.write(.synced, scope: .shards) { try $0.settle(running, settlement, now: now) }
        }
        _ = try await ledger.write(.synced) { try $0.completeIfDone(campaign: number, now: now) }
        #expect(try await ledger.status(number).state == "completed")
    }

    @Test(arguments: TestDatabase.all)
    func `an end ends the tokens that were there, and the next activity of that name begins with new ones`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await enroll("a", 1, [activity(1)])
        try await send("goal", event: "update", at: .start + 10)
        #expect(try await followers() == [Sample.token(1001)])
        try await send("over", event: "end", at: .start + 20)
        #expect(try await followers().isEmpty)
        // The phone has not noticed yet, and says it again.
        try await enroll("a", 1, [activity(1)], at: .start + 30)
        #expect(try await followers().isEmpty)
        try await enroll("a", 1, [activity(2)], at: .start + 40)
        #expect(try await followers() == [Sample.token(1002)])
    }

    @Test(arguments: TestDatabase.all)
    func `a token is forgotten when its activity cannot be on a screen any more, and one that starts stays`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await enroll("a", 1, [activity(1), activity(2, id: nil)])
        try await send("over", event: "end", at: .start + 10)
        let life = ActivityToken.life
        func purge(_ time: Duration) async throws -> Int {
            try await ledger.write { try $0.purgeActivities(now: Timestamp.start.advanced(by: time)) }
        }
        #expect(try await purge(life) == 0)
        #expect(try await purge(life + .seconds(1)) == 1)
        #expect(try await activities("a") == [activity(2, id: nil)])
        #expect(try await purge(life * 2 + .seconds(60)) == 1)
        #expect(try await purge(life * 3) == 0)
    }

    @Test(arguments: TestDatabase.all)
    func `a forgotten device has none`(_ database: TestDatabase) async throws {
        try scratch.open(on: database)
        try await enroll("a", 1, [activity(1)])
        let number = try #require(try await ledger.device("a")?.number)
        _ = try await ledger.write { try $0.forget(app: "news", installation: "a", now: .start) }
        #expect(try await ledger.read { try $0.activities(of: number) }.isEmpty)
    }
}

extension Ledger {
    /// Sends a campaign to one token, which the provider calls dead.
    fileprivate func send(_ id: String, token: Int, since: Timestamp) async throws {
        let campaign = Sample.campaign([1], facts: Sample.facts(id: id), identity: id, firstToken: token)
        let number = try await accepted(campaign)
        for shard in try await planned(number) {
            let (record, running) = try await self.running(shard.record.id.key)
            var progress = record.progress
            progress.end(0, .invalid, Progress.Note(reason: "Unregistered", deadSince: since))
            let settlement = try Settlement.of(progress)
            _ = try await write(.synced, scope: .shards) { try $0.settle(running, settlement, now: .start) }
        }
        _ = try await write { try $0.learnDeadTokens() }
    }
}
