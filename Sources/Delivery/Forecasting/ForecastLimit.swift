public import PushProviders

/// A limit that a campaign's devices wait for, with what others take of it before the campaign is over.
public struct ForecastLimit: Sendable, Equatable {
    /// The party that sets a limit.
    public enum Kind: Sendable, Equatable {
        /// The quota that a provider gives its holder; only bulk waits for it.
        case quota(ProviderQuota)
        /// The campaign's own `per_second`.
        case perSecond
        /// The app's `per_second`, which its campaigns share.
        case appPerSecond
        /// The streams on the connections that the workers may open, and the time to an answer.
        case connections(Int)
        /// The CPU of the workers, by their event loops.
        case workers(loops: Int)

        /// The name for programs; names are only added.
        public var name: String {
            switch self {
            case .quota: "quota"
            case .perSecond: "per_second"
            case .appPerSecond: "app_per_second"
            case .connections: "connections"
            case .workers: "workers"
            }
        }
    }

    /// The origin of a limit's rate, which says how sure it is.
    public enum Basis: String, Sendable, CaseIterable {
        /// A setting, which the fleet keeps.
        case set
        /// A report of live workers.
        case measured
        /// A figure of the developers' machine, or a default; the real rate may be half of it.
        case assumed
    }

    /// The party that sets it.
    public var kind: Kind
    /// The rate.
    public var rate: RampedRate
    /// The origin of the rate.
    public var basis: Basis
    /// The devices of other campaigns that wait for the same limit, a number for each campaign.
    public var ahead: [Int]

    /// A limit; by default nobody else waits for it.
    public init(_ kind: Kind, _ rate: RampedRate, basis: Basis = .set, ahead: [Int] = []) {
        (self.kind, self.rate, self.basis, self.ahead) = (kind, rate, basis, ahead)
    }

    /// The limit of a pace.
    public init(_ kind: Kind, _ pace: Pace, ahead: [Int] = []) {
        self.init(kind, RampedRate(pace), ahead: ahead)
    }

    /// Returns the seconds until this many devices of the campaign have had their request.
    ///
    /// Campaigns share a limit in turns: each of the others has had as many as this one by then, or all that it has.
    func seconds(for devices: Double) -> Double {
        guard devices > 0 else { return 0 }
        return rate.seconds(for: ahead.reduce(devices) { $0 + min(Double($1), devices) })
    }

    /// Returns the same if everything goes slowly: all others come first, devices are tried again, and a rate that is
    /// only assumed is half as high.
    func secondsAtMost(for devices: Double) -> Double {
        guard devices > 0 else { return 0 }
        let all = ahead.reduce(devices * (1 + Forecast.retried)) { $0 + Double($1) }
        return rate.seconds(for: all) * (basis == .assumed ? Forecast.assumedFactor : 1)
    }

    /// Returns how many of the campaign's devices have had their request after some seconds.
    func devices(of all: Int, within seconds: Double) -> Int {
        guard self.seconds(for: Double(all)) > seconds else { return all }
        var (reached, missed) = (0, all)
        while missed - reached > 1 {
            let middle = reached + (missed - reached) / 2
            if self.seconds(for: Double(middle)) > seconds { missed = middle } else { reached = middle }
        }
        return reached
    }
}
