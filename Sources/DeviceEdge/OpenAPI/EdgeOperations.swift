import Campaigns
import WebServing

/// The edge's operations in the OpenAPI document, by name; a test holds them against the routes.
enum EdgeOperations {
    static let all: [String: Operation] = [
        "registerDevice": Operation(
            summary: "Register an installation with its app's integration key, or refresh it with its own secret",
            statuses: [200, 201],
            good: .json("EdgeRegistered"),
            body: .json("EdgeDevice"),
            fields: ["Fanfare-User"]
        ),
        "trackEvents": Operation(
            summary: "Report what happened to pushes on the device; a repeated report counts once",
            statuses: [202],
            good: .json("EdgeAccepted"),
            body: .json("EdgeEvents")
        ),
        "answerPoll": Operation(
            summary: "Answer a poll; a device's first answers count",
            statuses: [202],
            good: .json("EdgeAccepted"),
            body: .json("EdgeAnswers")
        ),
        "getMessage": Operation(
            summary: "The content that a push names: whole, in part, or unchanged",
            statuses: [200, 206, 304],
            good: .content,
            fields: ["Fanfare-Message"]
        ),
        "deregisterDevice": Operation(
            summary: "Forget the device: a tombstone stays, and nothing is sent to it any more",
            good: .json("EdgeForgotten")
        ),
        "startSession": Operation(
            summary: "The in-app messages that the device is eligible for, with the assets to load first",
            statuses: [200, 304],
            good: .json("EdgeSession"),
            body: .json("EdgeSessionStart"),
            fields: ["If-None-Match"]
        ),
    ]
}

/// The schemas of the edge's bodies.
enum EdgeSchemas {
    static let all: [JSONMember] = [
        JSONMember("EdgeRefusal", refusal), JSONMember("EdgeRegistered", registered), JSONMember("EdgeDevice", device),
        JSONMember("EdgeForgotten", forgotten), JSONMember("EdgeAccepted", accepted), JSONMember("EdgeEvents", events),
        JSONMember("EdgeAnswers", answers), JSONMember("EdgeSessionStart", EdgeSessionSchemas.start),
        JSONMember("EdgeSession", EdgeSessionSchemas.answer),
    ]

    private static let refusal: JSONValue = [
        "type": "object",
        "properties": [
            "status": ["enum": .array(EdgeStatus.allCases.map { .string($0.rawValue) })], "reason": JSONSchema.text,
            "pointer": JSONSchema.text,
        ],
        "required": ["status", "reason"],
    ]

    private static let registered: JSONValue = [
        "type": "object",
        "properties": [
            "status": ["const": "registered"],
            "device_secret": ["type": "string", "pattern": "^[A-Za-z0-9_-]{43}$"],
        ],
        "required": ["status"],
    ]

    private static let accepted: JSONValue = [
        "type": "object", "properties": ["status": ["const": "accepted"]], "required": ["status"],
    ]

    private static let messageID: JSONValue = ["type": "string", "pattern": "^[A-Za-z0-9_-]{22}$"]
    private static let instant: JSONValue = ["type": "string", "format": "date-time"]

    private static let event: JSONValue = [
        "type": "object",
        "properties": [
            "id": ["type": "string", "format": "uuid"], "m": messageID,
            "type": ["enum": .array(TrackedType.words.map { .string($0) })],
            "surface": ["enum": .array(TrackedSurface.words.map { .string($0) })],
            "action": ["type": ["string", "null"], "minLength": 1, "maxLength": 64],
            "reason": ["type": ["string", "null"], "minLength": 1, "maxLength": 64], "at": instant,
        ],
        "required": ["id", "m", "type", "at"],
    ]

    private static let events: JSONValue = [
        "type": "object",
        "properties": ["events": ["type": "array", "minItems": 1, "maxItems": 500, "items": event]],
        "required": ["events"],
    ]

    private static let answer: JSONValue = [
        "type": "object",
        "properties": ["question": JSONSchema.text, "choices": ["type": "array", "items": JSONSchema.text]],
        "required": ["question", "choices"],
    ]

    private static let answers: JSONValue = [
        "type": "object",
        "properties": [
            "m": messageID, "at": instant,
            "answers": ["type": "array", "minItems": 1, "maxItems": 100, "items": answer],
        ],
        "required": ["m", "at", "answers"],
    ]

    private static let forgotten: JSONValue = [
        "type": "object", "properties": ["status": ["const": "forgotten"]], "required": ["status"],
    ]

    private static let tags: JSONValue = ["type": "array", "maxItems": 60, "items": JSONSchema.text]

    private static let device: JSONValue = [
        "type": "object",
        "properties": [
            "token": JSONSchema.text, "provider": JSONSchema.text, "environment": ["enum": ["production", "sandbox"]],
            "user": ["type": ["string", "null"], "minLength": 1, "maxLength": 256],
            "permission": ["enum": ["authorized", "provisional", "denied", "unknown"]], "locale": JSONSchema.text,
            "time_zone": JSONSchema.text, "app_version": JSONSchema.text, "kit_version": JSONSchema.text,
            "badge": ["type": "integer", "minimum": 0], "attributes": ["type": "object"],
            "tags": ["type": "object", "properties": ["add": tags, "remove": tags]],
            "activities": ["type": "array", "maxItems": 32, "items": activityToken],
        ],
    ]

    /// Without an id it is the token that starts activities of the type.
    private static let activityToken: JSONValue = [
        "type": "object",
        "properties": ["type": JSONSchema.id, "id": JSONSchema.id, "token": JSONSchema.text],
        "required": ["type", "token"],
    ]
}
