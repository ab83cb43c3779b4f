import Campaigns
package import Delivery
import PushProviders

/// The forecast for a planned fleet: what provider and connections make of it, and when the last device is reached.
package enum CapacityForecast {
    /// Returns the forecast of a campaign that a planned fleet sends.
    package static func forecast(
        _ ask: CapacityAsk,
        _ plan: CapacityPlan,
        _ metrics: CapacityMetrics
    ) -> Forecast {
        var limits = FleetPower(loops: plan.loops, latency: ask.latency).limits(ask.provider, metrics)
        if let quota = ask.quota { limits.append(ForecastLimit(.quota(quota), Pace(quota))) }
        let share = ForecastAsk.Share(
            provider: ProviderName(rawValue: ask.provider.name),
            devices: AudienceEstimate(devices: ask.devices, error: 0),
            limits: limits
        )
        return Forecast(ForecastAsk([share], times: ForecastAsk.Times(begins: nil)))
    }

    /// Returns the lines of a plan that say so.
    package static func needs(
        _ ask: CapacityAsk,
        _ plan: CapacityPlan,
        _ metrics: CapacityMetrics
    ) -> [CapacityPlan.Need] {
        let forecast = forecast(ask, plan, metrics)
        let connections = plan.loops * CapacityPlan.loopConnections
        let perSecond = Double(connections * ask.provider.streams) / ask.latency
        var needs = [
            CapacityPlan.Need(
                what: "connections allow, a second",
                value: perSecond,
                text: RoundedText.count(Int(min(perSecond, 1e15))),
                because: "\(connections) connections at most, \(ask.provider.streams) requests under way on each"
            )
        ]
        if let quota = ask.quota {
            let seconds = RampedRate(Pace(quota)).seconds(for: Double(ask.devices))
            let given = NumberText.grouped(Pace(quota).perMinute)
            needs.append(
                CapacityPlan.Need(
                    what: "quota, time for all devices",
                    value: RoundedText.rounded(seconds),
                    text: RoundedText.span(seconds),
                    because: "\(NumberText.grouped(quota.perMinute)) requests a minute of a project: \(given) are "
                        + "given out, after a minute that begins with a tenth"
                )
            )
        }
        let reason = forecast.shares.first?.limit.map { ForecastView.reason($0) } ?? "nothing limits it"
        needs.append(
            CapacityPlan.Need(
                what: "last device, likely after",
                value: RoundedText.rounded(forecast.span.likely),
                text: RoundedText.span(forecast.span.likely),
                because: "\(reason); at the latest after \(RoundedText.span(forecast.span.latest))"
            )
        )
        return needs
    }
}
