import Campaigns

/// The messages in and out by RabbitMQ (contract, section 2), as the AsyncAPI 3.0 document of `fanfare schema
/// asyncapi`.
///
/// The names and types of events are those that the code uses. The job's payload is the document of `fanfare schema
/// job`. No reference leads out of the document.
public enum AsyncAPI {
    /// The document as JSON text.
    public static var text: String {
        """
        {
          "asyncapi": "3.0.0",
          "info": {
            "title": "Fanfare",
            "version": "1.0.0",
            "description": "Push campaigns as jobs on RabbitMQ, and what became of them as events."
          },
          "defaultContentType": "application/json",
          "servers": {
            "broker": {"host": "127.0.0.1:5672", "protocol": "amqp", "protocolVersion": "0.9.1"}
          },
          "channels": {
        \(channels)
          },
          "operations": {
        \(operations)
          },
          "components": {
            "messages": {
        \(([job] + events).joined(separator: ",\n"))
            },
            "schemas": {
        \(event),
        \(problem)
            }
          }
        }

        """
    }

    private static var channels: String {
        """
            "jobs": {
              "address": "{app}",
              "description": "The routing key is the app, so that the broker's topic permissions are the wall between tenants.",
              "parameters": {"app": {"description": "The job's app."}},
              "messages": {"job": {"$ref": "#/components/messages/job"}},
              "bindings": {"amqp": {"is": "routingKey", "exchange": {"name": "\(BrokerNames.campaigns)", "type": "topic", \
        "durable": true}, "bindingVersion": "0.3.0"}}
            },
            "events": {
              "address": "{app}.{type}",
              "description": "Bind a queue of your own. At least once: source and id together tell repeats.",
              "parameters": {
                "app": {"description": "The app; * for all."},
                "type": {"description": "The type, such as campaign.completed; # for all."}
              },
              "messages": {
        \(references.joined(separator: ",\n"))
              },
              "bindings": {"amqp": {"is": "routingKey", "exchange": {"name": "\(BrokerNames.events)", "type": "topic", \
        "durable": true}, "bindingVersion": "0.3.0"}}
            }
        """
    }

    private static let operations = """
            "takeJob": {
              "action": "receive",
              "channel": {"$ref": "#/channels/jobs"},
              "summary": "Publish with a confirm and with mandatory; expiration is not to be set, use expires_at or ttl.",
              "messages": [{"$ref": "#/channels/jobs/messages/job"}],
              "bindings": {"amqp": {"deliveryMode": 2, "mandatory": true, "bindingVersion": "0.3.0"}}
            },
            "tellEvent": {
              "action": "send",
              "channel": {"$ref": "#/channels/events"},
              "summary": "What became of a job; shard.settled and device.invalid only for apps that ask for them.",
              "bindings": {"amqp": {"deliveryMode": 2, "mandatory": false, "bindingVersion": "0.3.0"}}
            }
        """

    private static var job: String {
        """
              "job": {
                "name": "fanfare.campaign.v1",
                "title": "A job: one message to one audience",
                "contentType": "application/json",
                "correlationId": {"location": "$message.header#/message_id"},
                "headers": {
                  "type": "object",
                  "properties": {
                    "\(BrokerNames.urgencyHeader)": {"const": "urgent", "description": "Asks for the fast intake."},
                    "traceparent": {"type": "string", "description": "W3C Trace Context."}
                  }
                },
                "payload": {
                  "schemaFormat": "application/schema+json;version=draft-2020-12",
                  "schema": \(jobSchema)
                },
                "bindings": {"amqp": {"messageType": "fanfare.campaign.v1", "bindingVersion": "0.3.0"}}
              }
        """
    }

    /// The schema with the indentation of its place.
    private static var jobSchema: String {
        JobSchema.text(at: "/components/messages/job/payload/schema").replacing("\n", with: "\n          ")
    }

    private static var references: [String] {
        CampaignEvent.Kind.allCases.map { kind in
            """
                    "\(kind.rawValue)": {"$ref": "#/components/messages/\(kind.rawValue)"}
            """
        }
    }

    private static var events: [String] {
        CampaignEvent.Kind.allCases.map { kind in
            """
                  "\(kind.rawValue)": {
                    "name": "\(kind.rawValue)",
                    "contentType": "\(CampaignEvent.contentType)",
                    "correlationId": {"location": "$message.header#/correlation_id"},
                    "payload": {
                      "allOf": [
                        {"$ref": "#/components/schemas/event"},
                        {
                          "properties": {
                            "type": {"const": "\(kind.rawValue)"},
                            "data": {
                              "type": "object",
                              "required": [\(data(of: kind).required)],
                              "properties": {
            \(data(of: kind).properties)
                              }
                            }
                          }
                        }
                      ]
                    }
                  }
            """
        }
    }

    private static let event = """
              "event": {
                "description": "CloudEvents 1.0, JSON format.",
                "type": "object",
                "required": ["specversion", "id", "source", "type", "time", "data"],
                "properties": {
                  "specversion": {"const": "1.0"},
                  "id": {"type": "string"},
                  "source": {"type": "string", "description": "/fanfare/apps/ and the app."},
                  "type": {"type": "string"},
                  "subject": {"type": "string", "description": "The campaign's id."},
                  "time": {"type": "string", "format": "date-time"},
                  "datacontenttype": {"const": "application/json"},
                  "data": {"type": "object"}
                }
              }
        """

    private static let problem = """
              "problem": {
                "description": "What is wrong, or odd.",
                "type": "object",
                "required": ["pointer", "code", "detail"],
                "properties": {
                  "pointer": {"type": "string", "description": "The place in the job, as a JSON pointer."},
                  "code": {"type": "string"},
                  "detail": {"type": "string"},
                  "mend": {"type": "string", "description": "The fix."}
                }
              }
        """
}
