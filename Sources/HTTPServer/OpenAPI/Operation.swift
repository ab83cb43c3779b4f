import Campaigns

/// What the OpenAPI document says of one operation.
struct Operation: Sendable {
    /// What a request's body may be.
    enum Body: Sendable {
        /// An object of a schema.
        case json(String)
        /// Devices, as `list put` takes them.
        case devices
        /// A content that apps fetch.
        case content
    }

    /// What a good answer is.
    enum Good: Sendable {
        /// An object of a schema.
        case json(String)
        /// Text of a type.
        case text(String)
        /// A content that apps fetch.
        case content
    }

    let summary: String
    /// The good statuses; every operation may answer with a problem besides.
    var statuses = [200]
    var good: Good
    var body: Body?
    /// Names and schemas of what a query may have.
    var query: [(name: String, schema: JSONValue)] = []
    /// Fields of the request besides the token.
    var fields: [String] = []
}

/// Every operation by its name; a test sees that these are the routes', no more and no fewer.
enum Operations {
    private static let text = Operation.Good.text("text/plain")

    static let all: [String: Operation] = [
        "livez": Operation(summary: "Whether the process lives", good: text),
        "readyz": Operation(summary: "Whether broker and ledger can be reached", statuses: [200, 503], good: text),
        "metrics": Operation(summary: "Metrics in Prometheus' text format", good: text),
        "version": Operation(summary: "What this program is", good: .json("Version")),
        "openapi": Operation(summary: "This document", good: .json("Document")),
        "sendCampaign": Operation(
            summary: "Start a campaign: 202 when the broker has confirmed the job, 200 when it is a campaign already",
            statuses: [200, 202],
            good: .json("Verdict"),
            body: .json("Job"),
            fields: ["Idempotency-Key"]
        ),
        "validateCampaign": Operation(
            summary: "Judge a job without sending it",
            good: .json("Verdict"),
            body: .json("Job"),
            fields: ["Idempotency-Key"]
        ),
        "sendToDevice": Operation(
            summary: "Push to one device or one user, the content in the same request; urgent unless it says otherwise",
            statuses: [200, 202],
            good: .json("Verdict"),
            body: .json("Send"),
            fields: ["Idempotency-Key"]
        ),
        "getSend": Operation(
            summary: "What became of a push, device by device, and whether it was read",
            good: .json("Sent"),
            query: [("app", Schemas.app)]
        ),
        "listCampaigns": Operation(
            summary: "Campaigns, the latest first, in pages",
            good: .json("CampaignPage"),
            query: [
                ("app", Schemas.app), ("state", Schemas.states), ("tag", Schemas.text), ("limit", Schemas.limit),
                ("cursor", Schemas.cursor),
            ]
        ),
        "findCampaign": Operation(summary: "A campaign by its id, when one app has it", good: .json("Campaign")),
        "getCampaign": Operation(summary: "Where a campaign stands", good: .json("Campaign")),
        "reportCampaign": Operation(summary: "What phones said of a campaign, per surface", good: .json("Report")),
        "pauseCampaign": Operation(summary: "Open no more requests", good: .json("Order")),
        "resumeCampaign": Operation(summary: "Go on, whatever paused it", good: .json("Order")),
        "cancelCampaign": Operation(summary: "End it: what was not sent to ends cancelled", good: .json("Order")),
        "fireCampaign": Operation(summary: "Let a held campaign go", good: .json("Order")),
        "streamEvents": Operation(
            summary: "What happens to all campaigns, as server-sent events",
            good: .text("text/event-stream"),
            fields: ["Last-Event-ID"]
        ),
        "streamCampaignEvents": Operation(
            summary: "What happens to a campaign, as server-sent events, until it is over",
            good: .text("text/event-stream"),
            fields: ["Last-Event-ID"]
        ),
        "putList": Operation(
            summary: "Upload devices as a new version of a list",
            statuses: [200, 201],
            good: .json("List"),
            body: .devices
        ),
        "listLists": Operation(summary: "The lists of an app", good: .json("Lists")),
        "putDevice": Operation(
            summary: "Register a device, or change it",
            good: .json("Result"),
            body: .json("Device")
        ),
        "getDevice": Operation(summary: "What the registry knows of a device", good: .json("Device")),
        "forgetDevice": Operation(summary: "Forget a device; a tombstone stays", good: .json("Forgotten")),
        "putContent": Operation(
            summary: "Store a content that pushes name by its id",
            statuses: [200, 201],
            good: .json("Content"),
            body: .content,
            query: [("type", Schemas.word)]
        ),
        "getContent": Operation(
            summary: "The content itself, or a part of it",
            statuses: [200, 206, 304],
            good: .content
        ),
        "removeContent": Operation(summary: "Remove an uploaded content", good: .json("Result")),
        "listContents": Operation(
            summary: "What an app's pushes can name, and what its campaigns brought",
            good: .json("Contents")
        ),
        "listParked": Operation(
            summary: "Messages that wait for a person, the latest first",
            good: .json("ParkedList"),
            query: [
                ("app", Schemas.app), ("campaign", Schemas.text), ("reason", Schemas.text), ("limit", Schemas.limit),
            ]
        ),
        "getParked": Operation(summary: "One of them, with its body", good: .json("Parked")),
        "replayParked": Operation(
            summary: "Send what was parked after all",
            good: .json("ParkedResult"),
            query: [("dry_run", ["type": "boolean"])]
        ),
        "discardParked": Operation(
            summary: "Give it up: its devices end failed",
            good: .json("ParkedResult"),
            query: [("dry_run", ["type": "boolean"])]
        ),
        "getStatus": Operation(summary: "Broker, store, workers, lanes, breakers, pauses", good: .json("Status")),
        "listApps": Operation(summary: "The apps that are known here, without their keys", good: .json("Apps")),
        "getCaller": Operation(summary: "Whose token it is, and what it may do", good: .json("Caller")),
        "listAudit": Operation(
            summary: "Who did what by this API, the latest first",
            good: .json("Audit"),
            query: [("limit", Schemas.limit), ("cursor", Schemas.cursor)]
        ),
    ]
}
