import Campaigns
import Delivery
import TLS

/// A worker's run of a shard, as a span of the producer's trace (OpenTelemetry's conventions for messaging).
///
/// Each run that settles has one; a retry shard has its own, below the same span of the producer.
struct ShardSpan: Sendable, Equatable {
    let context: TraceContext
    /// 16 hexadecimal digits, the same for the same run, so that a span sent again does not count twice.
    let id: String
    let name: String
    let begin: Timestamp
    let end: Timestamp
    let attributes: [JSONMember]
    let isError: Bool

    /// Creates the span of a settled shard.
    init(
        _ shard: Shard,
        _ context: TraceContext,
        epoch: UInt32,
        _ settlement: Settlement,
        begin: Timestamp,
        end: Timestamp
    ) {
        self.context = context
        id = Hexadecimal.text(SHA256.digest(Array("\(shard.messageID)/\(epoch)".utf8)).prefix(8))
        let queue = BrokerNames.workQueue(shard.lane)
        name = "process \(queue)"
        self.begin = begin
        self.end = end
        var attributes = [
            JSONMember("messaging.system", "rabbitmq"), JSONMember("messaging.operation.type", "process"),
            JSONMember("messaging.destination.name", .string(queue)),
            JSONMember("messaging.message.id", .string(shard.messageID)),
            JSONMember("messaging.message.conversation_id", .string(shard.facts.campaignID)),
            JSONMember("messaging.batch.message_count", .number(JSONNumber(shard.devices.count))),
            JSONMember("fanfare.app", .string(shard.facts.app)),
            JSONMember("fanfare.provider", .string(shard.facts.provider.rawValue)),
            JSONMember("fanfare.attempt", .number(JSONNumber(Int(shard.attempt)))),
            JSONMember("fanfare.requests", .number(JSONNumber(settlement.attempts))),
        ]
        for outcome in Outcome.allCases where settlement.counts[outcome] > 0 {
            attributes.append(
                JSONMember("fanfare.\(outcome.name)", .number(JSONNumber(settlement.counts[outcome])))
            )
        }
        self.attributes = attributes
        isError = settlement.counts.failed > 0
    }

    /// The span in OTLP/JSON.
    ///
    /// Ids are hexadecimal, 64-bit numbers are strings (OpenTelemetry Protocol, section "JSON Protobuf Encoding");
    /// kind 5 is a consumer.
    var json: JSONValue {
        .object([
            "traceId": .string(context.traceID), "spanId": .string(id), "parentSpanId": .string(context.spanID),
            "name": .string(name), "kind": .number(JSONNumber(5)),
            "startTimeUnixNano": .string("\(begin.milliseconds)000000"),
            "endTimeUnixNano": .string("\(max(begin, end).milliseconds)000000"),
            "attributes": .array(attributes.map(Self.attribute)),
            "status": isError ? .object(["code": .number(JSONNumber(2))]) : nil,
        ])
    }

    /// Returns spans as the body of `POST /v1/traces`.
    static func body(_ spans: [ShardSpan], worker: String) -> [UInt8] {
        let resource = [JSONMember("service.name", "fanfare"), JSONMember("service.instance.id", .string(worker))]
        let document = JSONValue.object([
            "resourceSpans": [
                .object([
                    "resource": .object(["attributes": .array(resource.map(attribute))]),
                    "scopeSpans": [
                        .object(["scope": .object(["name": "fanfare"]), "spans": .array(spans.map(\.json))])
                    ],
                ])
            ]
        ])
        return JSONWriter.bytes(document)
    }

    private static func attribute(_ member: JSONMember) -> JSONValue {
        let value: JSONValue =
            if case .number(let number) = member.value {
                .object(["intValue": .string(number.text)])
            } else {
                .object(["stringValue": member.value])
            }
        return .object(["key": .string(member.name), "value": value])
    }
}
