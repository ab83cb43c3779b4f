import Campaigns
import GRDB
import Store
import Testing

/// `audience check --explain`: which indexes of the registry find an audience, and how much that reads.
@Suite struct AudienceIndexCommandTests {
    private let folder: CommandFolder
    private let command: Command

    init() throws {
        folder = try CommandFolder()
        command = Command(folder: folder.path, environment: ["FANFARE_AMQP_URL": "amqp://127.0.0.1:1"])
    }

    private func explained(_ segment: String, _ options: String...) throws -> JSONValue {
        let check = ["audience", "check", "--app", "news", "--segment", segment, "--explain", "--json"]
        let outcome = try command.run(check + options)
        return try #require(JSONReader.read(Array(outcome.output.utf8)).value, "\(outcome.errors)")
    }

    /// Fills a registry of 100,000 devices; one in 1,000 has the tag `rare`.
    private func registry() async throws -> Ledger {
        let path = folder.path + "/fanfare.db"
        let ledger = try Ledger.open(path: path, create: true)
        let now = CommandTime.now
        _ = try await ledger.write { transaction in
            try transaction.register(
                (0..<1_000).map { number in
                    DeviceRegistration(
                        device: Device(token: "", id: "d\(number)", locale: number % 2 == 0 ? "es" : "en"),
                        tags: .set(number == 7 ? ["rare", "sport"] : ["sport"])
                    )
                },
                tokens: (0..<1_000).map { number in
                    Array(repeating: 0, count: 30) + [UInt8(number / 256), UInt8(number % 256)]
                },
                app: "news",
                now: now
            )
        }
        // Copies, since this is not about how devices are registered.
        let raw = try DatabaseQueue(path: path)
        try await raw.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < 99)
                    INSERT INTO devices (number, state, changed_at, installation_hash, installation, token, traits)
                    SELECT d.number + 1000 * n, 0, d.changed_at, random(), d.installation || '-' || n, randomblob(32),
                        d.traits
                    FROM devices d, copies;
                    UPDATE registry_apps SET next = 100001
                    """
            )
        }
        try raw.close()
        return ledger
    }

    @Test func `a segment of few in a registry of 100,000 reads hundreds of rows, and says so`() async throws {
        let ledger = try await registry()
        let before = try explained("rare")
        #expect(before["explain"]?["by"]?.string == "registry", "too many devices have changed: \(before)")
        #expect(before["estimated"] == .bool(true))
        while try await ledger.write(
            .normal,
            { transaction in
                var piece = Piece()
                return try transaction.maintainIndex(&piece)
            }
        ) {}

        let few = try explained("rare && locale == en")
        let explain = try #require(few["explain"])
        #expect(few["devices"]?.integer == 100 && few["estimated"] == .bool(false) && few["error"]?.integer == 0)
        #expect(explain["by"]?.string == "index" && explain["reason"] == .null)
        #expect(explain["index"]?.string == "tag rare" && explain["registry"]?.integer == 100_000)
        let terms = explain["terms"]?.array?.map { ($0["term"]?.string, $0["devices"]?.integer, $0["used"]) } ?? []
        #expect(terms.map(\.0) == ["locale == \"en\"", "tag rare"] && terms.map(\.1) == [50_000, 100])
        #expect(terms.map(\.2) == [.bool(false), .bool(true)])
        #expect(explain["devices_read"]?.integer == 100)
        #expect(try #require(explain["index_rows_read"]?.integer) < 500)

        let whole = try explained("locale == es", "--exact")
        #expect(whole["devices"]?.integer == 50_000 && whole["explain"]?["by"]?.string == "registry")
        #expect(whole["explain"]?["devices_read"]?.integer == 100_000)
        #expect(whole["explain"]?["reason"]?.string?.contains("50000 devices") == true, "\(whole)")
        #expect(try explained("!sport")["explain"]?["reason"]?.string?.hasPrefix("the index has none") == true)

        let check = ["audience", "check", "--app", "news", "--segment", "rare", "--explain"]
        let told = try command.run(check).output
        #expect(told.hasPrefix("100 devices\n") && told.contains("found by index: tag rare"), "\(told)")
        #expect(told.contains("read: 100 devices, "))
        #expect(try explained("rare")["explain"] != nil && command.run(check.dropLast() + ["--json"]).exit == 0)
        await ledger.close()
    }
}
