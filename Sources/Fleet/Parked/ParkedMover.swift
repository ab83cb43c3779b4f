import AMQP
import Campaigns
import Delivery
import Store

/// Converts a message of the parked queue into a row of the ledger's table, which the `parked` commands read.
enum ParkedMover {
    /// Returns the row of a message, from our headers or, if the broker parked it, from its own; with a readable
    /// shard.
    static func row(_ message: InboundMessage, now: Timestamp) -> (message: ParkedMessage, shard: Shard?) {
        let headers = message.properties
        let death = brokersReason(headers)
        let (queue, reason) = (
            text(headers, ParkedNotice.queueHeader) ?? death?.queue ?? BrokerNames.parkedQueue,
            text(headers, ParkedNotice.reasonHeader) ?? death?.reason ?? "Unknown"
        )
        let errors =
            text(headers, ParkedNotice.errorsHeader)
            ?? ParkedNotice.errorsText(death.map { [$0.problem] } ?? [])
        var devices: Int?
        if case .integer(let count) = headers.header(ParkedNotice.devicesHeader) { devices = Int(count) }
        let isJob = queue.hasPrefix(BrokerNames.campaignsQueue)
        let shard = isJob ? nil : shard(message.body)
        let row = ParkedMessage(
            queue: queue,
            reason: reason,
            errors: errors,
            app: text(headers, ParkedNotice.appHeader)
                ?? (isJob ? message.routingKey : shard?.facts.app),
            campaign: text(headers, ParkedNotice.campaignHeader) ?? shard?.facts.campaignID,
            devices: devices ?? shard?.devices.count,
            body: message.body,
            headers: properties(headers),
            at: now
        )
        return (row, shard)
    }

    private static func shard(_ body: [UInt8]) -> Shard? {
        do throws(ShardError) { return try Shard(encoded: body) } catch { return nil }
    }

    private struct Death {
        var queue: String
        var reason: String
        var problem: Problem
    }

    /// Returns RabbitMQ's reason in `x-death` for a message that it dead-lettered by a policy.
    private static func brokersReason(_ properties: MessageProperties) -> Death? {
        guard case .array(let deaths) = properties.header("x-death"), case .table(let first) = deaths.first else {
            return nil
        }
        func field(_ name: String) -> String? {
            guard case .string(let value) = first.first(where: { $0.name == name })?.value else { return nil }
            return value
        }
        let queue = field("queue") ?? BrokerNames.campaignsQueue
        switch field("reason") {
        case "expired":
            return Death(
                queue: queue,
                reason: RefusalReason.expiration.rawValue,
                problem: Problem(
                    pointer: "",
                    code: "message_expiration",
                    detail: "the message carried an AMQP expiration and ran out in the queue",
                    fix: "publish without expiration and say expires_at or ttl in the job"
                )
            )
        case "delivery_limit":
            return Death(
                queue: queue,
                reason: "DeliveryLimit",
                problem: Problem(
                    pointer: "",
                    code: "delivery_limit",
                    detail: "the message was delivered too often without being acknowledged",
                    fix: "look at the workers' logs for what ends them, then replay it"
                )
            )
        default: return nil
        }
    }

    private static func text(_ properties: MessageProperties, _ name: String) -> String? {
        guard case .string(let value) = properties.header(name) else { return nil }
        return value
    }

    /// Returns the properties that a replay needs, as JSON.
    private static func properties(_ properties: MessageProperties) -> String {
        let members: JSONValue = .object([
            "content_type": properties.contentType.map { .string($0) },
            "type": properties.type.map { .string($0) },
            "message_id": properties.messageID.map { .string($0) },
            "timestamp": properties.timestamp.map { .number(JSONNumber($0)) },
        ])
        return String(decoding: JSONWriter.bytes(members), as: UTF8.self)
    }
}
