import Campaigns
import Operations
import PushProviders
import Store
import TLS

/// The schedule and audience of a new campaign.
extension Intake {
    /// The origin of a job: a producer's message, or the campaign that it is a run of.
    struct Origin {
        /// The correlation id for events.
        var correlationID: String
        /// A W3C `traceparent`; empty for none.
        var traceParent = ""
        /// The list and its version that are a run's audience; nil when the job names the audience.
        var list: (number: UInt32, version: String?)?
    }

    /// The time and audience of a campaign at its acceptance.
    struct Schedule {
        var audience: NewCampaign.Audience
        var freezing: NewCampaign.Freezing?
        var parts: [NewPart] = []
        var expiresAt: Timestamp
        var release: NewCampaign.Release
        var collapseKey: [UInt8]?
        var repetition: NewRepetition?
    }

    func schedule(_ job: Job, _ origin: Origin, now: Timestamp) async throws -> Schedule {
        if let times = RepeatCheck.times(of: job), let first = times.first(after: now) {
            return try await schedule(job, repeated: times, first: first)
        }
        let audience: NewCampaign.Audience
        if let list = origin.list { audience = .list(list.number) } else { audience = try await self.audience(job) }
        let parts = try await parts(job, audience, now: now)
        let devicesVersion = origin.list == nil ? audience.inlineVersion : origin.list?.version
        return Schedule(
            audience: audience,
            freezing: try await freezing(job),
            parts: parts,
            expiresAt: parts.map(\.times.expiresAt).max() ?? job.expiresAt(acceptedAt: now),
            release: NewCampaign.Release(
                sendAt: job.delivery.sendAt,
                isHeld: job.delivery.hold,
                seconds: job.delivery.expiry.secondsFromRelease
            ),
            collapseKey: job.collapseName(devicesVersion: devicesVersion).map { SHA256.digest($0) }
        )
    }

    /// Returns the schedule of a repeated campaign, never sent itself: it keeps its end, and what its runs need.
    private func schedule(_ job: Job, repeated times: RunTimes, first: Timestamp) async throws -> Schedule {
        let audience: NewCampaign.Audience
        switch job.audience {
        case .devices, .list(_, version: .some): audience = try await self.audience(job)
        // Each run uses the newest version, or the channel, at its time.
        case .list(_, version: nil), .users, .segment, .everyone, .channel, .activity: audience = .registry
        }
        var repetition = NewRepetition(next: NextRun(at: first, madeAt: times.madeAt(first)))
        if case .list(let name, let version?) = job.exclude {
            repetition.excludedList = try await list(app: job.app, name: name, version: version)
        }
        return Schedule(
            audience: audience,
            expiresAt: times.until ?? .distantFuture,
            release: NewCampaign.Release(),
            repetition: repetition
        )
    }

    /// Returns the run of a repeated campaign in the ledger's form.
    ///
    /// Throws `RunNotMade` when a list or the channel that its job names does not exist.
    func run(_ job: Job, of parent: RepeatedCampaign, now: Timestamp) async throws -> NewCampaign {
        let app = job.app
        for case .list(let name, let version)? in [parent.list == nil ? job.audience : nil, job.exclude] {
            guard try await ledger.read({ try $0.list(app: app, name: name, version: version) }) != nil else {
                throw RunNotMade(description: "the list \(version.map { "\(name)@\($0)" } ?? name) is not there")
            }
        }
        let identity = SHA256.digest(job.canonicalJSON())
        let sent = try await addressed(job)
        let known = KnownApp(app, in: apps)
        let contents = try await providers(ofRun: sent, list: parent.list, now: now).map {
            known.variants(of: sent, for: $0)
        }
        let origin = Origin(
            correlationID: parent.correlationID,
            traceParent: parent.traceParent,
            list: parent.list.map { ($0, parent.listVersion) }
        )
        return try await newCampaign(sent, contents, identity, [], origin, now: now)
    }

