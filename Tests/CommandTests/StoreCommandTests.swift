import Campaigns
import GRDB
import Store
import Testing

@Suite struct StoreCommandTests {
    private let folder: CommandFolder
    private let command: Command

    init() throws {
        folder = try CommandFolder()
        command = Command(folder: folder.path)
    }

    @Test func `without a ledger a backup ends with 69 and makes no file`() throws {
        let outcome = try command.run("store", "backup", "copy.db")
        #expect(outcome.exit == 69)
        #expect(outcome.errors.contains(folder.path + "/fanfare.db"))
        #expect(try folder.files().isEmpty)
        #expect(try command.run("store", "restore", "copy.db", "--yes").exit == 69)
    }

    @Test func `migrate makes the ledger, tells what it did, and --check tells if there is anything to do`() throws {
        let none = try command.run("store", "migrate", "--check")
        #expect(none.exit == 1 && none.output.contains("there is no ledger yet"))
        #expect(try folder.files().isEmpty)
        let made = try command.run("store", "migrate", "--json")
        #expect(made.exit == 0, "\(made.errors)")
        let document = try #require(JSONReader.read(Array(made.output.utf8)).value)
        #expect(document["usable"] == .bool(true))
        #expect((document["migrated"]?.array ?? []).count > 20)
        let again = try command.run("store", "migrate")
        #expect(again.exit == 0 && again.output == "nothing to migrate\n")
        #expect(try command.run("store", "migrate", "--check").exit == 0)
        let queue = try DatabaseQueue(path: folder.path + "/fanfare.db")
        try queue.write { try $0.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = 'retry_reasons'") }
        let lacking = try command.run("store", "migrate", "--check")
        #expect(lacking.exit == 1 && lacking.output.contains("the ledger lacks retry_reasons"))
        try queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('retry_reasons'), ('99')") }
        let later = try command.run("store", "migrate", "--check")
        #expect(later.exit == 0 && later.output.contains("a later version has migrated it further"))
        try queue.write { try $0.execute(sql: "INSERT INTO meta VALUES ('needed_migrations', 1000)") }
        for arguments in [["--check"], []] {
            let tooNew = try command.run(["store", "migrate"] + arguments)
            #expect(tooNew.exit == 1 && tooNew.output.contains("update this program"), "\(tooNew)")
        }
    }

    @Test func `a database is backed up and restored with its own tools first`() throws {
        let store = ["--store", "postgresql://fanfare@127.0.0.1:1/fanfare"]
        let backup = try command.run(["store", "backup", "copy.dump"] + store)
        #expect(backup.exit == 64 && backup.errors.contains("pg_dump --format=custom --file=copy.dump"))
        let restore = try command.run(["store", "restore", "copy.dump", "--yes"] + store)
        #expect(restore.exit == 64 && restore.errors.contains("then fanfare store restore --in-place"))
        #expect(try command.run(["store", "restore", "--in-place"] + store).exit == 64)
        #expect(try command.run(["store", "restore", "--in-place", "--yes"] + store).exit == 69)
        // A file's restore needs the name of a backup.
        #expect(try command.run("store", "restore", "--in-place", "--yes").exit == 64)
        #expect(try command.run("store", "restore", "--yes").exit == 64)
    }

    @Test func `a backup says where it is, is never replaced, and is restored only with yes`() async throws {
        let ledger = try Ledger.open(path: folder.path + "/fanfare.db", create: true)
        let made = try command.run("store", "backup", "copy.db", "--json")
        #expect(made.exit == 0)
        let document = try #require(JSONReader.read(Array(made.output.utf8)).value)
        #expect(document["ledger"]?.string == folder.path + "/fanfare.db")
        #expect(document["file"]?.string == "copy.db")
        #expect(try command.run("store", "backup", "copy.db").exit == 1)

        #expect(try command.run("store", "restore", "copy.db").exit == 64)
        let inUse = try command.run("store", "restore", "copy.db", "--yes")
        #expect(inUse.exit == 1)
        #expect(inUse.errors.contains("stop all workers"))
        await ledger.close()
        let restored = try command.run("store", "restore", "copy.db", "--yes")
        #expect(restored.exit == 0, "\(restored.errors)")
        #expect(try folder.files().contains("fanfare.db.before-restore-1"))
        #expect(try command.run("campaign", "list", "--json").output == "[]\n")
    }
}
