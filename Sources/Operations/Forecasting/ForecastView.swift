package import Campaigns
package import Delivery
import PushProviders

/// A forecast for people and for programs.
package struct ForecastView: Sendable, Equatable {
    private let forecast: Forecast

    /// A view.
    package init(_ forecast: Forecast) { self.forecast = forecast }

    /// The member `forecast` of the answers to a job.
    ///
    /// Numbers are rounded to what the forecast knows: times and rates to two digits, instants to the second, the
    /// minute, ten minutes or the hour, outwards.
    package var json: JSONValue {
        let likely = forecast.span.likely
        func instant(_ instant: Timestamp, _ rule: FloatingPointRoundingRule) -> JSONValue {
            .string(RoundedText.instant(instant, after: likely, rule).rfc3339)
        }
        let reached = forecast.reached.map { reached -> JSONValue in
            [
                "soonest": instant(reached.soonest, .down), "likely": instant(reached.likely, .up),
                "latest": instant(reached.latest, .up),
            ]
        }
        return [
            "reached_at": reached ?? .null, "seconds": forecast.span.json,
            "expiring": .number(JSONNumber(Int(RoundedText.rounded(Double(forecast.expiring))))),
            "providers": .array(forecast.shares.map(\.json)),
        ]
    }

    /// The forecast for people, a line for each provider and one for the end; empty if all begins at once and takes
    /// less than a second.
    package var lines: [String] {
        guard forecast.span.likely >= 1 || forecast.times.begins != forecast.times.lastBegins else { return [] }
        return forecast.shares.map(\.line) + [ending]
    }

    /// Returns a limit for people, with how sure it is.
    static func reason(_ limit: ForecastLimit) -> String { limit.reason }

    private var ending: String {
        let (span, expiring) = (forecast.span, forecast.expiring)
        let counted = NumberText.counted(Int(RoundedText.rounded(Double(expiring))), "device", "devices")
        let late = expiring > 0 ? "; about \(counted) would expire before" : ""
        let seconds = "\(RoundedText.span(span.soonest)) to \(RoundedText.span(span.latest))"
        guard let reached = forecast.reached else {
            return "the last device is likely reached \(RoundedText.span(span.likely)) after fire (\(seconds))\(late)"
        }
        func text(_ instant: Timestamp, _ rule: FloatingPointRoundingRule) -> String {
            RoundedText.shown(instant, after: span.likely, rule)
        }
        return "the last device is likely reached at \(text(reached.likely, .up)) (between "
            + "\(text(reached.soonest, .down)) and \(text(reached.latest, .up)))\(late)"
    }
}

extension Forecast.Span {
    fileprivate var json: JSONValue {
        func number(_ seconds: Double) -> JSONValue {
            .number(JSONNumber(Int(RoundedText.rounded(min(seconds, 1e15)))))
        }
        return ["soonest": number(soonest), "likely": number(likely), "latest": number(latest)]
    }
}

extension Forecast.Share {
    fileprivate var json: JSONValue {
        func number(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }
        return [
            "provider": .string(provider.rawValue), "devices": number(devices.devices), "error": number(devices.error),
            "limit": limit.map { .string($0.kind.name) } ?? .null,
            "basis": limit.map { .string($0.basis.rawValue) } ?? .null,
            "per_second": limit.map { number(Int(RoundedText.rounded(min($0.rate.perSecond, 1e15)))) } ?? .null,
            "seconds": span.json, "expiring": number(Int(RoundedText.rounded(Double(expiring)))),
        ]
    }

    fileprivate var line: String {
        let count = devices.error > 0 ? devices.text : NumberText.grouped(devices.devices)
        let because = limit.map { ": \($0.reason)" } ?? ""
        return "\(provider.rawValue): \(count) device\(devices.devices == 1 ? "" : "s") in about "
            + "\(RoundedText.span(span.likely))\(because)"
    }
}

extension ForecastLimit {
    /// The limit for people, with how sure it is.
    fileprivate var reason: String {
        let others = ahead.reduce(0, +)
        let beside = others > 0 ? ", beside about \(RoundedText.count(others)) devices of other campaigns" : ""
        let sure =
            switch basis {
            case .set: ""
            case .measured: " (as the workers report)"
            case .assumed: " (assumed)"
            }
        return words + sure + beside
    }

    private var words: String {
        let perSecond = "\(RoundedText.count(Int(min(rate.perSecond, 1e15))))/s"
        switch kind {
        case .quota(let quota):
            return "the quota of \(NumberText.grouped(quota.perMinute)) a minute of \(quota.holder)"
        case .perSecond: return "per_second, \(perSecond)"
        case .appPerSecond: return "the app's per_second, \(perSecond)"
        case .connections(let most):
            return "\(NumberText.counted(most, "connection", "connections")) at most, about \(perSecond)"
        case .workers(let loops):
            return "the workers' \(NumberText.counted(loops, "event loop", "event loops")), about \(perSecond)"
        }
    }
}
