extension JobSchema {
    static let delivery = #"""
            "delivery": {
              "type": "object",
              "additionalProperties": false,
              "not": {"required": ["expires_at", "ttl"]},
              "properties": {
                "push_type": {
                  "description": "Absent, background when there is content_available and nothing to show.",
                  "enum": [
                    "alert", "background", "location", "voip", "complication", "fileprovider", "mdm", "liveactivity",
                    "pushtotalk", "widgets", "controls"
                  ],
                  "default": "alert"
                },
                "priority": {
                  "description": "Absent, normal for background pushes, which may not be high.",
                  "enum": ["high", "normal", "low"], "default": "high"
                },
                "urgency": {
                  "description": "Urgent never waits behind bulk; give the AMQP header urgency the same value.",
                  "enum": ["urgent", "bulk"], "default": "bulk"
                },
                "send_at": {
                  "description": "Not before this instant.", "$ref": "#/$defs/wall_clock_or_instant", "default": null
                },
                "local_time": {
                  "description": "send_at and expires_at are the device's wall clock; a part per time zone.",
                  "type": "boolean", "default": false
                },
                "expires_at": {
                  "description": "Neither expires_at nor ttl: 30 days.", "$ref": "#/$defs/wall_clock_or_instant",
                  "default": null
                },
                "ttl": {
                  "description": "Seconds from release: the latest of created_at, send_at and fire.",
                  "type": "integer", "minimum": 1, "maximum": 2592000, "default": null
                },
                "if_offline": {
                  "description": "drop asks the provider not to store the push.",
                  "enum": ["store", "drop"], "default": "store"
                },
                "collapse_id": {
                  "description": "At most 64 bytes of UTF-8. Absent, a short hash of app and id.",
                  "type": "string", "minLength": 1, "default": null
                },
                "supersede": {
                  "description": "Collapse in the queue too: false neither stops an older campaign nor is stopped by a newer one.",
                  "type": "boolean", "default": true
                },
                "show": {
                  "description": "Who tells of it: the app in front or else the system, the system alone, or the app alone at its next session and no push.",
                  "enum": ["any", "system", "in_app"], "default": "any"
                },
                "android": {
                  "description": "What Android gets: a notification that it shows, or data for the app; the app's own when absent.",
                  "enum": ["notification", "data"], "default": null
                },
                "per_second": {
                  "description": "Requests a second over the whole fleet, retries included.",
                  "type": "integer", "minimum": 1, "maximum": 1000000, "default": null
                },
                "ramp_up": {
                  "description": "Seconds until the full rate, from a tenth of it; with per_second.",
                  "type": "integer", "minimum": 0, "maximum": 86400, "default": 0
                },
                "hold": {
                  "description": "Prepare everything and wait for fire.", "type": "boolean", "default": false
                },
                "quiet_hours": {
                  "description": "A daily window of the device's wall clock in which nothing is sent; what it interrupts goes on after it.",
                  "type": "object", "additionalProperties": false, "required": ["from", "to"],
                  "properties": {
                    "from": {"type": "string", "pattern": "^[0-2][0-9]:[0-5][0-9]$"},
                    "to": {"type": "string", "pattern": "^[0-2][0-9]:[0-5][0-9]$"},
                    "then": {"enum": ["wait"], "default": "wait"}
                  },
                  "default": null
                },
                "repeat": {
                  "description": "A campaign of its own at each instant of a cron expression, with the id <id>@<instant>.",
                  "type": "object", "additionalProperties": false, "required": ["cron", "time_zone"],
                  "properties": {
                    "cron": {
                      "description": "Minute, hour, day of the month, month, day of the week, for example 0 9 * * 1-5.",
                      "$ref": "#/$defs/text"
                    },
                    "time_zone": {"description": "On whose clock, for example Europe/Madrid.", "$ref": "#/$defs/text"},
                    "until": {"$ref": "#/$defs/wall_clock_or_instant", "default": null}
                  },
                  "default": null
                },
                "frequency_cap": {
                  "description": "Leave out devices that the app's frequency cap says have had enough, or nobody.",
                  "enum": ["respect", "ignore"], "default": "respect"
                },
                "max_attempts": {"type": "integer", "minimum": 1, "maximum": 100, "default": 8},
                "on_unknown": {
                  "description": "A device whose answer never came: resend, or drop (at most once).",
                  "enum": ["resend", "drop"], "default": "resend"
                },
                "in_app": {"$ref": "#/$defs/in_app_delivery", "default": null}
              }
            }
        """#
}
