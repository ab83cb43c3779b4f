import Campaigns
import HTTPTypes
import Operations
import Store
import WebServing

/// The server's liveness, readiness, metrics, version and API document.
enum ProbeRoutes {
    static let all: [Route<APIResponder>] =
        ofProcess + [
            Route(.get, "/version", .role(.viewer), "version") { _, core in
                .json(["name": "fanfare", "version": .string(core.server.version)])
            },
            Route(.get, "/openapi.json", .role(.viewer), "openapi") { _, core in
                .json(core.server.openAPI)
            },
        ]

    /// The routes of every process, in any role.
    static let ofProcess: [Route<APIResponder>] = [
        Route(.get, "/livez", .open, "livez") { _, _ in .text("ok\n") },
        Route(.get, "/readyz", .open, "readyz", ready),
        Route(.get, "/metrics", .role(.viewer), "metrics") { _, core in
            let streams = await core.feed.subscriberCount
            return .text(
                core.server.counters.exposition(
                    ledger: core.ledger.metrics,
                    streams: streams,
                    load: core.server.loadMetrics
                ),
                type: Exposition.contentType
            )
        },
    ]

    /// Returns 200, or 503 with a line for each reason: no broker, no ledger, or a stop under way.
    private static func ready(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        let reasons = await core.server.readiness.reasons()
        if reasons.isEmpty { return .text("ok\n") }
        return .text(reasons.map { $0 + "\n" }.joined(), .serviceUnavailable)
    }
}
