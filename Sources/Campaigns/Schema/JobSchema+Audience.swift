extension JobSchema {
    static let audience = #"""
            "audience": {
              "description": "Exactly one selector; an empty audience is an error, never everybody.",
              "type": "object",
              "additionalProperties": false,
              "oneOf": [
                {"required": ["devices"]}, {"required": ["list"]}, {"required": ["users"]}, {"required": ["segment"]},
                {"required": ["everyone"], "properties": {"everyone": {"const": true}}},
                {"required": ["channel"]}, {"required": ["activity"]}
              ],
              "properties": {
                "devices": {"$ref": "#/$defs/devices", "default": null},
                "list": {"$ref": "#/$defs/list_name", "default": null},
                "users": {"$ref": "#/$defs/users", "default": null},
                "segment": {"$ref": "#/$defs/segment", "default": null},
                "everyone": {
                  "description": "All devices of the app in the registry, said out loud.", "type": "boolean",
                  "default": false
                },
                "channel": {
                  "description": "A broadcast channel of the app, by its name in fanfare channel ls; with push_type liveactivity, without exclude and at_most.",
                  "type": "string", "pattern": "^(?![.]{1,2}$)[A-Za-z0-9._:-]{1,128}$", "default": null
                },
                "activity": {"$ref": "#/$defs/activity", "default": null},
                "exclude": {"description": "Who is left out.", "$ref": "#/$defs/exclude", "default": null},
                "at_most": {
                  "description": "A larger audience pauses the campaign before its first push.",
                  "type": "integer", "minimum": 1, "maximum": 4294967295, "default": null
                },
                "upload": {
                  "description": "The id of an upload of the list, which may be under way: nothing is sent before it is complete. Then list has no version.",
                  "type": "string", "pattern": "^(?![.]{1,2}$)[A-Za-z0-9._:-]{1,128}$", "default": null
                }
              },
              "dependentRequired": {"upload": ["list"]}
            },
            "activity": {
              "description": "The devices that follow a Live Activity, by their tokens for it; with push_type liveactivity and the event update or end.",
              "type": "object",
              "additionalProperties": false,
              "required": ["type", "id"],
              "properties": {
                "type": {
                  "description": "The app's ActivityAttributes type.",
                  "type": "string", "pattern": "^(?![.]{1,2}$)[A-Za-z0-9._:-]{1,128}$"
                },
                "id": {
                  "description": "The id under which the app registers the activity, the same on all devices.",
                  "type": "string", "pattern": "^(?![.]{1,2}$)[A-Za-z0-9._:-]{1,128}$"
                }
              }
            },
            "exclude": {
              "description": "The same selectors as of the audience, but not everyone.",
              "type": "object",
              "additionalProperties": false,
              "oneOf": [
                {"required": ["devices"]}, {"required": ["list"]}, {"required": ["users"]}, {"required": ["segment"]}
              ],
              "properties": {
                "devices": {"$ref": "#/$defs/devices", "default": null},
                "list": {"$ref": "#/$defs/list_name", "default": null},
                "users": {"$ref": "#/$defs/users", "default": null},
                "segment": {"$ref": "#/$defs/segment", "default": null},
                "everyone": {"const": false, "default": false}
              }
            },
            "devices": {
              "description": "At most 10,000; 1,000 in an urgent job.",
              "type": "array", "minItems": 1, "maxItems": 10000, "items": {"$ref": "#/$defs/device"}
            },
            "list_name": {
              "description": "An uploaded list: name for its newest version, or name@version.",
              "type": "string",
              "pattern": "^(?![.]{1,2}(@|$))[A-Za-z0-9._:-]{1,128}(@(?![.]{1,2}$)[A-Za-z0-9._:-]{1,128})?$"
            },
            "users": {
              "description": "User keys of the registry, at most 10,000; 1,000 in an urgent job.",
              "type": "array", "minItems": 1, "maxItems": 10000, "items": {"$ref": "#/$defs/text"}
            },
            "segment": {
              "description": "For example league:laliga && !muted && app_version >= 3.2.",
              "type": "string", "minLength": 1, "maxLength": 4096
            },
            "device": {
              "type": "object",
              "additionalProperties": false,
              "required": ["token"],
              "properties": {
                "token": {
                  "description": "As the provider gave it to the app; for apns 64 to 200 hexadecimal digits, an even number.",
                  "type": "string", "minLength": 1
                },
                "provider": {
                  "description": "apns, fcm or another that is built in.",
                  "type": "string", "pattern": "^[a-z0-9]{1,32}$", "default": "apns"
                },
                "environment": {
                  "description": "For apns; the app's own when absent.", "enum": ["production", "sandbox"], "default": null
                },
                "id": {"description": "At most 256 bytes.", "type": "string", "minLength": 1, "default": null},
                "locale": {
                  "description": "BCP 47.", "type": "string", "pattern": "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$",
                  "maxLength": 64, "default": null
                },
                "time_zone": {
                  "description": "IANA name.", "type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_+/-]{0,63}$",
                  "default": null
                },
                "variables": {
                  "description": "Values for the templates; at most 4 KiB with their names.",
                  "type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]},
                  "propertyNames": {"minLength": 1}, "default": {}
                }
              }
            }
        """#
}
