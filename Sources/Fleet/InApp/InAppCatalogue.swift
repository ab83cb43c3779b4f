import Campaigns
import Logging
import Store

/// The live in-app campaigns, as they are in the ledger or were a second ago.
///
/// A look costs one row; campaigns are read when the ledger's revision has moved, a job once.
actor InAppCatalogue {
    private let ledger: Ledger
    private let logger: Logger
    private var entries: [String: [InAppEntry]] = [:]
    private var jobs: [UInt32: Job] = [:]
    private var revision: Int64?
    private var lookedAt: ContinuousClock.Instant?
    private var look: Task<Void, any Error>?

    /// How old it may be.
    static let age = Duration.seconds(1)

    init(ledger: Ledger, logger: Logger) {
        (self.ledger, self.logger) = (ledger, logger)
    }

    /// An app's campaigns, in the order of their acceptance.
    func entries(app: String) async throws -> [InAppEntry] {
        if lookedAt.map({ ContinuousClock.now - $0 >= Self.age }) ?? true {
            let task = look ?? Task { try await refresh() }
            look = task
            try await task.value
        }
        return entries[app] ?? []
    }

    private func refresh() async throws {
        defer { look = nil }
        // What is committed while this reads is seen by the next look.
        let now = ContinuousClock.now
        let known = revision
        let found = try await ledger.read { reader -> (revision: Int64, live: [LiveInApp])? in
            let revision = try reader.revision()
            guard revision != known else { return nil }
            return (revision: revision, live: try reader.liveInApp())
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
            revision = found.revision
        }
        lookedAt = now
    }
}
