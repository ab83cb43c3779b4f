import Campaigns
import Logging
import Store

/// The live in-app campaigns, as the ledger has them or had them a second ago.
///
/// A read costs one row: campaigns are read only when the ledger's revision has moved, and each job once.
actor InAppCatalogue {
    private let ledger: Ledger
    private let logger: Logger
    private let unnotified: UnnotifiedCatalogue
    private var entries: [String: [InAppEntry]] = [:]
    private var inside: [String: [InsideEntry]] = [:]
    private var jobs: [UInt32: Job] = [:]
    private var revision: Int64?
    private var polledAt: ContinuousClock.Instant?
    private var poll: Task<Void, any Error>?

    /// The greatest age of the entries.
    static let age = Duration.seconds(1)

    init(ledger: Ledger, logger: Logger) {
        (self.ledger, self.logger) = (ledger, logger)
        unnotified = UnnotifiedCatalogue(ledger: ledger, logger: logger)
    }

    /// Returns an app's campaigns in order of acceptance: messages, and those that the app shows as the system would.
    func live(app: String) async throws -> (messages: [InAppEntry], inside: [InsideEntry]) {
        if polledAt.map({ ContinuousClock.now - $0 >= Self.age }) ?? true {
            let task = poll ?? Task { try await refresh() }
            poll = task
            try await task.value
        }
        return (entries[app] ?? [], await (inside[app] ?? []) + unnotified.entries(app: app))
    }

    private func refresh() async throws {
        defer { poll = nil }
        // Commits during this read are seen by the next one.
        let now = ContinuousClock.now
        let (known, instant) = (revision, ledger.now())
        let found = try await ledger.read {
            reader -> (revision: Int64, live: [LiveInApp], unnotified: [UnnotifiedCampaign])? in
            let revision = try reader.revision()
            guard revision != known else { return nil }
            return (
                revision: revision,
                live: try reader.liveInApp(),
                unnotified: try reader.unnotifiedCampaigns(now: instant, limit: UnnotifiedCatalogue.campaignsMax)
            )
        }
        if let found {
            let unread = found.live.map(\.campaign).filter { jobs[$0] == nil }
            let stored = try await ledger.read { try $0.storedJobs(unread) }
            for (campaign, bytes) in stored {
                do {
                    jobs[campaign] = try Job(stored: bytes)
                } catch {
                    logger.error("an in-app campaign cannot be read", metadata: ["error": "\(error)"])
                }
            }
            jobs = jobs.filter { job in found.live.contains { $0.campaign == job.key } }
            let all = found.live.compactMap { live in jobs[live.campaign].flatMap { InAppEntry(live, job: $0) } }
            entries = Dictionary(grouping: all, by: \.live.app)
            inside = [:]
            for live in found.live {
                guard let entry = jobs[live.campaign].flatMap({ InsideEntry(live, job: $0) }) else { continue }
                inside[live.app, default: []].append(entry)
            }
            await unnotified.take(found.unnotified)
            revision = found.revision
        }
        polledAt = now
    }
}
