public import Campaigns

/// How far one queue is cut ahead of its turns, chunk by chunk.
///
/// A share whose next chunk has no room under the wrong-environment guard leaves the rest to the others.
public struct CutAhead: Sendable, Equatable {
    /// Devices of a shard at most.
    public let pieceMax: Int
    private let hasShares: Bool
    private var shares: [CampaignFacts]
    private var missing: Int

    /// Cuts until what waits is worth more than the turns that can be given away now.
    ///
    /// - Parameters:
    ///   - shares: The shares of the queue.
    ///   - paces: The limits of each of its slots.
    ///   - waiting: Devices that are cut and wait.
    public init(_ shares: [CampaignFacts], _ paces: [Pace], waiting: Int) {
        self.shares = shares
        hasShares = shares.first?.hasShares == true
        pieceMax = Pacing.devicesMax(paces)
        missing = Pacing.devicesAhead(paces) - waiting
    }

    /// Whether another chunk is wanted.
    public var isShort: Bool { missing > 0 && !shares.isEmpty }

    /// The providers whose next chunk is wanted; nil in a campaign of one.
    public var providers: Set<ProviderName>? { hasShares ? Set(shares.compactMap(\.share)) : nil }

    /// The share of a chunk of this provider (nil in a campaign of one); nil when none is wanted of it.
    public func share(of provider: ProviderName?) -> CampaignFacts? { shares.first { $0.share == provider } }

    /// Whether a chunk of so many devices is cut; `room`: devices that may still be out while the guard watches its share.
    public mutating func takes(_ devices: Int, of share: CampaignFacts, room: Int) -> Bool {
        guard devices <= room else {
            shares.removeAll { $0.share == share.share }
            return false
        }
        missing -= devices
        return true
    }
}
