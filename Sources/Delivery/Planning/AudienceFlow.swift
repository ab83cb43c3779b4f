public import Campaigns

/// The rules of an audience that flows: it is frozen piece by piece in the order of the registry, and what is frozen is
/// cut and sent at once (design, section 10).
public enum AudienceFlow {
    /// A reason for which an audience is frozen as a whole before anything of it is sent.
    public enum WholeReason: Sendable, Equatable, CaseIterable {
        /// Its size decides first: `at_most`.
        case atMost
        /// It waits for `fire`, and the person who fires it decides on exact numbers.
        case hold
        /// Its parts are released by time zone: `local_time` and quiet hours.
        case timeZones
        /// Its devices are found by user, not in the order of the registry.
        case users
        /// It is cut from a list, or from the devices of the job.
        case list
        /// It fits into the first piece.
        case small
    }

    /// The reason for which a job's audience is frozen as a whole; nil if it flows.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - registry: The numbers of devices that the app's registry has given away.
    public static func wholeReason(of job: Job, registry: Int64) -> WholeReason? {
        if job.atMost != nil { return .atMost }
        if job.delivery.hold { return .hold }
        if job.isByTimeZone { return .timeZones }
        switch job.audience {
        case .users: return .users
        case .devices, .list, .channel: return .list
        case .segment, .everyone, .activity: return registry <= AudiencePieces.first ? .small : nil
        }
    }

    /// The providers that get a share at the start, in order of their names.
    ///
    /// Devices of others are not known before they are met, and nobody can send to them: the app has no account there.
    ///
    /// - Parameters:
    ///   - job: The job, whose content or segment may leave providers out.
    ///   - served: The providers that the app has, at the live workers.
    ///   - accepted: The provider for which the job was accepted, if there is no other.
    public static func shares(of job: Job, served: Set<ProviderName>, accepted: ProviderName) -> [ProviderName] {
        let names = served.filter(job.mayReach).sorted { $0.rawValue < $1.rawValue }
        return names.isEmpty ? [accepted] : names
    }
}

/// The pieces in which an audience is frozen: at the end of one, all chunks under construction are closed and the
/// cursor moves.
///
/// A crash repeats the work behind the cursor, and what lies before it may be cut. So the first pieces are small: the
/// first push waits for one. But each closed chunk is a shard that is not full.
public struct AudiencePieces: Sendable, Equatable {
    /// The devices of the first piece of an audience that flows: a few milliseconds of work.
    public static let first = 2_000
    /// The devices of the largest piece, and of each piece of an audience that does not flow.
    public static let most = 250_000
    /// The part of an audience's shards that pieces may add: one of so many.
    public static let addedPart = 10

    /// True if what is frozen is sent at once.
    public let flows: Bool
    /// The devices that were frozen when the cursor last moved.
    public private(set) var devices: Int
    /// The chunks that were closed for a piece's sake: the most shards that the pieces have added.
    public private(set) var splits: Int
    /// The number of shards that the whole audience has at least, as it was estimated.
    private let shardsExpected: Int
    /// True if it is one of several ranges.
    private let isOfRange: Bool

    /// The pieces of an audience that begins, or goes on behind its cursor.
    ///
    /// - Parameters:
    ///   - flows: True if what is frozen is sent at once.
    ///   - devices: The devices up to the cursor.
    ///   - splits: The chunks that earlier pieces closed.
    ///   - expected: The estimated size of the whole; nil if there is none.
    ///   - isOfRange: True if it is one of several ranges: its end closes chunks too.
    public init(
        flows: Bool,
        devices: Int = 0,
        splits: Int = 0,
        expected: AudienceEstimate? = nil,
        isOfRange: Bool = false
    ) {
        (self.flows, self.devices, self.splits) = (flows, devices, splits)
        self.isOfRange = isOfRange
        shardsExpected = (expected?.least ?? 0) / Shard.devicesMax
    }

    /// The devices of the piece that is being frozen: 2,000 at first, then twice as many as in the piece before.
    public var size: Int { flows ? min(Self.most, devices + Self.first) : Self.most }

    /// Returns true if the piece ends here.
    ///
    /// A piece of many groups of few devices goes on, so that all pieces together add at most a tenth to the shards.
    ///
    /// - Parameters:
    ///   - devices: All devices so far, those under construction too.
    ///   - open: The chunks under construction.
    public func isDue(devices: Int, open: Int) -> Bool {
        guard devices - self.devices >= size else { return false }
        guard flows else { return true }
        let shards = max(shardsExpected, devices / Shard.devicesMax)
        // As many again are closed by the end of a range.
        return (splits + (isOfRange ? 2 * open : open)) * Self.addedPart <= shards
    }

    /// Notes that the cursor has moved.
    ///
    /// - Parameters:
    ///   - devices: All devices up to it.
    ///   - open: The chunks that were closed for it.
    public mutating func passed(devices: Int, open: Int) {
        (self.devices, splits) = (devices, splits + open)
    }
}
