import ArgumentParser
import Operations
import Store

/// A selection of parked messages by common facts.
struct ParkedFilterOptions: ParsableArguments {
    @Option(help: "Only this campaign's: ID or APP/ID.")
    var campaign: CampaignArgument?

    @Option(help: "Only those that were parked for this reason, for example DeliveryLimit.")
    var reason: String?

    var filter: ParkedFilter {
        ParkedFilter(app: campaign?.app, campaign: campaign?.id, reason: reason)
    }

    var isGiven: Bool { campaign != nil || reason != nil }
}

/// The parked messages that an order is for: by number, by common facts, or all.
struct ParkedChoice: ParsableArguments {
    @Argument(help: "Their numbers, from parked list.")
    var ids: [Int64] = []

    @OptionGroup var common: ParkedFilterOptions

    @Flag(help: "All of them.")
    var all = false

    @Flag(help: "Print what would become of them; change nothing.")
    var dryRun = false

    func validate() throws {
        let ways = [!ids.isEmpty, common.isGiven, all].count { $0 }
        guard ways == 1 else {
            throw ValidationError("say which: numbers from parked list, --campaign and --reason, or --all")
        }
    }

    /// Calls `body` for each message in the order of numbers, reading at most a hundred numbers at once.
    ///
    /// Messages parked meanwhile have higher numbers than the last one at the start and are left alone.
    func forEach(in ledger: Ledger, _ body: (Int64) async throws -> Void) async throws {
        guard ids.isEmpty else {
            for id in ids { try await body(id) }
            return
        }
        var pages = try await ParkedPages(common.filter, in: ledger)
        while true {
            let page = try await pages.next(100, in: ledger)
            if page.isEmpty { return }
            for id in page { try await body(id) }
        }
    }
}
