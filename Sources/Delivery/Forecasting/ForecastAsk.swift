public import Campaigns

/// The question for a forecast: who is sent to, from when to when, and what limits it.
public struct ForecastAsk: Sendable, Equatable {
    /// The devices of one provider.
    public struct Share: Sendable, Equatable {
        /// The provider.
        public var provider: ProviderName
        /// The number of devices; exact with an error of 0.
        public var devices: AudienceEstimate
        /// The limits of these devices alone.
        public var limits: [ForecastLimit]

        /// A share.
        public init(provider: ProviderName, devices: AudienceEstimate, limits: [ForecastLimit] = []) {
            (self.provider, self.devices, self.limits) = (provider, devices, limits)
        }
    }

    /// The times of a campaign, as far as they are known.
    public struct Times: Sendable, Equatable {
        /// The instant at which the first part may begin; nil for a campaign that waits for `fire`.
        public var begins: Timestamp?
        /// The instant at which the last part may begin: by local time and quiet hours parts begin one after another.
        public var lastBegins: Timestamp?
        /// The quiet hours of the last part, ascending; nothing of it is sent meanwhile.
        public var quiet: [Range<Timestamp>]
        /// The time that the end leaves, from the beginning; nil if there is no end.
        public var left: Duration?

        /// Times; by default all parts begin together.
        public init(
            begins: Timestamp?,
            lastBegins: Timestamp? = nil,
            quiet: [Range<Timestamp>] = [],
            left: Duration? = nil
        ) {
            (self.begins, self.lastBegins, self.quiet, self.left) = (begins, lastBegins ?? begins, quiet, left)
        }
    }

    /// The shares.
    public var shares: [Share]
    /// The limits that all shares have in common: they go on alike under them.
    public var common: [ForecastLimit]
    /// The times.
    public var times: Times

    /// A question.
    public init(_ shares: [Share], common: [ForecastLimit] = [], times: Times) {
        (self.shares, self.common, self.times) = (shares, common, times)
    }
}
