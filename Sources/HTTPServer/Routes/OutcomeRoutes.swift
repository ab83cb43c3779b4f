import Campaigns
import HTTPTypes
import HummingbirdCore
import NIOCore
import Operations
import Store
import WebServing

/// The outcome of each device of a campaign, as a stream.
enum OutcomeRoutes {
    static let all: [Route<APIResponder>] = [
        Route(.get, "/v1/campaigns/{app}/{id}/outcomes", .role(.viewer), "exportOutcomes", export)
    ]

    static let types: [OutcomeExport.Format: String] = [.ndjson: "application/x-ndjson", .csv: "text/csv"]

    /// Streams the lines of `campaign outcomes`; a stream that breaks off is not ended as HTTP ends a whole one.
    private static func export(_ call: Call<APIResponder>, _ core: APICore) async throws -> HTTPAnswer {
        try call.query.allow(["format", "outcome", "reason"])
        let (app, id) = (try call.app(), call.parameter("id"))
        guard let format = OutcomeExport.Format(rawValue: call.query["format"] ?? "ndjson") else {
            throw HTTPProblem(.usage, "format is ndjson or csv")
        }
        let outcome = call.query["outcome"]
        guard outcome.map(OutcomeExport.outcomes.contains) ?? true else {
            throw HTTPProblem(.usage, "outcome is one of \(OutcomeExport.outcomes.joined(separator: ", "))")
        }
        guard let number = try await core.ledger.read({ try $0.campaignNumber(app: app, id: id) }) else {
            throw CampaignRoutes.notFound(id)
        }
        guard try await !core.ledger.read({ try $0.areOutcomesForgotten(campaign: number) }) else {
            throw HTTPProblem(
                .wrongState,
                "the outcomes of single devices are not kept any longer (store.retention.outcomes): see the campaign's "
                    + "totals at /v1/campaigns/\(app)/\(id)"
            )
        }
        let headers: HTTPFields = [.contentType: types[format] ?? "text/plain"]
        if call.request.method == .head { return HTTPAnswer(headers: headers) }
        let permit = try core.longReads.begin(for: call.caller.name)
        let export = OutcomeExport(format, campaign: number, outcome: outcome, reason: call.query["reason"])
        let ledger = core.ledger
        let body = ResponseBody { writer in
            var pages = export
            while let text = try await pages.next(in: ledger) {
                if !text.isEmpty { try await writer.write(ByteBuffer(string: text)) }
            }
            try await writer.finish(nil)
            withExtendedLifetime(permit) {}
        }
        return HTTPAnswer(headers: headers, body: body)
    }
}
