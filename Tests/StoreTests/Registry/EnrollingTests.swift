import Campaigns
import Store
import Testing

/// Devices that register themselves.
@Suite(.fewLedgersAtOnce) struct EnrollingTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    private func secret(_ name: String) -> [UInt8] {
        Array(name.utf8) + Array(repeating: 0, count: 32 - name.utf8.count)
    }

    @discardableResult
    private func enroll(
        _ id: String,
        _ token: Int?,
        _ proof: Enrolment.Proof,
        at now: Timestamp = .start,
        app: String = "news"
    ) async throws -> EnrolmentResult {
        let word = Enrolment(
            registration: Sample.registration(id),
            token: token.map { Sample.token($0) },
            proof: proof
        )
        return try await ledger.write { try $0.enroll(word, app: app, now: now) }
    }

    private func first(_ id: String, _ token: Int, at now: Timestamp = .start) async throws -> EnrolmentResult {
        try await enroll(id, token, .integrationKey(secretHash: secret(id), user: nil, key: 7), at: now)
    }

    @Test(arguments: TestDatabase.all) func `a secret is the installation's, whichever row its token puts it into`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        #expect(try await first("a", 1) == .registered(isNew: true))
        #expect(try await first("b", 2) == .registered(isNew: true))
        // They exchange tokens by way of a third installation, and back.
        #expect(try await enroll("a", 2, .secret(hash: secret("a"))) == .registered(isNew: false))
        #expect(try await enroll("b", 1, .secret(hash: secret("b"))) == .registered(isNew: false))
        #expect(try await first("c", 1) == .registered(isNew: true))
        #expect(try await enroll("b", 1, .secret(hash: secret("b"))) == .registered(isNew: false))
        let found = try await ledger.read { try $0.devices(secretHashes: ["a", "b", "c", "x"].map(self.secret)) }
        #expect(found.mapValues(\.installation) == [secret("a"): "a", secret("b"): "b", secret("c"): "c"])
        for device in found.values {
            #expect(try await ledger.device(device.installation)?.number == device.number)
            #expect(device.app == "news")
        }
        #expect(try await ledger.device("b")?.token == Sample.token(1))
        #expect(try await ledger.device("c")?.state == .tokenless)
    }

    @Test(arguments: TestDatabase.all) func `only its own secret opens a device that has one`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        #expect(try await ledger.register(Sample.registration("imported"), token: 3) == .added)
        // A device that an operator imported gets its secret with the app's first registration.
        #expect(try await first("imported", 3) == .registered(isNew: false))
        #expect(try await first("a", 1) == .registered(isNew: true))
        #expect(try await first("a", 2) == .exists)
        #expect(try await enroll("a", nil, .integrationKey(secretHash: secret("x"), user: nil, key: 7)) == .exists)
        #expect(try await enroll("a", 2, .secret(hash: secret("imported"))) == .unknownSecret)
        #expect(try await enroll("nobody", 2, .secret(hash: secret("a"))) == .unknownSecret)
        #expect(try await ledger.device("a")?.token == Sample.token(1))
        #expect(try await ledger.device("nobody") == nil)
    }

    @Test(arguments: TestDatabase.all)
    func `a device that begins keeps its key's number, wherever its row goes, and an adopted one has none`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        #expect(try await ledger.register(Sample.registration("imported"), token: 3) == .added)
        for (id, token) in [("imported", 3), ("a", 1), ("b", 2)] { _ = try await first(id, token) }
        // They change rows with their tokens.
        _ = try await enroll("a", 2, .secret(hash: secret("a")))
        _ = try await enroll("new", 4, .integrationKey(secretHash: secret("new"), user: nil, key: 8))
        let walk = try #require(try await ledger.read { try $0.registryEnd(app: "news") })
        func came(with key: Int64) async throws -> Set<String?> {
            let page = try await ledger.read {
                try $0.devices(app: "news", cameWith: key, after: walk.start, end: walk.end)
            }
            return Set(page.devices.map(\.installation))
        }
        #expect(try await came(with: 7) == ["a", "b"])
        #expect(try await came(with: 8) == ["new"])
        _ = try await ledger.write { try $0.forget(app: "news", installation: "a", now: .start) }
        #expect(try await came(with: 7) == ["b"])
    }

    @Test(arguments: TestDatabase.all)
    func `a word is good as of now: a dead token lives, a forgotten device begins anew`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        #expect(try await first("a", 0) == .registered(isNew: true))
        try await ledger.send("one", devices: 1, dead: [0], since: .start + 7)
        #expect(try await ledger.device("a")?.state == .dead)
        // Even when this host's clock is behind the provider's.
        try await enroll("a", 0, .secret(hash: secret("a")), at: .start + 3)
        #expect(try await ledger.device("a")?.state == .live)
        let number = try await ledger.device("a")?.number
        _ = try await ledger.write { try $0.forget(app: "news", installation: "a", now: .start + 20) }
        #expect(try await enroll("a", 0, .secret(hash: secret("a")), at: .start + 21) == .unknownSecret)
        #expect(try await ledger.read { try $0.devices(secretHashes: [self.secret("a")]) }.isEmpty)
        #expect(try await first("a", 0, at: .start + 19) == .registered(isNew: true))
        #expect(try await ledger.device("a")?.state == .live)
        // Tracking of the forgotten device does not apply to the new one.
        #expect(try await ledger.device("a")?.number != number)
    }

    @Test(arguments: TestDatabase.all)
    func `the same word within a day writes nothing, and no token is asked for twice`(
        _ database: TestDatabase
    ) async throws {
        try scratch.open(on: database)
        _ = try await first("a", 1)
        try await enroll("a", 1, .secret(hash: secret("a")), at: .start + 1000)
        try await enroll("a", nil, .secret(hash: secret("a")), at: .start + 2000)
        #expect(try await ledger.device("a")?.changedAt == .start)
        try await enroll("a", 1, .secret(hash: secret("a")), at: .start + 86_400_000)
        #expect(try await ledger.device("a")?.traits.registeredAt == .start + 86_400_000)
        _ = try await first("b", 1)
        #expect(try await enroll("a", nil, .secret(hash: secret("a"))) == .noToken)
    }
}
