/// The JSON Schema (2020-12) of the whole job; `fanfare schema job` prints it.
///
/// Every optional field has its `default`, which is `null` if omitting it means nothing at all. Tests compare the
/// decoder's lists of fields with the schema.
public enum JobSchema {
    /// The schema as JSON text.
    public static let text = """
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "$id": "urn:fanfare:schema:job:v1",
        \(members)
        }

        """

    /// Returns the schema as JSON text for a place in another document; `place` is the JSON pointer of that place.
    ///
    /// It has no `$id`, which would make it a document of its own: its references are those of the whole document.
    public static func text(at place: String) -> String {
        "{\n\(members.replacing("\"#/$defs/", with: "\"#\(place)/$defs/"))\n}"
    }

    private static let members = """
          "title": "A job of Fanfare: one message to one audience",
          "$ref": "#/$defs/job",
          "$defs": {
        \(job),
        \(audience),
        \(content),
        \(kinds),
        \(inApp),
        \(delivery),
        \(shared)
          }
        """

    private static let job = #"""
            "job": {
              "type": "object",
              "additionalProperties": false,
              "required": ["app", "audience", "content"],
              "properties": {
                "id": {
                  "description": "Unique per app; may be left out when the AMQP message_id is given.",
                  "type": "string", "pattern": "^(?![.]{1,2}$)[A-Za-z0-9._:-]{1,128}$", "default": null
                },
                "app": {
                  "description": "The mobile app; equals the routing key.",
                  "type": "string", "pattern": "^[A-Za-z0-9._-]{1,128}$"
                },
                "kind": {
                  "description": "Which block content needs besides.",
                  "enum": ["notification", "announcement", "poll", "data_push", "native", "in_app"],
                  "default": "notification"
                },
                "created_at": {
                  "description": "The producer's clock; absent, the AMQP timestamp. Score feeds give milliseconds.",
                  "$ref": "#/$defs/instant", "default": null
                },
                "name": {"description": "For people.", "$ref": "#/$defs/text", "default": null},
                "tags": {"type": "array", "maxItems": 20, "items": {"$ref": "#/$defs/text"}, "default": []},
                "metadata": {
                  "description": "The producer's own pairs; they come back in status, and are no part of the identity.",
                  "type": "object", "maxProperties": 20, "additionalProperties": {"type": "string"}, "default": {}
                },
                "audience": {"$ref": "#/$defs/audience"},
                "content": {"$ref": "#/$defs/content"},
                "delivery": {"$ref": "#/$defs/delivery", "default": {}}
              },
              "allOf": [
                {
                  "if": {"properties": {"kind": {"const": "announcement"}}, "required": ["kind"]},
                  "then": {"properties": {"content": {"required": ["announcement"]}}},
                  "else": {"properties": {"content": {"not": {"required": ["announcement"]}}}}
                },
                {
                  "if": {"properties": {"kind": {"const": "poll"}}, "required": ["kind"]},
                  "then": {"properties": {"content": {"required": ["poll"]}}},
                  "else": {"properties": {"content": {"not": {"required": ["poll"]}}}}
                },
                {
                  "if": {"properties": {"kind": {"const": "data_push"}}, "required": ["kind"]},
                  "then": {"properties": {"content": {"required": ["data_push"]}}},
                  "else": {"properties": {"content": {"not": {"required": ["data_push"]}}}}
                },
                {
                  "if": {"properties": {"kind": {"const": "native"}}, "required": ["kind"]},
                  "then": {"properties": {"content": {"anyOf": [{"required": ["apns"]}, {"required": ["fcm"]}]}}}
                }
              ]
            }
        """#

    private static let shared = #"""
            "text": {"type": "string", "minLength": 1},
            "texts": {"type": "array", "items": {"$ref": "#/$defs/text"}},
            "instant": {
              "description": "RFC 3339 with an offset.",
              "type": "string",
              "pattern": "^\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:\\d\\d([.]\\d+)?([Zz]|[+-]\\d\\d:\\d\\d)$"
            },
            "wall_clock_or_instant": {
              "description": "RFC 3339; with local_time without an offset.",
              "type": "string",
              "pattern": "^\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:\\d\\d([.]\\d+)?([Zz]|[+-]\\d\\d:\\d\\d)?$"
            },
            "epoch_seconds": {
              "description": "Whole seconds since 1970, as Apple takes them.",
              "type": "integer", "minimum": 0, "maximum": 99999999999
            },
            "unit": {"type": "number", "minimum": 0, "maximum": 1}
        """#
}
