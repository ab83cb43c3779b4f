/// The calculation of a campaign's end (contract, section 1, Expiry).
public enum ExpiryRule {
    /// 30 days in seconds: the longest `ttl`, Apple's longest storage, and the default of a job.
    public static let secondsMax = 2_592_000

    /// Returns the instant of a campaign's release, the latest of its instants.
    ///
    /// Time spent in a queue counts against its `ttl`, time on hold does not.
    ///
    /// - Parameters:
    ///   - createdAt: The creation, by the producer's clock.
    ///   - sendAt: The earliest beginning.
    ///   - firedAt: The instant at which a held campaign was fired.
    ///   - acceptedAt: The acceptance, by our clock, for jobs without `created_at`.
    public static func release(
        createdAt: Timestamp?,
        sendAt: Timestamp? = nil,
        firedAt: Timestamp? = nil,
        acceptedAt: Timestamp
    ) -> Timestamp {
        [sendAt, firedAt].compactMap { $0 }.reduce(createdAt ?? acceptedAt, max)
    }

    /// Returns the end of a campaign that is released at an instant.
    ///
    /// - Parameters:
    ///   - expiry: The job's expiry.
    ///   - release: The instant of release.
    ///   - zone: The time zone of a local end; nil for the zone in which it comes last.
    public static func end(
        _ expiry: DeliveryOptions.Expiry,
        release: Timestamp,
        in zone: TimeZoneRules? = nil
    ) -> Timestamp {
        switch expiry {
        case .at(let end): end
        case .atLocal(let local): zone?.instant(of: local) ?? local.lastInstant
        case .ttl(let seconds): release.advanced(by: .seconds(seconds))
        case .none: release.advanced(by: .seconds(secondsMax))
        }
    }

    /// Returns the end of a campaign on hold; `release` is its release without `fire`.
    ///
    /// A `ttl` has not begun to count, but nothing is held for more than 30 days.
    public static func endOfHold(_ expiry: DeliveryOptions.Expiry, release: Timestamp) -> Timestamp {
        switch expiry {
        case .at, .atLocal: end(expiry, release: release)
        case .ttl, .none: release.advanced(by: .seconds(secondsMax))
        }
    }

    /// A reason against changing the end of a running campaign.
    public enum EndProblem: Equatable, Sendable {
        /// The end has passed.
        case past(Timestamp)
        /// The campaign, or one of its parts, begins only at this instant.
        case beforeBegin(Timestamp)
        /// The provider stores a push only until this instant.
        case beyondStorage(Timestamp)
        /// A local time is only for campaigns that are cut by time zone.
        case notByZone
        /// Each run of a repeated campaign has an end of its own.
        case repeated
    }

    /// Returns the reason against an end that an operator gives to a running campaign or one of its parts; nil if none.
    ///
    /// - Parameters:
    ///   - end: The new end.
    ///   - begin: The earliest beginning; nil if it may begin at once.
    ///   - storage: The longest time for which the provider stores a push, from now or from the beginning.
    ///   - now: The current instant.
    public static func problem(
        ofEnd end: Timestamp,
        begin: Timestamp?,
        storage: Duration,
        now: Timestamp
    ) -> EndProblem? {
        if end <= now { return .past(end) }
        if let begin, end <= begin { return .beforeBegin(begin) }
        let latest = max(begin ?? now, now).advanced(by: storage)
        return end > latest ? .beyondStorage(latest) : nil
    }
}

extension DeliveryOptions.Expiry {
    /// The job's `ttl`, if it has one.
    public var ttl: Int? {
        if case .ttl(let seconds) = self { seconds } else { nil }
    }

    /// The campaign's duration from its release, in seconds; nil if it ends at a given instant.
    public var secondsFromRelease: Int? {
        switch self {
        case .at, .atLocal: nil
        case .ttl(let seconds): seconds
        case .none: ExpiryRule.secondsMax
        }
    }
}
