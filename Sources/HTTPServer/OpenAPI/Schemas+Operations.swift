import Campaigns
import Operations
import WebServing

/// The schemas of what operators do besides sending.
extension Schemas {
    static let formats: JSONValue = [
        "enum": .array(OutcomeExport.Format.allCases.map { .string($0.rawValue) }), "default": "ndjson",
    ]
    static let outcomes: JSONValue = ["enum": .array(OutcomeExport.outcomes.map(JSONValue.string))]

    static let operations: [JSONMember] = [
        JSONMember("Change", change), JSONMember("Preview", preview), JSONMember("AudienceQuestion", audienceQuestion),
        JSONMember(
            "AudienceCount",
            object(
                [
                    "devices": count, "denied": count, "users_without_device": count, "providers": counts,
                    "locales": counts, "time_zones": counts, "estimated": flag, "error": count,
                    "explain": JSONSchema.reference("AudienceExplanation"),
                ],
                optional: ["explain"]
            )
        ),
        JSONMember(
            "AudienceExplanation",
            object([
                "by": ["enum": ["index", "registry"]], "reason": maybe(text), "index": maybe(text),
                "terms": list("AudienceTerm"), "changed": count, "registry": count, "devices_expected": count,
                "devices_read": maybe(count), "index_rows_read": maybe(count),
            ])
        ),
        JSONMember("AudienceTerm", object(["term": text, "devices": count, "used": flag])),
        JSONMember("TraceQuestion", traceQuestion), JSONMember("Traces", object(["traces": list("Trace")])),
        JSONMember("Trace", trace), JSONMember("PauseScope", scope), JSONMember("Pause", pause),
        JSONMember("Pauses", object(["pauses": list("Pause")])),
        JSONMember(
            "Paused",
            object(["existing": flag, "pauses": list("Pause"), "dry_run": flag], optional: ["dry_run"])
        ),
        JSONMember(
            "Resumed",
            object(
                ["ended": list("Pause"), "held_by": list("Pause"), "pauses": list("Pause"), "dry_run": flag],
                optional: ["dry_run"]
            )
        ),
        JSONMember("Reload", reload), JSONMember("ReloadAnswer", reloadAnswer), JSONMember("ReloadedFiles", files),
        JSONMember("Webhook", webhook), JSONMember("Webhooks", object(["webhooks": list("Webhook")])),
        JSONMember("ParkedChoice", parkedChoice),
        JSONMember("ParkedResults", object(["parked": list("ParkedResult"), "next": maybe(text)])),
    ]

    private static let counts: JSONValue = ["type": "object", "additionalProperties": count]
    private static let name: JSONValue = ["type": "string", "minLength": 1]

    private static let change: JSONValue = [
        "type": "object", "description": "What is to be changed; per_second is null for no rate.",
        "properties": [
            "per_second": [
                "anyOf": [["type": "integer", "minimum": 1, "maximum": 1_000_000], ["type": "null"]]
            ],
            "expires_at": ["type": "string", "description": "An instant, or a time by the clock of each part."],
            "urgency": ["enum": ["urgent", "bulk"]],
        ],
        "minProperties": 1, "additionalProperties": false,
    ]

    private static let preview = object(
        [
            "kind": text, "devices": count, "counts": counts,
            "samples": [
                "type": "array",
                "items": object([
                    "device": text, "locale": maybe(text), "bytes": count, "bytes_max": count, "outcome": maybe(text),
                    "reason": maybe(text), "collapse_id": text, "payload": maybe(object),
                ]),
            ],
            "warnings": list("Error"), "messages": objects, "notifications": objects, "delivery": object,
        ],
        // A message that the app shows has its languages in place of samples.
        optional: ["devices", "counts", "samples", "warnings", "messages", "notifications", "delivery"]
    )

    private static let objects: JSONValue = ["type": "array", "items": object]

    private static let audienceQuestion: JSONValue = [
        "type": "object", "description": "A job, of which only app and audience are needed.",
        "properties": ["app": app, "audience": object], "required": ["app", "audience"],
    ]

    private static let traceQuestion: JSONValue = [
        "type": "object", "description": "A device by an id or a token, a user, or a token: one of them.",
        "properties": ["device": name, "user": name, "token": name, "since": instant],
        "additionalProperties": false,
    ]

    private static let trace = object([
        "campaign": text, "app": text, "name": maybe(text), "accepted_at": instant, "token": text, "provider": text,
        "id": maybe(text), "outcome": text, "pending_in": maybe(text), "reason": maybe(text),
        "provider_id": maybe(text), "requests": count, "planned_at": maybe(instant),
        "first_request_at": maybe(instant), "last_answer_at": maybe(instant), "settled_at": maybe(instant),
        "next_retry_at": maybe(instant), "displayed_at": maybe(instant), "read": flag, "read_at": maybe(instant),
        "told": objects, "attempts": objects,
    ])

    private static let scope: JSONValue = [
        "type": "object", "description": "The campaigns that all members name; without members, all campaigns.",
        "properties": ["app": app, "provider": name, "urgency": ["enum": ["urgent", "bulk"]]],
        "additionalProperties": false,
    ]

    private static let pause = object([
        "app": maybe(text), "provider": maybe(text), "urgency": maybe(text), "since": instant,
    ])

    private static let webhook = object([
        "id": count, "app": text, "host": text, "state": ["enum": ["ok", "failing", "disabled"]], "events": texts,
        "waiting": count, "waiting_since": maybe(instant), "failures": count, "failing_since": maybe(instant),
        "reason": maybe(text), "next_try_at": maybe(instant), "disabled_at": maybe(instant),
    ])

    private static let reload = object(
        ["order": count, "at": instant, "by": text, "answers": list("ReloadAnswer"), "dry_run": flag],
        optional: ["dry_run"]
    )

    private static let reloadAnswer = object([
        "worker": text, "answer": ["enum": ["taken_over", "refused", "not_answered"]], "last_heard_at": instant,
        "detail": text, "files": maybe(JSONSchema.reference("ReloadedFiles")),
    ])

    private static let files = object([
        "at": instant, "at_start": flag, "new": texts, "changed": texts, "unchanged": count, "gone": texts,
        "need_restart": texts,
        "refused": [
            "type": "array",
            "items": object(["app": maybe(text), "key": text, "reason": text, "fix": maybe(text)]),
        ],
    ])

    private static let parkedChoice: JSONValue = [
        "type": "object", "description": "The messages by number, or by common facts, or all.",
        "properties": [
            "ids": [
                "type": "array", "items": text, "minItems": 1, "maxItems": .number(JSONNumber(ParkedMany.most)),
            ],
            "app": app, "campaign": name, "reason": name, "all": flag,
        ],
        "minProperties": 1, "additionalProperties": false,
    ]
}
