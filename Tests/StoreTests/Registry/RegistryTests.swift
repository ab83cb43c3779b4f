import Campaigns
import Delivery
import Store
import Testing

@Suite(.fewLedgersAtOnce) struct RegistryTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    @Test(arguments: TestDatabase.all) func `a device is its installation, whatever its token`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        #expect(
            try await ledger.register(Sample.registration("ana", user: "u1", tags: ["b", "a", "b"]), token: 1) == .added
        )
        #expect(try await ledger.register(Sample.registration("ana"), token: 1, now: .start + 5) == .unchanged)
        #expect(try await ledger.register(Sample.registration("ana", locale: "es"), token: 2) == .updated)
        let ana = try #require(try await ledger.device("ana"))
        #expect(ana.token == Sample.token(2) && ana.user == "u1" && ana.state == .live)
        #expect(ana.traits.tags == ["a", "b"] && ana.traits.locale == "es")
        #expect(try await ledger.read { try $0.device(app: "news", provider: .apns, token: Sample.token(1)) } == nil)
        #expect(try await ledger.device("ana", app: "shop") == nil)
        #expect(try await ledger.register(Sample.registration("ana"), token: 2, app: "shop") == .added)
        #expect(try await ledger.walked() == ["ana"])
    }

    @Test(arguments: TestDatabase.all)
    func `many devices are registered in pieces, and who asks again with the others gets all of them in`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let devices = (0..<120).map { Sample.registration("d\($0)") }
        let tokens = (0..<120).map { Sample.token($0) }
        var pieces: [Int] = []
        while pieces.reduce(0, +) < 120 {
            let done = pieces.reduce(0, +)
            let results = try await ledger.write { transaction in
                var piece = Piece { WorkPiece.aim }
                return try transaction.register(
                    Array(devices[done...]),
                    tokens: Array(tokens[done...]),
                    app: "news",
                    &piece,
                    now: .start
                )
            }
            #expect(results.allSatisfy { $0 == .added })
            pieces.append(results.count)
        }
        #expect(pieces == [50, 50, 20])
        #expect(try await ledger.walked().count == 120)
    }

    @Test(arguments: TestDatabase.all) func `a user has several devices, and leaves one by logging out`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        for number in 1...3 { try await ledger.register(Sample.registration("d\(number)", user: "ana"), token: number) }
        try await ledger.register(Sample.registration("d4", user: "bea"), token: 4)
        let devices = try await ledger.read { try $0.devices(app: "news", user: "ana") }
        #expect(devices.map(\.installation) == ["d1", "d2", "d3"])
        var out = Sample.registration("d2")
        out.user = .nobody
        #expect(try await ledger.register(out, token: 2) == .updated)
        #expect(try await ledger.read { try $0.devices(app: "news", user: "ana") }.count == 2)
    }

    @Test(arguments: TestDatabase.all) func `a token that moves leaves its old installation without one`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await ledger.register(Sample.registration("old", user: "ana", tags: ["x"]), token: 1)
        #expect(try await ledger.register(Sample.registration("new", user: "bea"), token: 1) == .added)
        let (old, new) = (try await ledger.device("old"), try await ledger.device("new"))
        #expect(old?.state == .tokenless && old?.token == nil && old?.user == "ana" && old?.traits.tags == ["x"])
        #expect(new?.state == .live && new?.token == Sample.token(1) && new?.user == "bea" && new?.traits.tags == [])
        #expect(try await ledger.walked() == ["new"])
        #expect(try await ledger.register(Sample.registration("old"), token: 2) == .updated)
        #expect(try await ledger.walked().sorted() == ["new", "old"])
    }

    @Test(arguments: TestDatabase.all) func `a row stays with its token, so that a walk meets each token once`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await ledger.register(Sample.registration("a"), token: 1)
        try await ledger.register(Sample.registration("b"), token: 2)
        let before = try #require(try await ledger.device("a"))
        #expect(try await ledger.register(Sample.registration("b"), token: 1) == .updated)
        let (a, b) = (try #require(try await ledger.device("a")), try #require(try await ledger.device("b")))
        #expect(b.number == before.number && b.token == Sample.token(1))
        #expect(a.number > b.number && a.token == nil && a.state == .tokenless)
        #expect(try await ledger.walked() == ["b"])
    }

    @Test(arguments: TestDatabase.all) func `a device without a name is named after its token until it says its own`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        #expect(try await ledger.register(Sample.registration(nil, tags: ["x"]), token: 1) == .added)
        #expect(try await ledger.register(Sample.registration(nil), token: 1) == .unchanged)
        let unnamed = try #require(
            try await ledger.read { try $0.device(app: "news", provider: .apns, token: Sample.token(1)) }
        )
        #expect(unnamed.installation?.hasPrefix("token-") == true)
        try await ledger.register(Sample.registration("ana"), token: 1)
        #expect(try await ledger.walked() == ["ana"])
        #expect(try await ledger.device(unnamed.installation ?? "") == nil)
        #expect(try await ledger.register(Sample.registration(nil, locale: "es"), token: 1) == .updated)
        #expect(try await ledger.device("ana")?.traits.locale == "es")
    }

    @Test(arguments: TestDatabase.all) func `what is known of a later instant stays`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await ledger.register(Sample.registration("ana", registeredAt: .start), token: 2)
        #expect(try await ledger.register(Sample.registration("ana"), token: 1) == .outdated)
        let older = Timestamp(milliseconds: Timestamp.start.milliseconds - 1)
        #expect(try await ledger.register(Sample.registration("ana", registeredAt: older), token: 1) == .outdated)
        #expect(try await ledger.device("ana")?.token == Sample.token(2))
        #expect(try await ledger.register(Sample.registration("ana", registeredAt: .start + 1), token: 1) == .updated)
    }

    @Test(arguments: TestDatabase.all) func `more tags than a device may have leave it as it was`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        try await ledger.register(Sample.registration("ana", tags: (0..<60).map { "t\($0)" }), token: 1)
        var more = Sample.registration("ana")
        more.tags = .change(add: ["one"], remove: [])
        #expect(try await ledger.register(more, token: 1) == .tooMany)
        more.tags = .change(add: ["one"], remove: ["t7"])
        #expect(try await ledger.register(more, token: 1) == .updated)
        #expect(try await ledger.device("ana")?.traits.tags.count == 60)
    }

    @Test(arguments: TestDatabase.all) func `a walk meets those that were there when it began, page by page`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        let count = Int(LedgerReader.registryPageSpan) + 10
        for start in stride(from: 0, to: count, by: 1000) {
            let numbers = Array(start..<min(start + 1000, count))
            let registrations = numbers.map { Sample.registration("d\($0)") }
            let tokens = numbers.map { Sample.token($0) }
            let results = try await ledger.write {
                try $0.register(registrations, tokens: tokens, app: "news", now: .start)
            }
            #expect(results.allSatisfy { $0 == .added })
        }
        let walk = try #require(try await ledger.read { try $0.registryEnd(app: "news") })
        try await ledger.register(Sample.registration("late"), token: count)
        let first = try await ledger.read { try $0.registryPage(after: walk.start, end: walk.end) }
        #expect(first.count == count - 10)
        let next = try #require(first.next)
        let second = try await ledger.read { try $0.registryPage(after: next, end: walk.end) }
        #expect(second.count == 10 && second.next == nil)
    }
}
