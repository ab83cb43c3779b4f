extension JobSchema {
    static let content = #"""
            "content": {
              "description": "What the person sees; title, subtitle, body, loc args, urls, data, badge and thread_id may be templates.",
              "type": "object",
              "additionalProperties": false,
              "dependentRequired": {
                "title_loc_args": ["title_loc_key"], "subtitle_loc_args": ["subtitle_loc_key"], "loc_args": ["loc_key"]
              },
              "properties": {
                "title": {"$ref": "#/$defs/text", "default": null},
                "subtitle": {"$ref": "#/$defs/text", "default": null},
                "body": {"$ref": "#/$defs/text", "default": null},
                "title_loc_key": {
                  "description": "A key of the app's own localizations.", "$ref": "#/$defs/text", "default": null
                },
                "title_loc_args": {"$ref": "#/$defs/texts", "default": []},
                "subtitle_loc_key": {"$ref": "#/$defs/text", "default": null},
                "subtitle_loc_args": {"$ref": "#/$defs/texts", "default": []},
                "loc_key": {"$ref": "#/$defs/text", "default": null},
                "loc_args": {"$ref": "#/$defs/texts", "default": []},
                "launch_image": {"$ref": "#/$defs/text", "default": null},
                "url": {
                  "description": "What a tap opens.", "$ref": "#/$defs/text", "default": null
                },
                "media_url": {
                  "description": "https; sets mutable-content by itself.",
                  "type": "string", "pattern": "^https://", "default": null
                },
                "category": {
                  "description": "A set of buttons that the app registered.", "$ref": "#/$defs/text", "default": null
                },
                "layout": {
                  "description": "The category that picks who draws it inside the app, when it is not that of the buttons.",
                  "$ref": "#/$defs/text", "default": null
                },
                "actions": {
                  "description": "Links of buttons.", "type": "array", "maxItems": 16,
                  "items": {"$ref": "#/$defs/action"}, "default": []
                },
                "badge": {
                  "description": "A number, a template of one, or +1 or -1 on the count that the registry keeps of each device.",
                  "oneOf": [{"type": "integer", "minimum": 0, "maximum": 2147483647}, {"$ref": "#/$defs/text"}],
                  "default": null
                },
                "sound": {
                  "description": "A name, or a critical alert's sound. Absent is no sound.",
                  "oneOf": [{"$ref": "#/$defs/text"}, {"$ref": "#/$defs/sound"}], "default": null
                },
                "thread_id": {"$ref": "#/$defs/text", "default": null},
                "interruption_level": {"enum": ["passive", "active", "time-sensitive", "critical"], "default": null},
                "relevance_score": {
                  "description": "0 to 1; any number for a Live Activity.", "type": "number", "default": null
                },
                "target_content_id": {"$ref": "#/$defs/text", "default": null},
                "filter_criteria": {"$ref": "#/$defs/text", "default": null},
                "content_available": {"type": "boolean", "default": false},
                "mutable_content": {"type": "boolean", "default": false},
                "data": {
                  "description": "Peers of aps on APNs.",
                  "type": "object",
                  "propertyNames": {
                    "minLength": 1, "not": {"pattern": "^(aps|fanfare|from|message_type|google[.].*|gcm[.].*)$"}
                  },
                  "default": {}
                },
                "live_activity": {
                  "description": "Goes with push type liveactivity.", "$ref": "#/$defs/live_activity", "default": null
                },
                "apns": {
                  "description": "Raw fields, merged last.", "type": "object", "not": {"required": ["fanfare"]},
                  "properties": {"aps": {"type": "object"}}, "default": null
                },
                "fcm": {
                  "description": "Raw members of Google's message, merged last; who gets it, and until when, is not theirs.",
                  "type": "object", "default": null
                },
                "localizations": {
                  "description": "Other texts by BCP 47 tag; a device gets the nearest, pt-BR before pt.",
                  "type": "object", "maxProperties": 200,
                  "additionalProperties": {"$ref": "#/$defs/localization"}, "default": {}
                },
                "rich": {"description": "Names content that the app fetches; goes with the kind notification.", "$ref": "#/$defs/rich", "default": null},
                "announcement": {"$ref": "#/$defs/announcement", "default": null},
                "poll": {"$ref": "#/$defs/poll", "default": null},
                "data_push": {"$ref": "#/$defs/data_push", "default": null},
                "in_app": {"$ref": "#/$defs/in_app", "default": null}
              }
            },
            "action": {
              "type": "object",
              "additionalProperties": false,
              "required": ["id", "url"],
              "properties": {"id": {"$ref": "#/$defs/text"}, "url": {"$ref": "#/$defs/text"}}
            },
            "localization": {
              "description": "What it does not say is the content's.",
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "title": {"$ref": "#/$defs/text", "default": null},
                "subtitle": {"$ref": "#/$defs/text", "default": null},
                "body": {"$ref": "#/$defs/text", "default": null},
                "title_loc_key": {"$ref": "#/$defs/text", "default": null},
                "title_loc_args": {"$ref": "#/$defs/texts", "default": null},
                "subtitle_loc_key": {"$ref": "#/$defs/text", "default": null},
                "subtitle_loc_args": {"$ref": "#/$defs/texts", "default": null},
                "loc_key": {"$ref": "#/$defs/text", "default": null},
                "loc_args": {"$ref": "#/$defs/texts", "default": null},
                "url": {"$ref": "#/$defs/text", "default": null},
                "media_url": {"type": "string", "pattern": "^https://", "default": null},
                "sound": {"oneOf": [{"$ref": "#/$defs/text"}, {"$ref": "#/$defs/sound"}], "default": null}
              }
            },
            "sound": {
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "name": {"$ref": "#/$defs/text", "default": "default"},
                "critical": {"type": "boolean", "default": false},
                "volume": {"description": "Only with critical.", "$ref": "#/$defs/unit", "default": null}
              }
            },
            "live_activity": {
              "type": "object",
              "additionalProperties": false,
              "required": ["event", "content_state", "timestamp"],
              "properties": {
                "event": {"enum": ["start", "update", "end"]},
                "content_state": {"description": "What the app's widget decodes.", "type": "object"},
                "timestamp": {"$ref": "#/$defs/epoch_seconds"},
                "stale_date": {"$ref": "#/$defs/epoch_seconds", "default": null},
                "dismissal_date": {
                  "description": "Only with event end.", "$ref": "#/$defs/epoch_seconds", "default": null
                },
                "attributes_type": {
                  "description": "Only, and always, with event start.", "$ref": "#/$defs/text", "default": null
                },
                "attributes": {
                  "description": "Only, and always, with event start.", "type": "object", "default": null
                }
              }
            }
        """#
}
