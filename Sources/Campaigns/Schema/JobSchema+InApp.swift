extension JobSchema {
    /// The blocks of an in-app campaign.
    static let inApp = #"""
            "in_app": {
              "description": "Goes with the kind in_app: shown inside the app; no push is sent, no templates.",
              "type": "object",
              "additionalProperties": false,
              "required": ["type"],
              "properties": {
                "type": {"enum": ["slideup", "modal", "full", "html"]},
                "header": {
                  "description": "Of modal and full.", "type": "string", "minLength": 1, "maxLength": 1024, "default": null
                },
                "message": {
                  "description": "The text, at most 4 KiB; of html the page, at most 64 KiB.",
                  "type": "string", "minLength": 1, "maxLength": 65536, "default": null
                },
                "image_url": {"$ref": "#/$defs/https", "default": null},
                "image_only": {
                  "description": "Nothing but the image; of modal and full.", "type": "boolean", "default": false
                },
                "position": {"description": "Of a slideup.", "enum": ["top", "bottom"], "default": null},
                "orientation": {
                  "description": "How the device must be held; absent, either.",
                  "enum": ["portrait", "landscape"], "default": null
                },
                "duration": {
                  "description": "Seconds until it goes by itself; absent, when the person closes it.",
                  "type": "number", "minimum": 1, "maximum": 3600, "default": null
                },
                "buttons": {
                  "description": "Of modal and full.", "type": "array", "maxItems": 2,
                  "items": {"$ref": "#/$defs/in_app_button"}, "default": []
                },
                "assets": {
                  "description": "What the app loads before it shows the message.",
                  "type": "array", "maxItems": 20, "items": {"$ref": "#/$defs/https"}, "default": []
                },
                "extras": {"description": "Pairs for the app, at most 4 KiB.", "type": "object", "default": {}}
              }
            },
            "in_app_button": {
              "type": "object", "additionalProperties": false, "required": ["id", "label"],
              "properties": {
                "id": {"type": "string", "pattern": "^(?![.]{1,2}$)[A-Za-z0-9._:-]{1,64}$"},
                "label": {"type": "string", "minLength": 1, "maxLength": 128},
                "url": {
                  "description": "Absent, it closes the message.",
                  "type": "string", "minLength": 1, "maxLength": 2048, "default": null
                }
              }
            },
            "https": {"type": "string", "pattern": "^https://", "maxLength": 2048},
            "in_app_delivery": {
              "description": "Goes with the kind in_app: when the message is shown, and how often.",
              "type": "object",
              "additionalProperties": false,
              "required": ["triggers"],
              "properties": {
                "triggers": {
                  "type": "array", "minItems": 1, "maxItems": 16, "items": {"$ref": "#/$defs/in_app_trigger"}
                },
                "priority": {
                  "description": "Of several messages that one event triggers the highest is shown.",
                  "type": "integer", "minimum": -1000, "maximum": 1000, "default": 0
                },
                "starts_at": {"description": "Not delivered before.", "$ref": "#/$defs/instant", "default": null},
                "ends_at": {
                  "description": "Not delivered from then on; absent, until it is cancelled.",
                  "$ref": "#/$defs/instant", "default": null
                },
                "delay": {
                  "description": "Seconds between trigger and display.",
                  "type": "number", "minimum": 0, "maximum": 86400, "default": 0
                },
                "timeout": {
                  "description": "Seconds after the trigger from which it is not shown any more; above delay.",
                  "type": "number", "minimum": 0, "maximum": 86400, "default": null
                },
                "repeat_after": {
                  "description": "Seconds after a display from which a device is eligible again; absent, never again.",
                  "type": "integer", "minimum": 0, "maximum": 31536000, "default": null
                }
              }
            },
            "in_app_trigger": {
              "type": "object", "additionalProperties": false, "required": ["on"],
              "properties": {
                "on": {"enum": ["session_start", "custom_event", "any_purchase", "specific_purchase", "push_click"]},
                "name": {
                  "description": "The event's name, the product's id, or the campaign that was opened.",
                  "type": "string", "minLength": 1, "maxLength": 256, "default": null
                },
                "where": {
                  "description": "All of them hold; of custom_event, any_purchase and specific_purchase.",
                  "type": "array", "maxItems": 16, "items": {"$ref": "#/$defs/in_app_filter"}, "default": []
                }
              }
            },
            "in_app_filter": {
              "type": "object", "additionalProperties": false, "required": ["property", "op"],
              "properties": {
                "property": {"type": "string", "minLength": 1, "maxLength": 128},
                "op": {"enum": ["equal", "not", "greater", "less", "regex", "exists"]},
                "value": {
                  "description": "A number with greater and less, a text with regex, true or false with exists.",
                  "type": ["string", "number", "boolean"], "default": true
                }
              }
            }
        """#
}