    /// Returns a run as it is sent to the channel that it names, if it names one.
    private func addressed(_ job: Job) async throws -> Job {
        guard case .channel(let name) = job.audience else { return job }
        let app = job.app
        guard let channel = try await ledger.read({ try $0.channel(app: app, name: name) }) else {
            throw RunNotMade(description: "the channel \(name) is not there")
        }
        return job.addressed(to: channel)
    }

    // MARK: - Audience

    /// Returns a part for each time zone of a known audience; of other audiences the planner makes the parts.
    private func parts(
        _ job: Job,
        _ audience: NewCampaign.Audience,
        now: Timestamp
    ) async throws -> [NewPart] {
        guard job.isByTimeZone, !job.isFrozenFirst else { return [] }
        let zones: Set<String?>
        switch audience {
        case .inline(let chunks, _, _): zones = Set(chunks.map(\.group.timeZone))
        case .list(let number), .written(let number, _, _):
            zones = Set(try await ledger.read { try $0.timeZones(list: number) })
        case .registry: return []
        }
        return apps.parts(of: job, zones: zones, at: now)
    }

    func audience(_ job: Job) async throws -> NewCampaign.Audience {
        switch job.audience {
        case .devices(let devices):
            let list = try InlineList(devices: devices)
            return .inline(list.chunks, version: list.version, duplicates: list.duplicates)
        // The upload is awaited before there is a list.
        case .channel(let name):
            let app = job.app
            guard let channel = try await ledger.read({ try $0.channel(app: app, name: name) }) else {
                throw LedgerError.failed("the channel \(name) went away while its campaign was accepted")
            }
            let list = try InlineList(devices: [channel.device])
            return .inline(list.chunks, version: list.version, duplicates: 0)
        case .list where job.upload != nil: return .registry
        case .list(let name, let version):
            let app = job.app
            return .list(try await list(app: app, name: name, version: version))
        case .users, .segment, .everyone, .activity: return .registry
        }
    }

    /// Writes the devices of a job before its acceptance, if their chunks are too many for one transaction.
    func writingChunks(of new: NewCampaign, now: Timestamp) async throws -> (NewCampaign, isWritten: Bool) {
        guard case .inline(let chunks, let version, let duplicates) = new.audience, chunks.count > Self.chunksMax else {
            return (new, false)
        }
        let app = new.facts.app
        let list = try await ledger.write(.normal) { try $0.beginList(app: app, name: nil, now: now) }
        for start in stride(from: 0, to: chunks.count, by: Self.chunksMax) {
            let piece = Array(chunks[start..<min(start + Self.chunksMax, chunks.count)])
            try await ledger.write(.normal) { try $0.appendChunks(piece, to: list, now: now) }
        }
        var written = new
        written.audience = .written(list: list, version: version, duplicates: duplicates)
        return (written, true)
    }

    /// The most chunks written in the transaction of the acceptance: as many as 50,000 similar devices need.
    private static let chunksMax = 100

    func list(app: String, name: String, version: String?) async throws -> UInt32 {
        guard let record = try await ledger.read({ try $0.list(app: app, name: name, version: version) }) else {
            throw LedgerError.failed("the list \(name) went away while its campaign was accepted")
        }
        return record.number
    }

    /// Returns the freezing of the audience; the campaign keeps the version of the excluded list at its acceptance.
    private func freezing(_ job: Job) async throws -> NewCampaign.Freezing? {
        guard job.isFrozenFirst else { return nil }
        guard case .list(let name, let version) = job.exclude else {
            return NewCampaign.Freezing(excludedList: nil, upload: job.upload)
        }
        let excluded = try await list(app: job.app, name: name, version: version)
        return NewCampaign.Freezing(excludedList: excluded, upload: job.upload)
    }
}

extension NewCampaign.Audience {
    /// The version of inline devices; nil for a list.
    fileprivate var inlineVersion: String? {
        switch self {
        case .inline(_, let version, _), .written(_, let version, _): version
        case .list, .registry: nil
        }
    }
}
