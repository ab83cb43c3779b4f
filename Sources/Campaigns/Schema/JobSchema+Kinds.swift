extension JobSchema {
    /// The blocks of the kinds.
    static let kinds = #"""
            "rich": {
              "type": "object", "additionalProperties": false, "required": ["type", "id"],
              "properties": {
                "type": {"description": "What the app does with it.", "$ref": "#/$defs/word"},
                "id": {
                  "description": "The id of a stored content of the app.",
                  "type": "string", "pattern": "^(?![.]{1,2}$)[A-Za-z0-9._:-]{1,128}$"
                },
                "message": {
                  "description": "What the app says of it when it shows it itself, after a silent push.",
                  "$ref": "#/$defs/heading", "default": null
                }
              }
            },
            "announcement": {
              "description": "Goes with the kind announcement: a page that the app fetches by the campaign's id.",
              "type": "object",
              "additionalProperties": false,
              "required": ["format", "body"],
              "properties": {
                "format": {"enum": ["text", "html"]},
                "title": {"$ref": "#/$defs/heading", "default": null},
                "body": {"type": "string", "minLength": 1, "maxLength": 262144},
                "action_label": {"$ref": "#/$defs/label", "default": null},
                "action_url": {"type": "string", "minLength": 1, "maxLength": 2048, "default": null},
                "exit_label": {"$ref": "#/$defs/label", "default": null}
              }
            },
            "poll": {
              "description": "Goes with the kind poll: questions that the app fetches by the campaign's id.",
              "type": "object",
              "additionalProperties": false,
              "required": ["questions"],
              "properties": {
                "title": {"$ref": "#/$defs/heading", "default": null},
                "body": {"type": "string", "minLength": 1, "maxLength": 16384, "default": null},
                "action_label": {"$ref": "#/$defs/label", "default": null},
                "exit_label": {"$ref": "#/$defs/label", "default": null},
                "questions": {"type": "array", "minItems": 1, "maxItems": 50, "items": {"$ref": "#/$defs/question"}}
              }
            },
            "question": {
              "type": "object", "additionalProperties": false, "required": ["id", "title", "choices"],
              "properties": {
                "id": {"$ref": "#/$defs/word"},
                "title": {"$ref": "#/$defs/heading"},
                "select": {"enum": ["one", "many"], "default": "one"},
                "choices": {"type": "array", "minItems": 1, "maxItems": 50, "items": {"$ref": "#/$defs/choice"}}
              }
            },
            "choice": {
              "type": "object", "additionalProperties": false, "required": ["id", "title"],
              "properties": {
                "id": {"$ref": "#/$defs/word"},
                "title": {"$ref": "#/$defs/heading"},
                "default": {"type": "boolean", "default": false}
              }
            },
            "data_push": {
              "description": "Goes with the kind data_push: bytes for the app itself; nothing is shown.",
              "type": "object",
              "additionalProperties": false,
              "required": ["encoding", "body"],
              "properties": {
                "encoding": {"enum": ["text", "base64"]},
                "body": {"type": "string"},
                "category": {
                  "description": "Which of the app's handlers takes it.",
                  "type": "string", "minLength": 1, "maxLength": 64, "default": null
                }
              }
            },
            "word": {"type": "string", "pattern": "^(?![.]{1,2}$)[A-Za-z0-9._:-]{1,64}$"},
            "heading": {"type": "string", "minLength": 1, "maxLength": 1024},
            "label": {"type": "string", "minLength": 1, "maxLength": 256}
        """#
}
