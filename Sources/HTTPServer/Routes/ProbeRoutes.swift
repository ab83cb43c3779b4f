import Campaigns
import HTTPTypes
import HummingbirdCore
import Operations
import Store

/// The server's liveness, readiness, metrics, version and API document.
enum ProbeRoutes {
    static let all =
        ofProcess + [
            Route(.get, "/version", .role(.viewer), "version") { _, core in
                .json(["name": "fanfare", "version": .string(core.version)])
            },
            Route(.get, "/openapi.json", .role(.viewer), "openapi") { _, core in
                .json(OpenAPIDocument.make(version: core.version))
            },
        ]

    /// The routes of every process, in any role.
    static let ofProcess = [
        Route(.get, "/livez", .open, "livez") { _, _ in .text("ok\n") },
        Route(.get, "/readyz", .open, "readyz", ready),
        Route(.get, "/metrics", .role(.viewer), "metrics") { _, core in
            let streams = await core.feed.subscriberCount
            return .text(
                core.counters.exposition(ledger: core.ledger.metrics, streams: streams, load: LoadMetrics(core)),
                type: Exposition.contentType
            )
        },
    ]

    /// Returns 200, or 503 with a line for each reason: no broker, no ledger, or a stop under way.
    private static func ready(_ call: Call, _ core: ServerCore) async throws -> Answer {
        let reasons = await core.readiness.reasons()
        if reasons.isEmpty { return .text("ok\n") }
        return .text(reasons.map { $0 + "\n" }.joined(), .serviceUnavailable)
    }
}
