public import Campaigns

/// How often one device may be sent to: an app's rules, all of which hold (contract, section 4, `frequency_cap`).
///
/// What counts is an alert, because that is what a person sees; whoever asks leaves other pushes out.
public struct FrequencyCap: Sendable, Equatable {
    /// The app's rules; none: as often as there are campaigns.
    public var rules: [Rule]

    /// So many in so long.
    public struct Rule: Sendable, Hashable {
        /// 1 … `mostMax`.
        public var most: Int
        /// A rolling window, a second to `windowMax`: exact instants, not calendar days.
        public var per: Duration
        /// It counts, and binds, campaigns with one of these tags; without tags every campaign.
        public var tags: Set<String>

        /// A rule.
        public init(most: Int, per: Duration, tags: Set<String> = []) {
            self.most = most
            self.per = per
            self.tags = tags
        }

        /// Whether it counts a campaign with those tags; then it binds it as well.
        public func counts(_ campaignTags: Set<String>) -> Bool {
            tags.isEmpty || !tags.isDisjoint(with: campaignTags)
        }
    }

    /// Rules of an app at most.
    public static let rulesMax = 10
    /// Pushes in a window at most.
    public static let mostMax = 1000
    /// The shortest window.
    public static let windowMin = Duration.seconds(1)
    /// The longest window: as long as the outcomes of single devices are kept.
    public static let windowMax = Duration.seconds(30 * 86_400)

    /// Rules, or none.
    public init(_ rules: [Rule] = []) {
        self.rules = rules
    }

    /// The rules that count and bind a campaign with those tags.
    public func rules(for campaignTags: Set<String>) -> [Rule] {
        rules.filter { $0.counts(campaignTags) }
    }

    /// The longest window: what is older counts for nothing.
    public var window: Duration { rules.map(\.per).max() ?? .zero }

    /// Whether a device has had enough for one more campaign.
    ///
    /// - Parameters:
    ///   - charges: What the device was sent, or is to be; what counts no more is removed.
    ///   - rules: Those that bind the campaign.
    ///   - now: The instant.
    ///   - tags: The tags of a campaign.
    ///   - isVoid: Whether a charge has come to nothing: the device was not reached after all. Asked only where it
    ///     decides.
    public func isSpent<Failure: Error>(
        _ charges: inout [FrequencyCharge],
        for rules: [Rule],
        now: Timestamp,
        tags: (_ campaign: UInt32) throws(Failure) -> Set<String>,
        isVoid: (FrequencyCharge) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        charges.removeAll { now.since($0.at) >= window }
        for rule in rules where charges.count >= rule.most {
            var counted: [FrequencyCharge] = []
            for charge in charges where now.since(charge.at) < rule.per {
                let campaignTags = rule.tags.isEmpty ? [] : try tags(charge.campaign)
                if rule.counts(campaignTags) { counted.append(charge) }
            }
            // The newest first: they count for longest, and the older ones need not be looked at behind them.
            var standing = 0
            for charge in counted.reversed() where counted.count >= rule.most {
                if try isVoid(charge) {
                    charges.removeAll { $0 == charge }
                } else {
                    standing += 1
                    if standing == rule.most { return true }
                }
            }
        }
        return false
    }
}

/// A device's place in a campaign that counts for a frequency cap.
public struct FrequencyCharge: Sendable, Hashable {
    /// When the device was cut into a shard.
    public var at: Timestamp
    /// The campaign.
    public var campaign: UInt32
    /// The chunk of its list.
    public var chunk: UInt32
    /// The place in the chunk.
    public var position: UInt16

    /// A charge.
    public init(at: Timestamp, campaign: UInt32, chunk: UInt32, position: UInt16) {
        self.at = at
        self.campaign = campaign
        self.chunk = chunk
        self.position = position
    }

    /// Bytes of one.
    private static let byteCount = 16

    /// All charges of a device as the ledger keeps them: sixteen bytes each, in order, least significant first.
    public static func packed(_ charges: [FrequencyCharge]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(charges.count * byteCount)
        for charge in charges {
            append(UInt64(charge.campaign), 4, &bytes)
            append(UInt64(charge.chunk), 4, &bytes)
            append(UInt64(charge.position), 2, &bytes)
            append(UInt64(clamping: charge.at.milliseconds), 6, &bytes)
        }
        return bytes
    }

    /// Reads what `packed` wrote.
    public static func unpacked(_ bytes: [UInt8]) -> [FrequencyCharge] {
        stride(from: 0, to: bytes.count - bytes.count % byteCount, by: byteCount).map { start in
            FrequencyCharge(
                at: Timestamp(milliseconds: Int64(number(bytes, start + 10, 6))),
                campaign: UInt32(number(bytes, start, 4)),
                chunk: UInt32(number(bytes, start + 4, 4)),
                position: UInt16(number(bytes, start + 8, 2))
            )
        }
    }

    private static func append(_ value: UInt64, _ count: UInt64, _ bytes: inout [UInt8]) {
        for place in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (place * 8))) }
    }

    private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> UInt64 {
        (0..<count).reduce(0) { $0 | UInt64(bytes[start + $1]) << (UInt64($1) * 8) }
    }
}
