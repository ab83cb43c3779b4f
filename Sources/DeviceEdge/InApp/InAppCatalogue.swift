import Campaigns
import Logging
import Store

/// The live in-app campaigns, as the ledger has them or had them a second ago.
///
/// A read costs one row: campaigns are read only when the ledger's revision has moved, and each job once.
actor InAppCatalogue {
    private let ledger: Ledger
    private let logger: Logger
    private let untold: UntoldCatalogue
    private var entries: [String: [InAppEntry]] = [:]
    private var inside: [String: [InsideEntry]] = [:]
    private var jobs: [UInt32: Job] = [:]
    private var revision: Int64?
    private var lookedAt: ContinuousClock.Instant?
    private var look: Task<Void, any Error>?

    /// The greatest age of the entries.
    static let age = Duration.seconds(1)

    init(ledger: Ledger, logger: Logger) {
        (self.ledger, self.logger) = (ledger, logger)
        untold = UntoldCatalogue(ledger: ledger, logger: logger)
    }

    /// Returns an app's campaigns in order of acceptance: messages, and those that the app shows as the system would.
    func live(app: String) async throws -> (messages: [InAppEntry], inside: [InsideEntry]) {
        if lookedAt.map({ ContinuousClock.now - $0 >= Self.age }) ?? true {
            let task = look ?? Task { try await refresh() }
            look = task
            try await task.value
        }
        return (entries[app] ?? [], await (inside[app] ?? []) + untold.entries(app: app))
    }

    private func refresh() async throws {
        defer { look = nil }
        // Commits during this read are seen by the next one.
        let now = ContinuousClock.now
        let (known, instant) = (revision, ledger.now())
        let found = try await ledger.read { reader -> (revision: Int64, live: [LiveInApp], untold: [UntoldCampaign])? in
            let revision = try reader.revision()
            guard revision != known else { return nil }
            return (
                revision: revision,
                live: try reader.liveInApp(),
                untold: try reader.untoldCampaigns(now: instant, limit: UntoldCatalogue.campaignsMax)
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
            await untold.take(found.untold)
            revision = found.revision
        }
        lookedAt = now
    }
}
