import ArgumentParser
import Campaigns
import Operations
import PushProviders
import Store
import Synchronization

/// Lists every device of a campaign with its outcome.
struct CampaignOutcomesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outcomes",
        abstract: "Print every device of a campaign with its outcome: CSV, or with --ndjson an object a line.",
        discussion: """
            Page by page, so that a million devices take no more memory than ten; tokens in full, because lists are cleaned \
            with them.

              fanfare campaign outcomes derby --outcome invalid --ndjson
              fanfare campaign outcomes derby --outcome failed --reason PayloadTooLarge

            Example: fanfare campaign outcomes news/derby --outcome invalid --ndjson
            """
    )

    @Argument(help: "ID or APP/ID.")
    var campaign: CampaignArgument

    @Option(help: "Only devices with this outcome (accepted, invalid, failed, …), or pending ones.")
    var outcome: String?

    @Option(help: "Only devices with this reason, for example Unregistered.")
    var reason: String?

    @Flag(help: "An object a line, the same as --json.")
    var ndjson = false

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        let known = Outcome.allCases.map(\.name) + ["pending"]
        guard outcome.map(known.contains) ?? true else {
            throw ValidationError("--outcome is one of \(known.joined(separator: ", "))")
        }
    }

    func run() async throws {
        let (campaign, wanted, reason) = (campaign, outcome, reason)
        let isJSON = output.json || ndjson
        try await options.withLedger { ledger in
            let found = try await ledger.read { try $0.campaignNumber(app: campaign.app, id: campaign.id) }
            guard let number = found else { throw campaign.notFound(in: ledger) }
            guard try await !ledger.read({ try $0.areOutcomesForgotten(campaign: number) }) else {
                throw CommandFailure(
                    .failed,
                    "the outcomes of \(campaign.text)'s single devices are not kept any longer "
                        + "(store.retention.outcomes); its totals are: fanfare campaign status \(campaign.text)"
                )
            }
            let page = OutputPage()
            if !isJSON { try page.add("token,provider,id,outcome,requests,reason\n") }
            try await ledger.devices(campaign: number) { device in
                let outcome = device.outcome?.name ?? "pending"
                guard wanted == nil || wanted == outcome, reason == nil || reason == device.reason else { return }
                try page.add(isJSON ? Self.object(device, outcome) : Self.record(device, outcome))
            }
            try page.flush()
        }
    }

    private static func object(_ device: DeviceResult, _ outcome: String) -> String {
        JSONValue.object([
            "token": .string(Self.token(device)), "provider": .string(device.provider.rawValue),
            "id": device.id.map(JSONValue.string) ?? .null, "outcome": .string(outcome),
            "requests": .number(JSONNumber(device.requests)),
            "reason": device.reason.map(JSONValue.string) ?? .null,
        ]).text + "\n"
    }

    private static func record(_ device: DeviceResult, _ outcome: String) -> String {
        let fields = [
            Self.token(device), device.provider.rawValue, device.id ?? "", outcome, String(device.requests),
            device.reason ?? "",
        ]
        return fields.map(quoted).joined(separator: ",") + "\n"
    }

    private static func token(_ device: DeviceResult) -> String {
        ProviderRegistry.tokens.text(of: Array(device.token), provider: device.provider)
    }

    /// Returns a field quoted as RFC 4180 requires.
    private static func quoted(_ field: String) -> String {
        guard field.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return field }
        return "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

/// Collects lines and writes them a page at a time.
private final class OutputPage: Sendable {
    private static let pageBytes = 65_536
    private let text = Mutex("")

    func add(_ line: String) throws {
        let isFull = text.withLock { text in
            text += line
            return text.utf8.count >= Self.pageBytes
        }
        if isFull { try flush() }
    }

    /// Writes the page; throws when the output's reader is gone, which ends the command.
    func flush() throws {
        let page = text.withLock { text in
            defer { text = "" }
            return text
        }
        if !page.isEmpty, !Terminal.write(page) { throw FanfareExit.failed }
    }
}
