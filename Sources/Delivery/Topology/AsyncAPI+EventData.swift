import Campaigns

extension AsyncAPI {
    /// A member of an event's data.
    private struct Member {
        let name: String
        let schema: String
        var isOptional = false
    }

    private static let word = #"{"type": "string"}"#
    private static let texts = #"{"type": "array", "items": {"type": "string"}}"#
    private static let instant = #"{"type": "string", "format": "date-time"}"#
    private static let count = #"{"type": "integer", "minimum": 0}"#
    private static let counts = #"{"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}}"#
    private static let problems = ##"{"type": "array", "items": {"$ref": "#/components/schemas/problem"}}"##

    private static let app = Member(name: "app", schema: word)
    private static let campaign = Member(name: "campaign", schema: word)
    private static let provider = Member(name: "provider", schema: word)
    private static let outcomes = Outcome.allCases.map { Member(name: $0.name, schema: count) }

    /// Returns the required members of an event's data and the schemas of all, as JSON text.
    static func data(of kind: CampaignEvent.Kind) -> (required: String, properties: String) {
        let members = members(of: kind)
        let required = members.filter { !$0.isOptional }.map { "\"\($0.name)\"" }
        let properties = members.map { "                    \"\($0.name)\": \($0.schema)" }
        return (required.joined(separator: ", "), properties.joined(separator: ",\n"))
    }

    private static func members(of kind: CampaignEvent.Kind) -> [Member] {
        switch kind {
        case .accepted: accepted
        case .refused:
            [
                Member(name: "type", schema: word), Member(name: "title", schema: word),
                Member(name: "status", schema: count), Member(name: "campaign", schema: word, isOptional: true),
                Member(name: "errors", schema: problems), Member(name: "warnings", schema: problems),
            ]
        case .started:
            [campaign, app, Member(name: "audience", schema: count), Member(name: "started_at", schema: instant)]
        case .paused, .resumed: [campaign, app, Member(name: "reasons", schema: texts)]
        case .completed, .cancelled:
            [campaign, app, Member(name: "audience", schema: count)] + outcomes
                + [Member(name: "pending", schema: count), Member(name: "completed_at", schema: instant)]
        case .suspended: [app, provider, Member(name: "reason", schema: word)]
        case .takenUp: [app, provider]
        case .shardSettled: shardSettled
        case .deviceInvalid: [campaign, app, provider, Member(name: "devices", schema: invalidDevices)]
        }
    }

    private static let accepted = [
        campaign, app, Member(name: "name", schema: word, isOptional: true), Member(name: "tags", schema: texts),
        Member(name: "metadata", schema: #"{"type": "object", "additionalProperties": {"type": "string"}}"#),
        Member(name: "created_at", schema: instant, isOptional: true), Member(name: "accepted_at", schema: instant),
        Member(name: "expires_at", schema: instant, isOptional: true),
        Member(name: "repeat", schema: #"{"const": true, "description": "The job came again."}"#, isOptional: true),
        Member(
            name: "state",
            schema: #"{"type": "string", "description": "With repeat: the campaign's state."}"#,
            isOptional: true
        ),
        Member(name: "warnings", schema: problems),
    ]

    private static let shardSettled =
        [
            campaign, app, provider, Member(name: "shard", schema: word),
            Member(name: "attempt", schema: #"{"type": "integer", "minimum": 1}"#),
            Member(name: "devices", schema: count),
        ] + outcomes + [
            Member(name: "retrying", schema: count), Member(name: "held", schema: count),
            Member(name: "requests", schema: count),
            Member(name: "reasons", schema: counts),
            // Events of the version before have none.
            Member(name: "retry_reasons", schema: counts, isOptional: true),
            Member(name: "settled_at", schema: instant),
        ]

    private static let invalidDevices =
        #"{"type": "array", "items": {"type": "object", "required": ["token"], "#
        + #""properties": {"token": {"type": "string"}, "id": {"type": "string"}, "#
        + #""since": {"type": "string", "format": "date-time"}, "reason": {"type": "string"}}}}"#
}
