import Campaigns
import Operations
import WebServing

/// The schemas of the API's bodies (JSON Schema 2020-12, as in OpenAPI 3.1).
enum Schemas {
    static let word: JSONValue = ["type": "string", "pattern": "^(?![.]{1,2}$)[A-Za-z0-9._:-]{1,64}$"]
    static let limit: JSONValue = ["type": "integer", "minimum": 1, "maximum": 200]
    static let cursor: JSONValue = ["type": "integer", "minimum": 1, "maximum": 4_294_967_295]
    static let search: JSONValue = [
        "type": "string", "pattern": "^[^\\u0000-\\u001f\\u007f]+$", "minLength": 1,
        "maxLength": .number(JSONNumber(CampaignRoutes.searchMax)),
        "description": "A part of an id, an app or a name; A to Z match in either case.",
    ]
    static let states: JSONValue = [
        "type": "array",
        "items": ["type": "string", "enum": .array(CampaignStatusReader.states.map(JSONValue.string))],
    ]

    static let text = JSONSchema.text
    static let app = JSONSchema.app
    static let id = JSONSchema.id
    static let count: JSONValue = ["type": "integer", "minimum": 0]
    static let flag: JSONValue = ["type": "boolean"]
    static let instant: JSONValue = ["type": "string", "format": "date-time"]
    static let texts: JSONValue = ["type": "array", "items": text]
    static let object: JSONValue = ["type": "object"]

    static func maybe(_ schema: JSONValue) -> JSONValue { ["anyOf": [schema, ["type": "null"]]] }
    static func list(_ name: String) -> JSONValue { ["type": "array", "items": JSONSchema.reference(name)] }

    /// Returns an object's schema; members are required unless listed in `optional`.
    static func object(_ members: KeyValuePairs<String, JSONValue>, optional: Set<String> = []) -> JSONValue {
        let required = members.map(\.key).filter { !optional.contains($0) }
        return .object([
            "type": "object", "properties": .object(members.map { JSONMember($0.key, $0.value) }),
            "required": required.isEmpty ? nil : .array(required.map(JSONValue.string)),
        ])
    }

    /// All schemas, by name.
    static let all: [JSONMember] = resources + operations

    private static let resources: [JSONMember] = [
        JSONMember("Problem", problem), JSONMember("Error", error), JSONMember("Document", object),
        JSONMember("Version", object(["name": text, "version": text])), JSONMember("Job", job),
        JSONMember("Send", send), JSONMember("Sent", sent),
        JSONMember(
            "Verdict",
            object(
                [
                    "campaign": id, "app": app, "verdict": ["enum": ["pending", "existing", "valid"]],
                    "warnings": list("Error"), "forecast": maybe(JSONSchema.reference("Forecast")),
                ],
                optional: ["forecast"]
            )
        ),
        JSONMember("Forecast", forecast), JSONMember("ForecastOfProvider", forecastOfProvider),
        JSONMember("ForecastSpan", object(["soonest": count, "likely": count, "latest": count])),
        JSONMember("Report", report), JSONMember("Campaign", campaign), JSONMember("CampaignRow", row),
        JSONMember("RateCurve", rateCurve),
        JSONMember("CampaignPage", object(["campaigns": list("CampaignRow"), "next": maybe(text)])),
        JSONMember(
            "Order",
            object(
                [
                    "id": id, "app": app, "state": text, "paused_by": texts, "per_second": count,
                    "expires_at": maybe(instant), "dry_run": flag,
                ],
                optional: ["per_second", "dry_run"]
            )
        ),
        JSONMember("List", listOfDevices), JSONMember("Lists", object(["lists": ["type": "array", "items": object]])),
        JSONMember("UploadForm", uploadForm), JSONMember("Upload", upload),
        JSONMember("UploadPart", object(["upload": id, "part": count, "existing": flag])),
        JSONMember("AbandonedUpload", object(["app": app, "upload": id, "abandoned": flag])),
        JSONMember("Device", object), JSONMember("Result", object(["app": app, "id": text, "result": text])),
        JSONMember("Content", content), JSONMember("Contents", object(["contents": list("Content")])),
        JSONMember("ChannelForm", channelForm), JSONMember("Channel", channel),
        JSONMember("Channels", object(["channels": list("Channel")])),
        JSONMember("ChannelStrays", object(["unnamed": texts, "gone": texts])),
        JSONMember("RemovedChannel", object(["app": app, "name": id, "id": text, "result": text])),
        JSONMember("Forgotten", object(["app": app, "forgotten": texts, "list_places": count])),
        JSONMember("Parked", parked), JSONMember("ParkedList", object(["parked": list("Parked")])),
        JSONMember(
            "ParkedResult",
            object([
                "id": text, "result": text, "app": maybe(text), "campaign": maybe(text), "devices": count,
                "dry_run": flag,
            ])
        ),
        JSONMember("Status", status), JSONMember("HealthProblem", healthProblem),
        JSONMember("Apps", object(["apps": ["type": "array", "items": object]])),
        JSONMember("Audit", audit),
        JSONMember(
            "Caller",
            object(["name": text, "role": ["enum": ["viewer", "operator", "admin"]], "apps": maybe(texts)])
        ),
    ]

