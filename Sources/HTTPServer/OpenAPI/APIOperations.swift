import Campaigns
import WebServing

/// All operations by name; a test holds them against the routes.
enum APIOperations {
    private static let text = Operation.Good.text("text/plain")

    static let all: [String: Operation] = [
        "livez": Operation(summary: "Liveness of the process", good: text),
        "readyz": Operation(summary: "Readiness: broker and ledger are reachable", statuses: [200, 503], good: text),
        "metrics": Operation(summary: "Metrics in Prometheus' text format", good: text),
        "version": Operation(summary: "The program's name and version", good: .json("Version")),
        "openapi": Operation(summary: "This document", good: .json("Document")),
        "sendCampaign": Operation(
            summary: "Start a campaign: 202 when the broker has confirmed the job, 200 when its campaign exists",
            statuses: [200, 202],
            good: .json("Verdict"),
            body: .json("Job"),
            fields: ["Idempotency-Key"]
        ),
        "validateCampaign": Operation(
            summary: "Check a job without sending it",
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
            summary: "The outcome of a push for each device, and whether it was read",
            good: .json("Sent"),
            query: [("app", JSONSchema.app)]
        ),
        "listCampaigns": Operation(
            summary: "Campaigns, the latest first, in pages",
            good: .json("CampaignPage"),
            query: [
                ("app", JSONSchema.app), ("state", Schemas.states), ("tag", JSONSchema.text), ("limit", Schemas.limit),
                ("cursor", Schemas.cursor),
            ]
        ),
        "findCampaign": Operation(summary: "A campaign by its id, if only one app has it", good: .json("Campaign")),
        "getCampaign": Operation(summary: "A campaign's status", good: .json("Campaign")),
        "reportCampaign": Operation(summary: "The phones' reports about a campaign, by surface", good: .json("Report")),
        "pauseCampaign": Operation(summary: "Pause a campaign: no further requests are opened", good: .json("Order")),
        "resumeCampaign": Operation(summary: "Resume a campaign, whatever paused it", good: .json("Order")),
        "cancelCampaign": Operation(summary: "Cancel a campaign: unsent devices end cancelled", good: .json("Order")),
        "fireCampaign": Operation(summary: "Release a held campaign", good: .json("Order")),
        "streamEvents": Operation(
            summary: "Events of all campaigns, as server-sent events",
            good: .text("text/event-stream"),
            fields: ["Last-Event-ID"]
        ),
        "streamCampaignEvents": Operation(
            summary: "Events of a campaign until its end, as server-sent events",
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
        "getDevice": Operation(summary: "A device in the registry", good: .json("Device")),
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
            summary: "An app's contents: uploaded ones, and those that campaigns brought",
            good: .json("Contents")
        ),
        "listParked": Operation(
            summary: "Parked messages, the latest first",
            good: .json("ParkedList"),
            query: [
                ("app", JSONSchema.app), ("campaign", JSONSchema.text), ("reason", JSONSchema.text),
                ("limit", Schemas.limit),
            ]
        ),
        "getParked": Operation(summary: "A parked message with its body", good: .json("Parked")),
        "replayParked": Operation(
            summary: "Send a parked message after all",
            good: .json("ParkedResult"),
            query: [("dry_run", ["type": "boolean"])]
        ),
        "discardParked": Operation(
            summary: "Discard a parked message: its devices end failed",
            good: .json("ParkedResult"),
            query: [("dry_run", ["type": "boolean"])]
        ),
        "getStatus": Operation(summary: "Broker, store, workers, lanes, breakers, pauses", good: .json("Status")),
        "listApps": Operation(summary: "The apps that are known here, without their keys", good: .json("Apps")),
        "getCaller": Operation(summary: "The name, role and apps of the caller's token", good: .json("Caller")),
        "listAudit": Operation(
            summary: "The audit log of this API, the latest entry first",
            good: .json("Audit"),
            query: [("limit", Schemas.limit), ("cursor", Schemas.cursor)]
        ),
    ]
}
