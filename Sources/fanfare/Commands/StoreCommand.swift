import ArgumentParser
import Campaigns
import Fleet
import Store

/// The commands about the ledger's file.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Back the ledger up, and put a backup in its place.",
        subcommands: [Backup.self, Restore.self]
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
            Terminal.write((output.json ? document.text : TerminalText.safe(line)) + "\n")
        }
    }

    /// Puts a backup in the ledger's place.
    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put a backup in the ledger's place; all workers must be stopped.",
            discussion: """
                The ledger that is there is kept beside it as .before-restore-1. What was on its way when the backup was \
                made is published anew, so devices that were sent to since are sent to again. The broker's messages of \
                campaigns that the backup does not know are parked.

                Example: fanfare store restore /backup/fanfare-2026-11-20.db --yes
                """
        )

        @Argument(help: "The backup.")
        var file: String

        @Flag(help: "Do not ask.")
        var yes = false

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let path = try StoreCommand.path(options, "pg_restore --clean --if-exists --dbname=… \(file)")
            if !yes {
                guard Terminal.isInputTerminal else {
                    throw CommandFailure(.usage, "store restore replaces the ledger \(path): add --yes")
                }
                Terminal.writeError("Replace the ledger \(TerminalText.safe(path))? [y/N] ")
                guard readLine() == "y" else { throw FanfareExit.failed }
            }
            let restored = try StoreCommand.told { () throws(BackupError) in
                try LedgerBackup.restore(file, to: path)
            }
            let document: JSONValue = .object([
                "ledger": .string(path), "file": .string(file),
                "published_anew": .object([
                    "shards": .number(JSONNumber(restored.shards)), "devices": .number(JSONNumber(restored.devices)),
                ]),
                "replaced": restored.replaced.map(JSONValue.string) ?? .null,
            ])
            let kept = restored.replaced.map { "; the ledger before it is \($0)" } ?? ""
            let line =
                "\(path) is restored from \(file): \(NumberText.grouped(restored.shards)) shards with "
                + "\(NumberText.grouped(restored.devices)) devices will be published anew\(kept)"
            Terminal.write((output.json ? document.text : TerminalText.safe(line)) + "\n")
        }
    }

    /// The ledger's file; for a database that has its own tools, the failure that names the command.
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
