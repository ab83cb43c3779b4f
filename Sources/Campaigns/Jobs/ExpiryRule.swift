/// When a campaign ends (contract, section 1, Expiry).
public enum ExpiryRule {
    /// 30 days in seconds: the longest `ttl`, the longest that Apple stores, and what holds when the job says nothing.
    public static let secondsMax = 2_592_000

    /// When a campaign is released: the latest of its instants; time spent in a queue counts, time on hold does not.
    ///
    /// - Parameters:
    ///   - createdAt: The producer's clock.
    ///   - sendAt: Not before this instant.
    ///   - firedAt: When a held campaign was fired.
    ///   - acceptedAt: Our clock at acceptance, for jobs that do not say when they were created.
    public static func release(
        createdAt: Timestamp?,
        sendAt: Timestamp? = nil,
        firedAt: Timestamp? = nil,
        acceptedAt: Timestamp
    ) -> Timestamp {
        [sendAt, firedAt].compactMap { $0 }.reduce(createdAt ?? acceptedAt, max)
    }

    /// The end of a campaign that is released at an instant.
    ///
    /// - Parameters:
    ///   - expiry: What the job says.
    ///   - release: When it is released.
    ///   - zone: Whose wall clock shows a local end; nil for where it comes last.
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

    /// The end of a campaign that waits for `fire`, which `release` is without: what counts from release has not begun,
    /// but nothing is held for more than 30 days.
    public static func endOfHold(_ expiry: DeliveryOptions.Expiry, release: Timestamp) -> Timestamp {
        switch expiry {
        case .at, .atLocal: end(expiry, release: release)
        case .ttl, .none: release.advanced(by: .seconds(secondsMax))
        }
    }

    /// Why a campaign that is on its way cannot be given an end.
    public enum EndProblem: Equatable, Sendable {
        /// It has passed.
        case past(Timestamp)
        /// It, or one of its parts, begins only then.
        case beforeBegin(Timestamp)
        /// The provider keeps no push that long: until then at most.
        case beyondStorage(Timestamp)
        /// A wall clock's reading is for campaigns that are cut by time zone.
        case notByZone
        /// Each run of a repeated campaign has an end of its own.
        case repeated
    }

    /// What is against an end that an operator gives to a campaign, or one of its parts, on its way; nil when nothing.
    ///
    /// - Parameters:
    ///   - end: The end.
    ///   - begin: Not before this instant; nil when it may begin at once.
    ///   - storage: How long the provider keeps a push at most, from now or from the beginning.
    ///   - now: The instant.
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
    /// `ttl`, when the job gives one.
    public var ttl: Int? {
        if case .ttl(let seconds) = self { seconds } else { nil }
    }

    /// How long a campaign lasts from its release; nil when it ends at an instant that the producer gave.
    public var secondsFromRelease: Int? {
        switch self {
        case .at, .atLocal: nil
        case .ttl(let seconds): seconds
        case .none: ExpiryRule.secondsMax
        }
    }
}
