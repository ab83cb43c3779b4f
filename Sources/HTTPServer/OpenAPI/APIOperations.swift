import Campaigns
import WebServing

/// All operations by name; a test holds them against the routes.
enum APIOperations {
    private static let text = Operation.Good.text("text/plain")

    /// An operation of a job, which may take its id from a key.
    private static func ofJob(
        _ summary: String,
        statuses: [Int] = [200],
        good: String = "Verdict",
        body: String = "Job",
        query: [(name: String, schema: JSONValue)] = []
    ) -> Operation {
        Operation(
            summary: summary,
            statuses: statuses,
            good: .json(good),
            body: .json(body),
            query: query,
            fields: ["Idempotency-Key"]
        )
    }

    /// An order, which may be tried without effect.
    private static func order(
        _ summary: String,
        good: String = "Order",
        body: String? = nil,
        isPaged: Bool = false
    ) -> Operation {
        Operation(
            summary: summary,
            good: .json(good),
            body: body.map(Operation.Body.json),
            query: [("dry_run", Schemas.flag)] + (isPaged ? [("cursor", JSONSchema.text)] : [])
        )
    }

    static let all: [String: Operation] = [
        "livez": Operation(summary: "Liveness of the process", good: text),
        "readyz": Operation(summary: "Readiness: broker and ledger are reachable", statuses: [200, 503], good: text),
        "metrics": Operation(summary: "Metrics in Prometheus' text format", good: text),
        "version": Operation(summary: "The program's name and version", good: .json("Version")),
        "openapi": Operation(summary: "This document", good: .json("Document")),
        "sendCampaign": ofJob(
            "Start a campaign: 202 when the broker has confirmed the job, 200 when any server sent the same job before",
            statuses: [200, 202]
        ),
        "validateCampaign": ofJob("Check a job without sending it"),
        "sendToDevice": ofJob(
            "Push to one device or one user, the content in the same request; urgent unless it says otherwise",
            statuses: [200, 202],
            body: "Send"
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
                ("app", JSONSchema.app), ("state", Schemas.states), ("tag", JSONSchema.text),
                ("search", Schemas.search), ("limit", Schemas.limit), ("cursor", Schemas.cursor),
            ]
        ),
        "findCampaign": Operation(summary: "A campaign by its id, if only one app has it", good: .json("Campaign")),
        "getCampaign": Operation(summary: "A campaign's status", good: .json("Campaign")),
        "reportCampaign": Operation(summary: "The phones' reports about a campaign, by surface", good: .json("Report")),
        "getCampaignRate": Operation(
            summary: "A campaign's devices by the time of their outcome, and what happened meanwhile",
            good: .json("RateCurve")
        ),
        "pauseCampaign": order("Pause a campaign: no further requests are opened"),
        "resumeCampaign": order("Resume a campaign, whatever paused it"),
        "cancelCampaign": order("Cancel a campaign: unsent devices end cancelled"),
        "fireCampaign": order("Release a held campaign"),
        "setCampaign": order("Give a campaign another rate, end or urgency while it runs", body: "Change"),
        "previewCampaign": ofJob(
            "Render a job for the devices that it names, with sizes; nothing is sent",
            good: "Preview",
            query: [("device", Schemas.texts)]
        ),
        "checkAudience": Operation(
            summary: "Count or estimate an audience by provider, locale and time zone; nothing is sent",
            good: .json("AudienceCount"),
            body: .json("AudienceQuestion"),
            query: [("exact", Schemas.flag), ("explain", Schemas.flag)]
        ),
        "exportOutcomes": Operation(
            summary: "Every device of a campaign with its outcome, an object or a CSV record a line",
            good: .lines,
            query: [("format", Schemas.formats), ("outcome", Schemas.outcomes), ("reason", JSONSchema.text)]
        ),
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
        "beginUpload": Operation(
            summary: "Begin an upload of a list in parts, or find what is there of it; a job may name it at once",
            statuses: [200, 201],
            good: .json("Upload"),
            body: .json("UploadForm")
        ),
        "getUpload": Operation(summary: "The state of an upload: the parts that are there", good: .json("Upload")),
        "putUploadPart": Operation(
            summary: "Send the next part of an upload; the same part again changes nothing",
            statuses: [200, 201],
            good: .json("UploadPart"),
            body: .bytes,
            query: [("sha256", Schemas.hash)]
        ),
        "completeUpload": Operation(
            summary: "Make the new version of the list from the parts; jobs that wait for it begin",
            statuses: [200, 201],
            good: .json("List")
        ),
        "abandonUpload": Operation(
            summary: "Abandon an upload; jobs that wait for it fail",
            good: .json("AbandonedUpload")
        ),
        "listLists": Operation(summary: "The lists of an app", good: .json("Lists")),
        "putDevice": Operation(
            summary: "Register a device, or change it",
            good: .json("Result"),
            body: .json("Device")
        ),
        "getDevice": Operation(summary: "A device in the registry", good: .json("Device")),
        "forgetDevice": Operation(summary: "Forget a device; a tombstone stays", good: .json("Forgotten")),
        "traceDevice": Operation(
            summary: "The actions of every campaign for a device, or for all devices of a user, the latest first",
            good: .json("Traces"),
            body: .json("TraceQuestion")
        ),
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
        "createChannel": Operation(
            summary: "Make a broadcast channel at Apple under a name of yours, or name one that Apple has",
            statuses: [201],
            good: .json("Channel"),
            body: .json("ChannelForm")
        ),
        "listChannels": Operation(summary: "An app's broadcast channels", good: .json("Channels")),
        "compareChannels": Operation(
            summary: "Apple's channels without a name here, and names whose channel Apple lacks",
            good: .json("ChannelStrays"),
            query: [("environment", Schemas.environment)]
        ),
        "removeChannel": Operation(
            summary: "Remove a broadcast channel at Apple, for good, and its name",
            good: .json("RemovedChannel")
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
        "replayParked": order("Send a parked message after all", good: "ParkedResult"),
        "discardParked": order("Discard a parked message: its devices end failed", good: "ParkedResult"),
        "replayParkedMany": order(
            "Send many parked messages after all, a page of them in each request",
            good: "ParkedResults",
            body: "ParkedChoice",
            isPaged: true
        ),
        "discardParkedMany": order(
            "Discard many parked messages, a page of them in each request: their devices end failed",
            good: "ParkedResults",
            body: "ParkedChoice",
            isPaged: true
        ),
        "listPauses": Operation(
            summary: "The pauses of apps, providers, urgencies, or of everything",
            good: .json("Pauses")
        ),
        "pauseFleet": order(
            "Open no requests for an app, a provider, an urgency, or at all, until they are resumed",
            good: "Paused",
            body: "PauseScope"
        ),
        "resumeFleet": order(
            "End the pauses within a scope; those that are for more stay",
            good: "Resumed",
            body: "PauseScope"
        ),
        "listWebhooks": Operation(
            summary: "The webhooks, the events waiting for each, and why they are not taken",
            good: .json("Webhooks"),
            query: [("app", JSONSchema.app)]
        ),
        "resumeWebhook": Operation(
            summary: "Try a webhook at once, also one that was given up",
            good: .json("Webhook")
        ),
        "getStatus": Operation(summary: "Broker, store, workers, lanes, breakers, pauses", good: .json("Status")),
        "getReload": Operation(
            summary: "The workers' answers to the newest order to read their files again",
            good: .json("Reload")
        ),
        "orderReload": Operation(
            summary: "Order all workers to read their files again; getReload has their answers",
            good: .json("Reload"),
            query: [("dry_run", Schemas.flag)]
        ),
        "listApps": Operation(summary: "The apps that are known here, without their keys", good: .json("Apps")),
        "getCaller": Operation(summary: "The name, role and apps of the caller's token", good: .json("Caller")),
        "listAudit": Operation(
            summary: "The audit log of this API, the latest entry first",
            good: .json("Audit"),
            query: [("limit", Schemas.limit), ("cursor", Schemas.cursor)]
        ),
    ]
}
