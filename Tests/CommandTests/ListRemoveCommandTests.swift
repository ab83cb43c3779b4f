import Campaigns
import Delivery
import Store
import Testing

/// Removing lists that nobody needs.
@Suite struct ListRemoveCommandTests {
    private let folder: CommandFolder
    private let command: Command

    init() throws {
        folder = try CommandFolder()
        command = Command(folder: folder.path)
    }

    /// Writes a version of the list `fans` with so many devices.
    private func put(_ devices: Int, in ledger: Ledger) async throws -> ListRecord {
        let lines = (1...devices).map { String(repeating: "0", count: 60) + String(1000 + $0) }
        try folder.write("devices.csv", (["token"] + lines).joined(separator: "\n"))
        let outcome = try command.run("list", "put", "fans", "devices.csv", "--app", "news")
        #expect(outcome.exit == 0, "\(outcome.errors)")
        return try #require(try await ledger.read { try $0.list(app: "news", name: "fans", version: nil) })
    }

    private func campaign(_ id: String, to list: ListRecord) -> NewCampaign {
        NewCampaign(
            identity: Array(id.utf8),
            job: Array("{}".utf8),
            facts: .inAnHour(id),
            audience: .list(list.number),
            createdAt: CommandTime.now,
            correlationID: id
        )
    }

    @Test func `a list goes, but the version that a campaign uses stays`() async throws {
        let ledger = try Ledger.open(path: folder.path + "/fanfare.db", create: true)
        let used = try await put(3, in: ledger)
        let new = campaign("derby", to: used)
        _ = try await ledger.write(.synced) { try $0.accept(new, now: CommandTime.now) }
        let free = try await put(4, in: ledger)
        let foreseen = try command.run("list", "rm", "fans", "--app", "news", "--dry-run")
        #expect(foreseen.exit == 1)
        #expect(foreseen.output.contains("@\(free.version): would be removed, 4 devices"))
        #expect(foreseen.output.contains("@\(used.version): stays, news/derby uses it"))
        #expect(try await ledger.read { try $0.lists(app: "news") }.count == 2)
        #expect(try command.run("list", "rm", "fans", "--app", "news", "--yes").exit == 1)
        #expect(try await ledger.read { try $0.lists(app: "news") }.map(\.version) == [used.version])
        await ledger.close()
    }

    @Test func `a version is named, nobody removes without --yes, and what is not there is said`() async throws {
        let ledger = try Ledger.open(path: folder.path + "/fanfare.db", create: true)
        let first = try await put(3, in: ledger)
        let second = try await put(4, in: ledger)
        let name = "fans@\(first.version)"
        let asked = try command.run("list", "rm", name, "--app", "news")
        #expect(asked.exit == 64 && asked.errors.contains("--yes"))
        #expect(try command.run("list", "rm", name, "--app", "news", "--yes").exit == 0)
        #expect(try await ledger.read { try $0.lists(app: "news") }.map(\.version) == [second.version])
        let again = try command.run("list", "rm", name, "--app", "news", "--yes")
        #expect(again.exit == 1 && again.errors.contains("news has no list \(name)"))
        await ledger.close()
    }
}
