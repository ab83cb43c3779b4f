extension JobSchema {
    /// The blocks of the kinds that later versions send.
    static let kinds = #"""
            "rich": {
              "type": "object", "additionalProperties": false, "required": ["type", "id"],
              "properties": {"type": {"$ref": "#/$defs/text"}, "id": {"$ref": "#/$defs/text"}}
            },
            "announcement": {
              "type": "object",
              "additionalProperties": false,
              "required": ["format", "body"],
              "properties": {
                "format": {"enum": ["text", "html"]},
                "title": {"$ref": "#/$defs/text", "default": null},
                "body": {"$ref": "#/$defs/text"},
                "action_label": {"$ref": "#/$defs/text", "default": null},
                "action_url": {"$ref": "#/$defs/text", "default": null},
                "exit_label": {"$ref": "#/$defs/text", "default": null}
              }
            },
            "poll": {
              "type": "object",
              "additionalProperties": false,
              "required": ["questions"],
              "properties": {
                "title": {"$ref": "#/$defs/text", "default": null},
                "body": {"$ref": "#/$defs/text", "default": null},
                "action_label": {"$ref": "#/$defs/text", "default": null},
                "exit_label": {"$ref": "#/$defs/text", "default": null},
                "questions": {
                  "type": "array", "minItems": 1,
                  "items": {
                    "type": "object", "additionalProperties": false, "required": ["id", "title", "choices"],
                    "properties": {
                      "id": {"$ref": "#/$defs/text"},
                      "title": {"$ref": "#/$defs/text"},
                      "select": {"enum": ["one", "many"], "default": "one"},
                      "choices": {
                        "type": "array", "minItems": 1,
                        "items": {
                          "type": "object", "additionalProperties": false, "required": ["id", "title"],
                          "properties": {
                            "id": {"$ref": "#/$defs/text"},
                            "title": {"$ref": "#/$defs/text"},
                            "default": {"type": "boolean", "default": false}
                          }
                        }
                      }
                    }
                  }
                }
              }
            },
            "data_push": {
              "type": "object",
              "additionalProperties": false,
              "required": ["encoding", "body"],
              "properties": {
                "encoding": {"enum": ["text", "base64"]},
                "body": {"type": "string"},
                "category": {"$ref": "#/$defs/text", "default": null}
              }
            },
            "in_app": {
              "type": "object",
              "additionalProperties": false,
              "required": ["type"],
              "properties": {
                "type": {"enum": ["slideup", "modal", "full", "html"]},
                "header": {"$ref": "#/$defs/text", "default": null},
                "message": {"$ref": "#/$defs/text", "default": null},
                "image_url": {"$ref": "#/$defs/text", "default": null},
                "image_only": {"type": "boolean", "default": false},
                "position": {"$ref": "#/$defs/text", "default": null},
                "orientation": {"$ref": "#/$defs/text", "default": null},
                "duration": {"type": "number", "minimum": 0, "default": null},
                "buttons": {
                  "type": "array",
                  "items": {
                    "type": "object", "additionalProperties": false, "required": ["id", "label"],
                    "properties": {
                      "id": {"$ref": "#/$defs/text"},
                      "label": {"$ref": "#/$defs/text"},
                      "url": {"$ref": "#/$defs/text", "default": null}
                    }
                  },
                  "default": []
                },
                "assets": {"$ref": "#/$defs/texts", "default": []},
                "extras": {"type": "object", "default": {}}
              }
            },
            "in_app_delivery": {
              "type": "object",
              "additionalProperties": false,
              "required": ["triggers"],
              "properties": {
                "triggers": {
                  "type": "array", "minItems": 1,
                  "items": {
                    "type": "object", "additionalProperties": false, "required": ["on"],
                    "properties": {
                      "on": {
                        "enum": ["session_start", "custom_event", "any_purchase", "specific_purchase", "push_click"]
                      },
                      "name": {"$ref": "#/$defs/text", "default": null},
                      "where": {
                        "type": "array",
                        "items": {
                          "type": "object", "additionalProperties": false, "required": ["property", "op", "value"],
                          "properties": {
                            "property": {"$ref": "#/$defs/text"}, "op": {"$ref": "#/$defs/text"}, "value": {}
                          }
                        },
                        "default": []
                      }
                    }
                  }
                },
                "priority": {"type": "integer", "default": 0},
                "starts_at": {"$ref": "#/$defs/wall_clock_or_instant", "default": null},
                "ends_at": {"$ref": "#/$defs/wall_clock_or_instant", "default": null},
                "delay": {"type": "number", "minimum": 0, "default": 0},
                "timeout": {"type": "number", "minimum": 0, "default": null},
                "repeat_after": {"type": "number", "minimum": 0, "default": null}
              }
            }
        """#
}
