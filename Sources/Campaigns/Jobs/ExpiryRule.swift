/// When a campaign ends (contract, section 1, Expiry).
public enum ExpiryRule {
    /// 30 days in seconds: the longest `ttl`, the longest that Apple stores, and what holds when the job says nothing.
    public static let secondsMax = 2_592_000

    /// The end of a campaign.
    ///
    /// - Parameters:
    ///   - expiry: What the job says.
    ///   - createdAt: The producer's clock; time spent in a queue counts.
    ///   - acceptedAt: Our clock at acceptance, for jobs that do not say when they were created.
    public static func resolve(
        _ expiry: DeliveryOptions.Expiry,
        createdAt: Timestamp?,
        acceptedAt: Timestamp
    ) -> Timestamp {
        let release = createdAt ?? acceptedAt
        return switch expiry {
        case .at(let end): end
        case .ttl(let seconds): release.advanced(by: .seconds(seconds))
        case .none: release.advanced(by: .seconds(secondsMax))
        }
    }
}
