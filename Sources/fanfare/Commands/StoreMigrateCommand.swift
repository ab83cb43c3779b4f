import ArgumentParser
import Campaigns
import Operations
import Settings
import Store

extension StoreCommand {
    /// Migrates the ledger.
    struct Migrate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Bring the ledger's tables up to date, as a step of its own before a rollout.",
            discussion: """
                Makes a ledger that does not exist yet. Workers that run go on meanwhile, and workers of the version \
                before go on, and start, with the ledger afterwards. A worker migrates by itself, too; this step keeps \
                the first one from waiting for it.

                --check changes nothing. It ends with 1 when this version cannot work with the ledger as it is: it is \
                missing, not migrated yet, or of a version that is too new.

                Example: fanfare store migrate --config /etc/fanfare/fanfare.yaml
                """
        )

        @Flag(help: "Tell if there is anything to do, and change nothing.")
        var check = false

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let store = try options.load().store
            let before = try Self.standing(store)
            if !check, before?.isTooNew != true {
                do throws(LedgerError) {
                    await (try Ledger.open(store, create: true)).close()
                } catch {
                    throw CommandFailure(error)
                }
            }
            let now = check ? before : try Self.standing(store)
            let added = check ? [] : now?.applied(since: before) ?? []
            tell(now, added: added)
            if now?.isUsable != true { throw ExitCode(FanfareExit.failed.rawValue) }
        }

        /// Returns the ledger's migrations, compared with this version's; nil without a ledger.
        private static func standing(_ store: Configuration.StoreLocation) throws -> SchemaStanding? {
            do throws(LedgerError) {
                return try Ledger.schema(store)
            } catch {
                if case .missing = error { return nil }
                throw CommandFailure(error)
            }
        }

        private func tell(_ standing: SchemaStanding?, added: [String]) {
            let names = { (names: [String]) in JSONValue.array(names.map(JSONValue.string)) }
            let document = JSONValue.object([
                "usable": .bool(standing?.isUsable == true), "exists": .bool(standing != nil),
                "migrated": names(added), "missing": names(standing?.missing ?? []),
                "unknown": names(standing?.unknown ?? []),
            ])
            output.write(line(standing, added: added), document)
        }

        private func line(_ standing: SchemaStanding?, added: [String]) -> String {
            guard let standing else { return "there is no ledger yet: run fanfare store migrate" }
            if standing.isTooNew { return "the ledger was written by a later version: update this program" }
            if !standing.missing.isEmpty {
                return "the ledger lacks \(standing.missing.joined(separator: ", ")): run fanfare store migrate"
            }
            let later = standing.unknown.isEmpty ? "" : "; a later version has migrated it further"
            let done = added.isEmpty ? "nothing to migrate" : "migrated: \(added.joined(separator: ", "))"
            return check ? "this version can work with the ledger\(later)" : "\(done)\(later)"
        }
    }
}