    private static let problem = object(
        [
            "type": ["type": "string", "pattern": "^urn:fanfare:problem:[a-z-]+$"], "title": text, "status": count,
            "campaign": text, "errors": list("Error"), "warnings": list("Error"),
        ],
        optional: ["campaign"]
    )

    private static let error = object(
        ["pointer": text, "code": text, "detail": text, "mend": text],
        optional: ["mend"]
    )

    private static let forecast = object([
        "reached_at": maybe(object(["soonest": instant, "likely": instant, "latest": instant])),
        "seconds": JSONSchema.reference("ForecastSpan"), "expiring": count, "providers": list("ForecastOfProvider"),
    ])

    private static let forecastOfProvider = object([
        "provider": text, "devices": count, "error": count, "limit": maybe(text), "basis": maybe(text),
        "per_second": maybe(count), "seconds": JSONSchema.reference("ForecastSpan"), "expiring": count,
    ])

    /// The whole schema is `fanfare schema job`.
    private static let job: JSONValue = [
        "type": "object",
        "description": "The job as producers publish it; its whole schema is what fanfare schema job prints.",
        "properties": ["id": id, "app": app, "content": object, "audience": object, "delivery": object],
        "required": ["app", "content", "audience"],
    ]

    private static let send: JSONValue = [
        "type": "object",
        // One of two in words: a generator takes a choice of required members for types without any member.
        "description": """
        A job with either device or user in place of audience; its content.rich may bring the content that it names.
        """,
        "properties": [
            "id": id, "app": app, "content": ["type": "object", "properties": ["rich": rich]], "device": object,
            "user": ["type": "string", "minLength": 1, "maxLength": 256], "delivery": object,
        ],
        "required": ["app", "content"],
    ]

    private static let rich: JSONValue = [
        "type": "object",
        "description":
            "As in a job; with content_type and body the content is stored first, under the send's id when id is missing.",
        "properties": [
            "type": word, "id": id, "message": text,
            "content_type": ["enum": .array(ContentType.allCases.map { .string($0.rawValue) })],
            "encoding": ["enum": ["text", "base64"], "default": "text"], "body": text,
        ],
        "required": ["type"],
    ]

    private static let sent = object([
        "id": text, "app": text, "state": text, "state_reason": maybe(text), "kind": text,
        "devices": [
            "type": "array",
            "items": object([
                "provider": text, "id": maybe(text), "outcome": text, "pending_in": maybe(text), "reason": maybe(text),
                "provider_id": maybe(text), "requests": count, "planned_at": maybe(instant),
                "first_request_at": maybe(instant), "last_answer_at": maybe(instant), "settled_at": maybe(instant),
                "next_retry_at": maybe(instant), "displayed_at": maybe(instant), "read": flag,
                "read_at": maybe(instant),
                "told": [
                    "type": "array",
                    "items": object(["surface": text, "type": text, "detail": maybe(text), "at": instant]),
                ],
                "attempts": ["type": "array", "items": object],
            ]),
        ],
    ])

    private static let campaign = object([
        "id": text, "app": text, "name": maybe(text), "tags": texts, "metadata": object, "state": text,
        "state_reason": maybe(text), "superseded_by": maybe(text), "audience": count, "accepted": count,
        "invalid": count, "failed": count, "expired": count, "superseded": count, "cancelled": count,
        "skipped": count, "pending": count, "pending_detail": object, "attempts": count, "maybe_sent": count,
        "unknown_resent": count, "reasons": object, "rate": maybe(count), "eta_at": maybe(instant),
        "next_retry_at": maybe(instant), "created_at": maybe(instant), "accepted_at": maybe(instant),
        "started_at": maybe(instant), "completed_at": maybe(instant), "expires_at": maybe(instant),
        "parts": ["type": "array", "items": part], "providers": object, "retries": object, "run_of": maybe(text),
        "repeat": maybe(repetition), "runs": ["type": "array", "items": run], "kind": text, "sends_pushes": flag,
        "state_codes": texts, "retry_reasons": object, "planning": flag, "audience_estimate": maybe(estimate),
        "unexamined": maybe(count),
    ])

    private static let estimate = object(["devices": count, "error": count])

    private static let part = object([
        "provider": maybe(text), "time_zone": maybe(text), "release_at": instant, "expires_at": maybe(instant),
        "audience": count, "unplanned": count, "quiet_until": maybe(instant), "accepted": count, "invalid": count,
        "failed": count, "expired": count, "superseded": count, "cancelled": count, "skipped": count,
    ])

