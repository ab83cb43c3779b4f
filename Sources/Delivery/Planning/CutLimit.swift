import Campaigns

/// The kind of rows into which a campaign's chunks are cut.
public enum Cut: Sendable, Equatable {
    /// On their way to the broker.
    case unpublished
    /// Run by this worker at once.
    case claimed(by: Int64)
    /// Set aside until the campaign is fired; this does not begin the campaign.
    case held
    /// Set aside for their turns under a rate, in pieces of at most this many devices.
    case inTurns(pieceMax: Int)

    /// True if the campaign begins with these rows: they are on their way, or will be without anybody's order.
    public var begins: Bool { self != .held }

    /// True if the caller publishes or runs the rows, so that they are returned.
    public var isReturned: Bool {
        switch self {
        case .unpublished, .claimed, .held: true
        case .inTurns: false
        }
    }
}

/// The limit on the amount of a campaign that one transaction cuts, chunk by chunk.
public struct CutLimit: Sendable, Equatable {
    /// The counting that is done for each device while it is cut.
    public struct Counting: Sendable, Equatable {
        /// True if the instant matters: pushes that others send before a held campaign is fired count as well.
        public var waitsForFire: Bool

        /// A counting.
        public init(waitsForFire: Bool) {
            self.waitsForFire = waitsForFire
        }
    }

    /// The largest number of chunks in one transaction while each device is counted.
    ///
    /// Others wait for the write lock meanwhile.
    public static let countedMax = 16

    /// The largest number of chunks.
    public let chunks: Int
    private var room: Int

    /// The limit of one transaction; nil if nothing is cut in it.
    ///
    /// - Parameters:
    ///   - cut: The kind of the rows.
    ///   - chunksMax: The largest number of chunks.
    ///   - room: The largest number of devices.
    ///   - counting: The counting for each device; nil for none.
    public init?(_ cut: Cut, chunksMax: Int, room: Int = .max, counting: Counting? = nil) {
        switch cut {
        case .held where counting?.waitsForFire == true: return nil
        case .unpublished where counting != nil, .inTurns where counting != nil:
            chunks = min(chunksMax, Self.countedMax)
        // Claimed rows are a small job, and held rows go out in its first windows.
        case .claimed, .held, .unpublished, .inTurns: chunks = chunksMax
        }
        self.room = room
    }

    /// Decides whether the next chunk, of this many devices, is cut too; after a rejected chunk no other is.
    public mutating func takes(_ devices: Int) -> Bool {
        guard devices <= room else {
            room = -1
            return false
        }
        room -= devices
        return true
    }
}
