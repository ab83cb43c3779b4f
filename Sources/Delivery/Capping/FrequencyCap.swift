public import Campaigns

/// The limits on pushes to one device: an app's rules, all of which apply (contract, section 4, `frequency_cap`).
///
/// Only alerts count, because a person sees them; the caller leaves other pushes out.
public struct FrequencyCap: Sendable, Equatable {
    /// The app's rules; without rules there is no limit.
    public var rules: [Rule]

    /// A number of pushes in a period.
    public struct Rule: Sendable, Hashable {
        /// The number of pushes, 1 … `mostMax`.
        public var most: Int
        /// The period, a second to `windowMax`: a rolling window between exact instants, not calendar days.
        public var per: Duration
        /// The tags of the campaigns that it counts and binds; without tags, every campaign.
        public var tags: Set<String>

        /// A rule.
        public init(most: Int, per: Duration, tags: Set<String> = []) {
            self.most = most
            self.per = per
            self.tags = tags
        }

        /// Returns true if the rule counts a campaign with those tags; then it binds the campaign as well.
        public func counts(_ campaignTags: Set<String>) -> Bool {
            tags.isEmpty || !tags.isDisjoint(with: campaignTags)
        }
    }

    /// The largest number of rules of an app.
    public static let rulesMax = 10
    /// The largest number of pushes in a window.
    public static let mostMax = 1000
    /// The shortest window.
    public static let windowMin = Duration.seconds(1)
    /// The longest window: as long as the outcomes of single devices are kept.
    public static let windowMax = Duration.seconds(30 * 86_400)

    /// A cap with these rules.
    public init(_ rules: [Rule] = []) {
        self.rules = rules
    }

    /// Returns the rules that count and bind a campaign with those tags.
    public func rules(for campaignTags: Set<String>) -> [Rule] {
        rules.filter { $0.counts(campaignTags) }
    }

    /// The longest window; older pushes count for no rule.
    public var window: Duration { rules.map(\.per).max() ?? .zero }

    /// Returns true if a device may not get one more campaign.
    ///
    /// - Parameters:
    ///   - charges: The pushes that the device was sent, or is to be sent; those that no longer count are removed.
    ///   - rules: The rules that bind the campaign.
    ///   - now: The instant.
    ///   - tags: Returns the tags of a campaign.
    ///   - isVoid: Returns true if a charge came to nothing, because the device was not reached after all. Called only
    ///     if the result depends on it.
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
            // The newest first: they count for longest, and the older ones then need no check.
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

/// A device in a campaign that counts for a frequency cap.
public struct FrequencyCharge: Sendable, Hashable {
    /// The instant at which the device was cut into a shard.
    public var at: Timestamp
    /// The campaign.
    public var campaign: UInt32
    /// The chunk of the campaign's list.
    public var chunk: UInt32
    /// The position in the chunk.
    public var position: UInt16

    /// A charge.
    public init(at: Timestamp, campaign: UInt32, chunk: UInt32, position: UInt16) {
        self.at = at
        self.campaign = campaign
        self.chunk = chunk
        self.position = position
    }

    /// The bytes of one charge.
    private static let byteCount = 16

    /// All charges of a device as the ledger keeps them: sixteen bytes each, in order, least significant byte first.
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

    /// Reads the output of `packed`.
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
        for offset in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (offset * 8))) }
    }

    private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> UInt64 {
        (0..<count).reduce(0) { $0 | UInt64(bytes[start + $1]) << (UInt64($1) * 8) }
    }
}