    private static let repetition = object([
        "cron": text, "time_zone": text, "until": maybe(text), "next_at": maybe(instant), "missed_at": maybe(instant),
        "missed_reason": maybe(text),
    ])

    private static let run = object([
        "id": text, "at": instant, "state": text, "audience": count, "started_at": maybe(instant),
        "completed_at": maybe(instant),
    ])

    private static let report = object(
        [
            "id": text, "app": text, "state": text, "audience": count, "accepted": count, "attempts": count,
            "maybe_sent": count, "surfaces": object, "poll": object,
        ],
        optional: ["poll"]
    )

    private static let row = object([
        "id": text, "app": text, "name": maybe(text), "state": text, "audience": count, "rate": maybe(count),
        "eta_at": maybe(instant), "accepted_at": instant, "completed_at": maybe(instant), "state_reason": maybe(text),
        "kind": text, "accepted": maybe(count), "invalid": maybe(count), "failed": maybe(count),
        "expired": maybe(count), "superseded": maybe(count), "cancelled": maybe(count), "skipped": maybe(count),
    ])

    private static let numbers: JSONValue = ["type": "array", "items": count]

    /// All columns have as many numbers.
    private static let rateCurve = object([
        "id": text, "app": text, "begins_at": instant, "ends_at": instant, "step_seconds": count, "devices": numbers,
        "outcomes": object([
            "accepted": numbers, "invalid": numbers, "failed": numbers, "expired": numbers, "superseded": numbers,
            "cancelled": numbers, "skipped": numbers,
        ]),
        "marks": [
            "type": "array",
            "items": object([
                "seq": maybe(count), "at": instant, "type": text, "app": text, "campaign": text, "by": text,
                "data": object,
            ]),
        ],
    ])

    private static let content = object([
        "app": app, "id": id, "type": text, "content_type": text, "bytes": count, "version": text, "of_campaign": flag,
        "at": instant,
    ])

    private static let storage: JSONValue = [
        "enum": .array(BroadcastChannel.Storage.allCases.map { .string($0.rawValue) })
    ]

    static let environment: JSONValue = [
        "enum": .array(PushEnvironment.apple.map { .string($0.rawValue) })
    ]

    /// Base64 with padding.
    private static let channelID: JSONValue = [
        "type": "string", "pattern": "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$",
        "maxLength": 1024,
    ]

    private static let channelForm = object(
        ["name": id, "storage": storage, "environment": environment, "id": channelID],
        optional: ["storage", "environment", "id"]
    )

    private static let channel = object([
        "app": app, "name": id, "id": text, "environment": environment, "storage": storage, "created_at": instant,
    ])

    /// A SHA-256 in hexadecimal digits.
    static let hash: JSONValue = ["type": "string", "pattern": "^[0-9a-fA-F]{64}$"]

    private static let listOfDevices = object(
        [
            "app": app, "name": id, "version": text, "devices": count, "duplicates": count, "existing": flag,
            "upload": id, "warnings": list("Error"),
        ],
        optional: ["upload"]
    )

    private static let uploadForm: JSONValue = [
        "type": "object", "additionalProperties": false,
        "properties": ["format": ["enum": ["csv", "ndjson"]]], "required": ["format"],
    ]

    private static let upload = object(
        [
            "app": app, "name": id, "upload": id, "state": ["enum": ["under_way", "complete"]],
            "format": ["enum": ["csv", "ndjson"]], "parts": count, "bytes": count, "part_bytes_max": count,
        ],
        optional: ["format", "parts", "bytes", "part_bytes_max"]
    )

    private static let parked = object(
        [
            "id": text, "queue": text, "reason": text, "errors": list("Error"), "app": maybe(text),
            "campaign": maybe(text), "devices": count, "first_at": instant, "last_at": instant,
            "headers": maybe(object), "body": maybe(text), "body_bytes": count,
        ],
        optional: ["headers", "body", "body_bytes"]
    )

    private static let status = object([
        "parts": [
            "type": "array",
            "items": object(
                ["name": text, "well": flag, "detail": text, "last_heard_at": instant, "health": object],
                optional: ["last_heard_at", "health"]
            ),
        ],
        "backlogs": ["type": "array", "items": object], "breakers": texts, "pauses": texts, "parked": count,
        "refused_jobs": count, "needs": texts, "problems": list("HealthProblem"),
    ])

    private static let healthProblem = object([
        "code": text, "subject": text, "since": maybe(instant), "cause": text, "remedy": text, "needs_person": flag,
    ])

    private static let audit = object([
        "entries": [
            "type": "array",
            "items": object([
                "seq": count, "at": instant, "actor": text, "role": text, "peer": text, "operation": text,
                "path": text, "status": count, "request": text,
            ]),
        ],
        "next": maybe(text),
    ])
}
