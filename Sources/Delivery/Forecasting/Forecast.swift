public import Campaigns

/// The time at which the last device of a campaign is likely to be reached, and what decides it.
///
/// It is pure arithmetic over the limits in force; "reached" means that the provider has taken the request. It never
/// knows more than its figures: each time is a span, and what is assumed makes it wide.
public struct Forecast: Sendable, Equatable {
    /// The part of the devices that are asked twice if things go slowly (as `CapacityPlan` plans for).
    public static let retried = 0.05
    /// The factor by which an assumed figure may be wrong: the speed of the machine on which it was measured varies by
    /// as much (Deploying, Results).
    public static let assumedFactor = 2.0

    /// Seconds from the beginning.
    public struct Span: Sendable, Equatable {
        /// The seconds if nothing is tried again, and the audience is as small as it may be.
        public var soonest: Double
        /// The likely seconds.
        public var likely: Double
        /// The seconds if everything goes slowly.
        public var latest: Double

        static let zero = Span(soonest: 0, likely: 0, latest: 0)

        /// Each time, or that of another span if it is later.
        func orLater(_ other: Span) -> Span {
            Span(
                soonest: max(soonest, other.soonest),
                likely: max(likely, other.likely),
                latest: max(latest, other.latest)
            )
        }
    }

    /// The same as instants, with the waits for parts and quiet hours.
    public struct Instants: Sendable, Equatable {
        /// The earliest instant.
        public var soonest: Timestamp
        /// The likely instant.
        public var likely: Timestamp
        /// The instant if everything goes slowly.
        public var latest: Timestamp
    }

    /// The forecast for the devices of one provider.
    public struct Share: Sendable, Equatable {
        /// The provider.
        public var provider: ProviderName
        /// The number of devices.
        public var devices: AudienceEstimate
        /// The limit that decides; nil if nothing is known to limit them.
        public var limit: ForecastLimit?
        /// The time until the last one is reached.
        public var span: Span
        /// The devices that likely expire first.
        public var expiring: Int
    }

    /// A limit under which not everybody is reached before the end.
    public struct Slow: Sendable, Equatable {
        /// The limit.
        public var limit: ForecastLimit
        /// The provider; nil if the limit is for all devices.
        public var provider: ProviderName?
        /// The devices that wait for it.
        public var devices: Int
        /// The time that they likely take.
        public var needed: Duration
        /// The time that the end leaves them.
        public var left: Duration
        /// The devices that likely expire first.
        public var expiring: Int
    }

    /// The shares, in the order of the question.
    public let shares: [Share]
    /// The time until the last device of all is reached, without the waits for parts and quiet hours.
    public let span: Span
    /// The instants at which it is reached; nil for a campaign that waits for `fire`.
    public let reached: Instants?
    /// The times of the question.
    public let times: ForecastAsk.Times
    /// The limits under which not everybody is reached: `too_slow`.
    public let slow: [Slow]

    /// The devices that likely expire before they are reached.
    public var expiring: Int { shares.reduce(0) { $0 + $1.expiring } }
}

extension Forecast {
    /// Calculates a forecast.
    public init(_ ask: ForecastAsk) {
        let left = ask.times.left.map { max(0, $0 / .seconds(1)) }
        let total = ask.shares.reduce(into: AudienceEstimate(devices: 0, error: 0)) { sum, share in
            sum.devices += share.devices.devices
            sum.error += share.devices.error
        }
        var slow = [Self.slow(ask.common, nil, total, left)]
        let common = Self.ruling(ask.common, total)
        // The part of each share that the common limits let out before the end.
        let part = Double(Self.reached(ask.common, total, left)) / Double(max(1, total.devices))
        shares = ask.shares.map { share in
            slow.append(Self.slow(share.limits, share.provider, share.devices, left))
            let own = Self.ruling(share.limits, share.devices)
            let devices = Double(share.devices.devices)
            let reached = min(devices * part, Double(Self.reached(share.limits, share.devices, left)))
            let (mine, all) = (own?.span(share.devices) ?? .zero, common?.span(total) ?? .zero)
            return Share(
                provider: share.provider,
                devices: share.devices,
                limit: mine.likely >= all.likely ? own ?? common : common,
                span: (ask.common.map { $0.span(total) } + share.limits.map { $0.span(share.devices) })
                    .reduce(.zero) { $0.orLater($1) },
                expiring: max(0, Int((devices - reached).rounded()))
            )
        }
        self.slow = slow.compactMap(\.self)
        times = ask.times
        span = shares.reduce(.zero) { $0.orLater($1.span) }
        reached = ask.times.reached(span)
    }

    /// The limit that likely takes the longest.
    private static func ruling(_ limits: [ForecastLimit], _ devices: AudienceEstimate) -> ForecastLimit? {
        limits.max { $0.span(devices).likely < $1.span(devices).likely }
    }

    /// Returns how many devices all of the limits let out before the end.
    private static func reached(_ limits: [ForecastLimit], _ devices: AudienceEstimate, _ left: Double?) -> Int {
        guard let left else { return devices.devices }
        return limits.map { $0.devices(of: devices.devices, within: left) }.min() ?? devices.devices
    }

    private static func slow(
        _ limits: [ForecastLimit],
        _ provider: ProviderName?,
        _ devices: AudienceEstimate,
        _ left: Double?
    ) -> Slow? {
        guard let left, let limit = ruling(limits, devices) else { return nil }
        let needed = limit.seconds(for: Double(devices.devices))
        guard needed > left else { return nil }
        return Slow(
            limit: limit,
            provider: provider,
            devices: devices.devices,
            needed: .seconds(needed),
            left: .seconds(left),
            expiring: devices.devices - reached(limits, devices, left)
        )
    }
}

extension ForecastLimit {
    fileprivate func span(_ devices: AudienceEstimate) -> Forecast.Span {
        Forecast.Span(
            soonest: seconds(for: Double(devices.least)),
            likely: seconds(for: Double(devices.devices)),
            latest: secondsAtMost(for: Double(devices.devices + devices.error))
        )
    }
}

extension ForecastAsk.Times {
    /// Returns the instants at which the last device is reached.
    ///
    /// Parts that begin later are small in most campaigns, and all of the audience in few: soonest and likely are that
    /// the last part takes no time of its own, the latest is that it takes all of it.
    func reached(_ span: Forecast.Span) -> Forecast.Instants? {
        guard let begins, let last = lastBegins else { return nil }
        func end(_ seconds: Double) -> Timestamp { afterQuiet(max(begins.later(seconds), last)) }
        return Forecast.Instants(
            soonest: end(span.soonest),
            likely: end(span.likely),
            latest: after(last, sending: span.latest)
        )
    }

    /// Returns an instant, or the end of the quiet hours that it is in.
    private func afterQuiet(_ instant: Timestamp) -> Timestamp {
        quiet.first { $0.contains(instant) }?.upperBound ?? instant
    }

    /// Returns the instant at which so many seconds of sending are over, without the quiet hours.
    private func after(_ begin: Timestamp, sending seconds: Double) -> Timestamp {
        var (instant, rest) = (begin, seconds)
        for hours in quiet where hours.upperBound > instant {
            let open = max(0, hours.lowerBound.since(instant) / .seconds(1))
            if rest < open { break }
            (instant, rest) = (hours.upperBound, rest - open)
        }
        return instant.later(rest)
    }
}

extension Timestamp {
    /// Returns the instant so many seconds later, to the millisecond.
    fileprivate func later(_ seconds: Double) -> Timestamp {
        Timestamp(milliseconds: milliseconds + Int64((min(seconds, 1e12) * 1000).rounded()))
    }
}
