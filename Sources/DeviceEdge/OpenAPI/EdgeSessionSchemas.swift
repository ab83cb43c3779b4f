import Campaigns
import WebServing

/// The schemas of a session's request and answer.
enum EdgeSessionSchemas {
    static let start: JSONValue = [
        "type": "object",
        "properties": [
            "id": ["type": "string", "format": "uuid"], "started_at": ["type": "string", "format": "date-time"],
            "locale": JSONSchema.text,
        ],
        "required": ["id", "started_at"], "additionalProperties": false,
    ]

    static let answer: JSONValue = [
        "type": "object",
        "properties": [
            "messages": ["type": "array", "maxItems": 50, "items": message],
            "assets": ["type": "array", "items": JSONSchema.text],
            "notifications": ["type": "array", "maxItems": 50, "items": notification],
            "payload_names": ["type": "object", "additionalProperties": JSONSchema.text],
        ],
        "required": ["messages", "assets", "notifications"],
    ]

    /// A campaign that the app presents instead of the system: a push's contents and its text.
    private static let notification: JSONValue = [
        "type": "object",
        "properties": [
            "fanfare": [
                "type": "object",
                "properties": [
                    "v": ["type": "integer"], "c": JSONSchema.text,
                    "m": ["type": "string", "pattern": "^[A-Za-z0-9_-]{22}$"],
                ],
                "required": ["v", "c", "m"],
            ],
            "title": JSONSchema.text, "subtitle": JSONSchema.text, "body": JSONSchema.text, "category": JSONSchema.text,
            "media": JSONSchema.text, "data": ["type": "object"],
            "expires_at": ["type": "string", "format": "date-time"],
        ],
        "required": ["fanfare"],
    ]

    /// The fields of `content.in_app` and `delivery.in_app` that the job gave, with their campaign.
    private static let message: JSONValue = [
        "type": "object",
        "properties": [
            "m": ["type": "string", "pattern": "^[A-Za-z0-9_-]{22}$"], "campaign": JSONSchema.text,
            "type": ["enum": .array(InAppMessage.Layout.allCases.map { .string($0.rawValue) })],
            "triggers": ["type": "array", "minItems": 1, "items": ["type": "object"]],
            "priority": ["type": "integer"], "starts_at": JSONSchema.text, "ends_at": JSONSchema.text,
        ],
        "required": ["campaign", "type", "triggers"],
    ]
}
