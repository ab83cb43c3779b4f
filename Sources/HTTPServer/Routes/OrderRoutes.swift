import Campaigns
import HTTPTypes
import HummingbirdCore
import Operations
import Settings
import Store
import WebServing

/// Orders to a campaign; with `dry_run=true` they change nothing and say what would be.
enum OrderRoutes {
    static let all: [Route<APIResponder>] =
        LifeOrder.allCases.map { life in
            order(life.rawValue) { call, core, isDryRun in
                try await CampaignOrder(life).give(
                    app: call.parameter("app"),
                    id: call.parameter("id"),
                    by: call.caller.name,
                    in: core.ledger,
                    broker: core.server.configuration.amqp,
                    isDryRun: isDryRun
                )
            }
        } + [
            order(CampaignChange.verb) { call, core, isDryRun in
                try await change(call).give(
                    app: call.parameter("app"),
                    id: call.parameter("id"),
                    by: call.caller.name,
                    in: core.ledger,
                    broker: core.server.configuration.amqp,
                    apps: core.server.apps.all,
                    isDryRun: isDryRun
                )
            }
        ]

    private static func order(
        _ verb: String,
        _ give: @escaping @Sendable (Call<APIResponder>, APICore, _ isDryRun: Bool) async throws -> LifeResult
    ) -> Route<APIResponder> {
        Route(
            .post,
            PathTemplate(stringLiteral: "/v1/campaigns/{app}/{id}:\(verb)"),
            .role(.operator),
            "\(verb)Campaign"
        ) { call, core in
            try call.query.allow(["dry_run"])
            let isDryRun = try call.query.flag("dry_run")
            // The caller may use the app.
            _ = try call.app()
            let result = try await give(call, core, isDryRun)
            if case .done(let facts) = result { return .json(facts.orderJSON.marked(isDryRun: isDryRun)) }
            throw result.refusal(of: verb).map { HTTPProblem($0) } ?? CampaignRoutes.notFound(call.parameter("id"))
        }
    }

    /// Reads what is to be changed: `per_second` (null: no rate), `expires_at`, `urgency`.
    private static func change(_ call: Call<APIResponder>) async throws -> CampaignChange {
        var body = try await BodyMembers(call.request, ["per_second", "expires_at", "urgency"])
        var change = CampaignChange()
        let rates = CampaignChange.Rate.range
        switch body["per_second"] {
        case nil: break
        case .null: change.rate = .unlimited
        case .some(let value):
            if let rate = value.integer, rates.contains(Int(rate)) {
                change.rate = .atMost(Int(rate))
            } else {
                let fix = "give a whole number from \(rates.lowerBound) to \(rates.upperBound), or null for no rate"
                body.refuse("per_second", .value, "per_second cannot be this", fix)
            }
        }
        let instants = "give an instant, for example 2026-11-20T21:30:00Z, or a time without an offset"
        change.end = body.value("expires_at", instants) { CampaignChange.End($0) }
        change.urgency = body.value("urgency", "give urgent or bulk") { Urgency(rawValue: $0) }
        if body.count == 0 {
            body.refuse(nil, .required, "nothing is to be changed", "give per_second, expires_at or urgency")
        }
        try body.check("The campaign cannot be changed so")
        return change
    }
}
