import Campaigns
import Delivery
import Operations
import Store
import WebServing

/// An order to many parked messages, a page of them in each request: `next` of an answer is the cursor of the next one.
///
/// Messages that are parked after the first request are left alone.
struct ParkedMany {
    /// The number of messages that one request is for.
    static let most = 100

    private let core: APICore
    private let caller: Caller
    private let isDryRun: Bool
    private let choice: Choice

    private enum Choice {
        case ids([Int64])
        /// Those with common facts, behind an earlier page if there is one.
        case filter(ParkedFilter, cursor: (after: Int64, last: Int64)?)
    }

    /// Reads which messages are meant: `ids`, or `app`, `campaign` and `reason`, or `all`.
    init(_ call: Call<APIResponder>, _ core: APICore) async throws {
        try call.query.allow(["dry_run", "cursor"])
        self.core = core
        caller = call.caller
        isDryRun = try call.query.flag("dry_run")
        var body = try await BodyMembers(call.request, ["ids", "app", "campaign", "reason", "all"])
        let ids = Self.ids(&body)
        let filter = ParkedFilter(app: body.text("app"), campaign: body.text("campaign"), reason: body.text("reason"))
        if let all = body["all"], all != true { body.refuse("all", .value, "all can only be true", "leave it out") }
        let ways = [body["ids"] != nil, filter != ParkedFilter(), body["all"] != nil].count { $0 }
        if ways != 1 {
            let fix = "give ids, or some of app, campaign and reason, or all"
            body.refuse(nil, .conflict, "say in one way which messages are meant", fix)
        }
        try body.check("The messages cannot be chosen so")
        if let app = filter.app { try caller.require(app: app) }
        if let ids {
            choice = .ids(ids)
            return
        }
        guard filter.app != nil || caller.apps == nil else {
            throw HTTPProblem(.usage, "name an app: this token is not for all of them")
        }
        choice = .filter(filter, cursor: try call.query["cursor"].map(Self.cursor))
    }

    private static func ids(_ body: inout BodyMembers) -> [Int64]? {
        guard let value = body["ids"] else { return nil }
        let ids = value.array?.compactMap { $0.integer ?? $0.string.flatMap { Int64($0) } }.filter { $0 > 0 }
        if let ids, (1...most).contains(ids.count), ids.count == value.array?.count { return ids }
        body.refuse("ids", .value, "ids cannot be this", "give 1 to \(most) numbers of parked messages")
        return nil
    }

    private static func cursor(_ text: String) throws(HTTPProblem) -> (after: Int64, last: Int64) {
        let numbers = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
        guard numbers.count == 2, let after = numbers[0], let last = numbers[1] else {
            throw HTTPProblem(.usage, "cursor is the next of an earlier answer")
        }
        return (after, last)
    }

    /// Executes the order and returns the documents of `parked replay --json`, and the next page's cursor.
    func carryOut(_ order: ParkedOrder) async throws -> HTTPAnswer {
        let (ids, next) = try await page()
        let handling = ParkedHandling(order: order, isDryRun: isDryRun)
        var lines: [ParkedLine] = []
        for id in ids {
            lines.append(
                try await handling.carryOut(id, in: core.ledger) { try await core.broker.publish(again: $0) }
            )
        }
        return .json(["parked": .array(lines.map(\.json)), "next": next.map(JSONValue.string) ?? .null])
    }

    private func page() async throws -> (ids: [Int64], next: String?) {
        switch choice {
        case .ids(let ids):
            for id in ids where try await !isVisible(id) {
                throw HTTPProblem(.notFound, "there is no parked message \(id)")
            }
            return (ids, nil)
        case .filter(let filter, let cursor):
            var pages =
                if let cursor { ParkedPages(filter, after: cursor.after, last: cursor.last) } else {
                    try await ParkedPages(filter, in: core.ledger)
                }
            let ids = try await pages.next(Self.most, in: core.ledger)
            return (ids, ids.count < Self.most ? nil : "\(pages.after)-\(pages.last)")
        }
    }

    /// Returns false for messages of apps that the caller may not use, and for those that are not there.
    private func isVisible(_ id: Int64) async throws -> Bool {
        guard let message = try await core.ledger.read({ try $0.parked(id: id) }) else { return false }
        return caller.apps == nil || message.app.map(caller.mayUse) == true
    }
}
