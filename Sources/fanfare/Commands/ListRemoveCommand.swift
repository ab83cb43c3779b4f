import ArgumentParser
import Campaigns
import Operations
import Store

/// Removes lists that are no longer used.
struct ListRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove a list, or one version of it; a version that a campaign uses stays.",
        discussion: """
            A campaign keeps the version that it was accepted with, also after its end, until store.retention.campaigns \
            removes it: its devices' outcomes depend on it. Ends with 1 when a version stays for that reason.

            Example: fanfare list rm subscribers@0c74c989077e21b3063e --app news --yes
            """
    )

    @Argument(help: "NAME for all versions, or NAME@VERSION.")
    var list: String

    @Option(help: "The app that it belongs to.")
    var app: String

    @Flag(help: "Say what would be removed; change nothing.")
    var dryRun = false

    @OptionGroup var confirmation: ConfirmationFlag

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try confirmation.ask(removing: list, with: "list rm", isDryRun: dryRun)
        let parts = list.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let (app, name, version, isDry) = (app, parts[0], parts.count == 2 ? parts[1] : nil, dryRun)
        let results = try await options.withLedger { ledger in
            let versions = try await ledger.read { try $0.lists(app: app) }
                .filter { $0.name == name && (version == nil || $0.version == version) }
            if versions.isEmpty { throw CommandFailure(.notFound, "\(app) has no list \(list)") }
            var results: [(record: ListRecord, removal: ListRemoval)] = []
            for record in versions {
                let removal =
                    isDry
                    ? try await ledger.read { try $0.foreseeRemoval(ofList: record.number) }
                    : try await ledger.write(.synced) { try $0.removeList(record.number) }
                results.append((record, removal))
            }
            return results
        }
        output.write(
            results.map { line($0.record, $0.removal) }.joined(separator: "\n"),
            .array(results.map { json($0.record, $0.removal) })
        )
        if results.contains(where: { $0.removal.isKept }) { throw FanfareExit.failed }
    }

    private func line(_ record: ListRecord, _ removal: ListRemoval) -> String {
        let name = "\(app)/\(record.name ?? "")@\(record.version)"
        let devices = "\(NumberText.grouped(record.devices)) devices"
        return switch removal {
        case .removed: dryRun ? "\(name): would be removed, \(devices)" : "\(name): removed, \(devices)"
        case .used(let campaign): "\(name): stays, \(campaign) uses it"
        case .missing: "\(name): gone already"
        }
    }

    private func json(_ record: ListRecord, _ removal: ListRemoval) -> JSONValue {
        var (result, user) = ("removed", JSONValue.null)
        switch removal {
        case .removed: break
        case .used(let campaign): (result, user) = ("used", .string(campaign))
        case .missing: result = "missing"
        }
        return .object([
            "app": .string(app), "name": .string(record.name ?? ""), "version": .string(record.version),
            "devices": .number(JSONNumber(record.devices)), "result": .string(result), "used_by": user,
            "dry_run": .bool(dryRun),
        ])
    }
}

extension ListRemoval {
    fileprivate var isKept: Bool { if case .used = self { true } else { false } }
}
