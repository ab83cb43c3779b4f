import Campaigns
import Logging
import Store

/// The completed campaigns with devices that no push could reach, and these devices; in memory, up to a limit.
///
/// Each campaign is read once, chunk by chunk, while sessions go on: it never changes afterwards.
actor UnnotifiedCatalogue {
    private let ledger: Ledger
    private let logger: Logger
    private var entries: [UInt32: (app: String, entry: InsideEntry?)] = [:]
    private var devices = 0
    private var reading: Task<Void, Never>?

    /// The chunks in one read transaction.
    private static let chunks = 4

    init(ledger: Ledger, logger: Logger) {
        (self.ledger, self.logger) = (ledger, logger)
    }

    /// Returns an app's entries, as far as they are known now.
    func entries(app: String) -> [InsideEntry] {
        entries.values.compactMap { $0.app == app ? $0.entry : nil }
    }

    /// Starts to read those campaigns that are not known yet, and forgets those that are not in the list.
    func take(_ campaigns: [UnnotifiedCampaign]) {
        let kept = Set(campaigns.map(\.campaign))
        entries = entries.filter { kept.contains($0.key) }
        devices = entries.values.reduce(0) { $0 + Self.count($1.entry) }
        let new = campaigns.filter { entries[$0.campaign] == nil }
        guard !new.isEmpty, reading == nil else { return }
        reading = Task {
            for campaign in new { await read(campaign) }
            reading = nil
        }
    }

    private func read(_ campaign: UnnotifiedCampaign) async {
        guard devices < Self.devicesMax, entries[campaign.campaign] == nil else { return }
        do {
            let number = campaign.campaign
            guard let bytes = try await ledger.read({ try $0.storedJobs([number]) })[number] else { return }
            let job = try Job(stored: bytes)
            var entry: InsideEntry?
            if job.mayBeOffered {
                let found = try await found(campaign, job)
                if found.count > 0 { entry = InsideEntry(campaign, job: job, devices: found) }
            }
            entries[number] = (campaign.app, entry)
            devices += Self.count(entry)
        } catch {
            // The next change of the ledger starts another try.
            logger.warning("a campaign that apps would show cannot be read", metadata: ["error": "\(error)"])
        }
    }

    private func found(_ campaign: UnnotifiedCampaign, _ job: Job) async throws -> UnnotifiedDevices {
        var found = UnnotifiedDevices(app: campaign.app, ofRegistry: job.audience.isOfRegistry)
        let number = campaign.campaign
        var next: UInt32 = 0
        while devices + found.count < Self.devicesMax {
            let from = next
            let page = try await ledger.read { reader in
                let chunks = try reader.unnotifiedChunks(campaign: number, from: from, limit: Self.chunks)
                let results = try chunks.map { try reader.deviceResults(campaign: number, chunks: $0..<$0 + 1) }
                return (last: chunks.last, devices: results.flatMap { $0 })
            }
            guard let last = page.last else { break }
            for device in page.devices { found.add(device) }
            next = last + 1
        }
        return found
    }

    private static func count(_ entry: InsideEntry?) -> Int {
        guard case .unnotified(let devices)? = entry?.meant else { return 0 }
        return devices.count
    }
}

extension UnnotifiedCatalogue {
    /// The most campaigns that are read, the newest.
    static let campaignsMax = 1000
    /// The most devices of all campaigns together, some 10 MB; older campaigns beyond it are not shown any more.
    static let devicesMax = 200_000
}
