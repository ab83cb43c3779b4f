import ArgumentParser
import Campaigns
import Operations
import Settings
import Store

/// The commands about the ledger as a whole: its tables, and copies of it.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Migrate the ledger, back it up, and put a backup in its place.",
        subcommands: [Migrate.self, Backup.self, Restore.self]
    )

    /// Copies the ledger.
    struct Backup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copy the ledger into a new file while workers write.",
            discussion: """
                The copy is the ledger of one moment, checked, and complete in one file. A file that exists is never \
                replaced. It holds device tokens and payloads: keep it as safe as the ledger.

                Example: fanfare store backup /backup/fanfare-2026-11-20.db
                """
        )

        @Argument(help: "The new file.")
        var file: String

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let path = try StoreCommand.path(options, "pg_dump --format=custom --file=\(file)")
            let size = try StoreCommand.told { () throws(BackupError) in try LedgerBackup.backUp(path, to: file) }
            let document: JSONValue = .object([
                "ledger": .string(path), "file": .string(file), "bytes": .number(JSONNumber(size)),
            ])
            let line = "\(path) is backed up to \(file) (\(NumberText.grouped(Int(size))) bytes)"
            output.write(TerminalText.safe(line), document)
        }
    }

    /// Replaces the ledger with a backup.
    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put a backup in the ledger's place; all workers must be stopped.",
            discussion: """
                The ledger that is there is kept beside it as .before-restore-1. What was on its way when the backup was \
                made is published anew, so devices that were sent to since are sent to again. The broker's messages of \
                campaigns that the backup does not know are parked.

                A PostgreSQL database is restored with its own tools first, then this does the rest: --in-place.

                --dry-run checks the backup and tells what would be published anew.

                Example: fanfare store restore /backup/fanfare-2026-11-20.db --yes
                """
        )

        @Argument(help: "The backup of a ledger that is a file.")
        var file: String?

        @Flag(help: "The ledger's PostgreSQL database has been restored with its own tools: go on with it.")
        var inPlace = false

        @OptionGroup var confirmation: ConfirmationFlag

        @OptionGroup var flags: OrderFlags

        func run() async throws {
            switch try (flags.options.load().store, file, inPlace) {
            case (.sqlite(let path), let file?, false):
                try confirm("Replace the ledger \(path)?", "store restore replaces the ledger \(path)")
                let restored = try StoreCommand.told { () throws(BackupError) in
                    try LedgerBackup.restore(file, to: path, isDryRun: flags.isDryRun)
                }
                tell(restored, file)
            case (.sqlite, _, _):
                throw CommandFailure(.usage, "the ledger is a file: name its backup, without --in-place")
            case (.postgreSQL, _, _) where flags.isDryRun:
                throw CommandFailure(
                    .usage,
                    "--dry-run is for a ledger that is a file: the database is restored already"
                )
            case (.postgreSQL(let url), nil, true):
                let question = "Has the ledger's database been restored, and is every worker stopped?"
                try confirm(question, "store restore publishes anew what was on its way")
                let restored = try StoreCommand.told { () throws(BackupError) in
                    try LedgerBackup.restoreInPlace(postgreSQL: url)
                }
                tell(restored, nil)
            case (.postgreSQL, let file, _):
                let backup = file ?? "FILE"
                throw CommandFailure(
                    .usage,
                    "the ledger is a PostgreSQL database: use pg_restore --clean --if-exists --single-transaction "
                        + "--dbname=… \(backup) with its own connection, then fanfare store restore --in-place"
                )
            }
        }

        private func confirm(_ question: String, _ warning: String) throws {
            let question = TerminalText.safe(question)
            try confirmation.ask(question, warning, orLook: false, isDryRun: flags.isDryRun)
        }

        private func tell(_ restored: RestoredLedger, _ file: String?) {
            let document = JSONValue.object([
                "ledger": .string(restored.path), "file": file.map(JSONValue.string) ?? .null,
                "published_anew": .object([
                    "shards": .number(JSONNumber(restored.shards)), "devices": .number(JSONNumber(restored.devices)),
                ]),
                "replaced": restored.replaced.map(JSONValue.string) ?? .null,
            ])
            let source = file.map { " from \($0)" } ?? " in place"
            let kept = restored.replaced.map { "; the ledger before it is \($0)" } ?? ""
            let verb = flags.isDryRun ? "would be" : "is"
            let line =
                "\(restored.path) \(verb) restored\(source): \(NumberText.grouped(restored.shards)) shards with "
                + "\(NumberText.grouped(restored.devices)) devices \(flags.isDryRun ? "would" : "will") be published anew\(kept)"
            flags.write(TerminalText.safe(line), document)
        }
    }

    /// Returns the ledger's file; throws for a database, which has its own tools.
    private static func path(_ options: ConfigurationOptions, _ instead: String) throws -> String {
        guard case .sqlite(let path) = try options.load().store else {
            throw CommandFailure(.usage, "the ledger is a PostgreSQL database: use \(instead) with its own connection")
        }
        return path
    }

    private static func told<Value>(_ body: () throws(BackupError) -> Value) throws -> Value {
        do throws(BackupError) {
            return try body()
        } catch {
            if case .ledger(let error) = error { throw CommandFailure(error) }
            throw CommandFailure(.failed, error.description)
        }
    }
}
