import Campaigns

/// What the rows are that a campaign's chunks are cut into.
public enum Cut: Sendable, Equatable {
    /// On their way to the broker.
    case unpublished
    /// Run by this worker at once.
    case claimed(by: Int64)
    /// Set aside until the campaign is fired, which has not begun by that.
    case held
    /// Set aside for their turns under a rate, in pieces of so many devices at most.
    case inTurns(pieceMax: Int)

    /// Whether the campaign begins with it: something is on its way, or will be without anybody's word.
    public var begins: Bool { self != .held }

    /// Whether somebody publishes or runs the rows from here, so that they are returned.
    public var isReturned: Bool {
        switch self {
        case .unpublished, .claimed, .held: true
        case .inTurns: false
        }
    }
}

/// How much of a campaign is cut in one transaction, chunk by chunk.
public struct CutLimit: Sendable, Equatable {
    /// What is counted for each device while it is cut.
    public struct Counting: Sendable, Equatable {
        /// Whether it matters when that is: what others send until a held campaign is fired counts as well.
        public var waitsForFire: Bool

        /// Something is counted.
        public init(waitsForFire: Bool) {
            self.waitsForFire = waitsForFire
        }
    }

    /// Chunks that are cut in one transaction at most while each of their devices is counted: others wait for the write
    /// lock.
    public static let countedMax = 16

    /// Chunks at most.
    public let chunks: Int
    private var room: Int

    /// The limit of one transaction; nil when nothing is cut in it.
    ///
    /// - Parameters:
    ///   - cut: What the rows are.
    ///   - chunksMax: Chunks at most.
    ///   - room: Devices at most.
    ///   - counting: What is counted; nil for nothing.
    public init?(_ cut: Cut, chunksMax: Int, room: Int = .max, counting: Counting? = nil) {
        switch cut {
        case .held where counting?.waitsForFire == true: return nil
        case .unpublished where counting != nil, .inTurns where counting != nil:
            chunks = min(chunksMax, Self.countedMax)
        // What is claimed is a small job, and what is held goes in its first windows.
        case .claimed, .held, .unpublished, .inTurns: chunks = chunksMax
        }
        self.room = room
    }

    /// Whether the next chunk, of so many devices, is cut as well; behind one that is not none is.
    public mutating func takes(_ devices: Int) -> Bool {
        guard devices <= room else {
            room = -1
            return false
        }
        room -= devices
        return true
    }
}
