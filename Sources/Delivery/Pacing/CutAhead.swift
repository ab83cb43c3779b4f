public import Campaigns

/// The amount that one queue is cut ahead of its turns, chunk by chunk.
///
/// A share whose next chunk has no room under the wrong-environment guard leaves the amount to the others.
public struct CutAhead: Sendable, Equatable {
    /// The largest number of devices in a shard.
    public let pieceMax: Int
    private let hasShares: Bool
    private var shares: [CampaignFacts]
    private var missing: Int

    /// Cuts until the waiting devices are worth more than the turns that can be given away now.
    ///
    /// - Parameters:
    ///   - shares: The shares of the queue.
    ///   - paces: The limits of each of its slots.
    ///   - waiting: The number of devices that are cut and wait.
    public init(_ shares: [CampaignFacts], _ paces: [Pace], waiting: Int) {
        self.shares = shares
        hasShares = shares.first?.hasShares == true
        pieceMax = Pacing.devicesMax(paces)
        missing = Pacing.devicesAhead(paces) - waiting
    }

    /// True if another chunk is wanted.
    public var isShort: Bool { missing > 0 && !shares.isEmpty }

    /// The providers whose next chunk is wanted; nil in a campaign of one provider.
    public var providers: Set<ProviderName>? { hasShares ? Set(shares.compactMap(\.share)) : nil }

    /// The share for a chunk of this provider (nil in a campaign of one provider); nil if no such chunk is wanted.
    public func share(of provider: ProviderName?) -> CampaignFacts? { shares.first { $0.share == provider } }

    /// Decides whether a chunk of this many devices is cut; `room`: devices that may still be out while the guard
    /// watches.
    public mutating func takes(_ devices: Int, of share: CampaignFacts, room: Int) -> Bool {
        guard devices <= room else {
            shares.removeAll { $0.share == share.share }
            return false
        }
        missing -= devices
        return true
    }
}
