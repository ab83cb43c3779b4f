import Campaigns
import Delivery
import Operations
import Store

/// The segment and the exclusion of an audience, with everything that is read for them before the first device.
struct AudienceFilter: Sendable {
    /// The segment; nil for an audience that has none.
    var segment: TrackedSegment?
    /// The devices that are left out.
    var exclusion: Exclusion
    /// The time in which the exclusion was read.
    var exclusionTime: Duration

    /// Reads the filter of an audience: the answers to questions about campaigns, and an excluded list.
    static func read(of audience: FrozenAudience, _ job: Job, from ledger: Ledger) async throws -> AudienceFilter {
        // All who freeze it ask as of one instant, whenever they take it up.
        let (app, now, begun) = (audience.app, audience.asOf, ContinuousClock.now)
        let exclusion = try await Exclusion.read(
            job.exclude,
            app: app,
            list: audience.excluded,
            now: now,
            from: ledger
        )
        var filter = AudienceFilter(exclusion: exclusion, exclusionTime: ContinuousClock.now - begun)
        if case .segment(let segment) = job.audience {
            filter.segment = try await TrackedSegment.read(segment, app: app, now: now, from: ledger)
        }
        return filter
    }
}

/// The filters of the audiences that a planner freezes, each read once for all ranges that it takes up.
///
/// Ranges are judged as of one instant, so what was read for one of them holds for all. Confined to the planner's task.
struct KnownFilters {
    private struct Key: Equatable {
        var asOf: Timestamp
        var list: UInt32?
    }

    private var known: [UInt32: (key: Key, filter: AudienceFilter)] = [:]

    /// Returns the filter of an audience; one that was known took no time.
    ///
    /// `read` reads it.
    mutating func filter(
        of audience: FrozenAudience,
        _ read: () async throws -> AudienceFilter
    ) async throws -> AudienceFilter {
        let key = Key(asOf: audience.asOf, list: audience.excluded)
        if var found = known[audience.campaign], found.key == key {
            found.filter.exclusionTime = .zero
            return found.filter
        }
        let filter = try await read()
        known[audience.campaign] = (key, filter)
        return filter
    }

    /// Forgets the filters of all campaigns but these.
    mutating func forgetOthers(than campaigns: Set<UInt32>) {
        known = known.filter { campaigns.contains($0.key) }
    }
}
