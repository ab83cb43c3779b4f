import AMQP
import Campaigns
import Delivery
import Simulator

/// A job as a producer writes it.
struct TestJob: Sendable {
    var id: String
    var app = PrivateFleet.app
    var audience: JSONValue
    var content: JSONValue = .object(["title": "Kick-off!", "body": "The derby has begun."])
    var delivery: JSONValue?
    /// The kind in the contract's words; nil omits it.
    var kind: String?
    var tags: [String] = []
    /// True if the message's header is urgent too.
    var isUrgent = false
    /// The producer's instant, `created_at`; nil omits it.
    var createdAt: Timestamp?
    /// AMQP's `timestamp`, in seconds; nil for none.
    var timestamp: UInt64?
    /// The producer's position in a trace (W3C); nil for none.
    var traceParent: String?

    init(_ id: String, _ tokens: [String]) {
        self.id = id
        audience = .object([
            "devices": .array(tokens.map { JSONValue.object(["token": .string($0)]) })
        ])
    }

    /// Creates a job for devices of Apple and of Google.
    init(_ id: String, _ tokens: [String], fcm: [String]) {
        self.id = id
        let devices =
            tokens.map { JSONValue.object(["token": .string($0)]) }
            + fcm.map { JSONValue.object(["token": .string($0), "provider": "fcm"]) }
        audience = .object(["devices": .array(devices)])
    }

    /// Creates a job for devices of Apple and browsers.
    init(_ id: String, _ tokens: [String], webPush: [WebPushSubscriptions.Subscription]) {
        self.id = id
        let devices =
            tokens.map { JSONValue.object(["token": .string($0)]) }
            + webPush.map { JSONValue.object(["token": .string($0.json), "provider": "webpush"]) }
        audience = .object(["devices": .array(devices)])
    }

    init(_ id: String, list: String) {
        self.id = id
        audience = .object(["list": .string(list)])
    }

    /// Returns the same job with other delivery settings.
    func delivered(_ delivery: KeyValuePairs<String, JSONValue?>) -> TestJob {
        var job = self
        job.delivery = .object(delivery)
        return job
    }

    var body: [UInt8] {
        JSONWriter.bytes(
            .object([
                "id": .string(id), "app": .string(app), "kind": kind.map(JSONValue.string),
                "created_at": createdAt.map { JSONValue.string($0.rfc3339) }, "audience": audience, "content": content,
                "delivery": delivery, "tags": tags.isEmpty ? nil : .array(tags.map(JSONValue.string)),
            ])
        )
    }

    var properties: MessageProperties {
        MessageProperties(
            contentType: "application/json",
            type: "fanfare.campaign.v1",
            messageID: id,
            timestamp: timestamp,
            headers: (isUrgent ? [MessageHeader(BrokerNames.urgencyHeader, .string("urgent"))] : [])
                + (traceParent.map { [MessageHeader("traceparent", .string($0))] } ?? [])
        )
    }
}

/// Made-up device tokens.
enum TestDevices {
    /// Returns tokens that begin with hexadecimal digits, which the simulator's rules match.
    static func tokens(_ count: Int, prefix: String = "a") -> [String] {
        (0..<count).map { number in
            let digits = String(number, radix: 16)
            return prefix + String(repeating: "0", count: 64 - prefix.count - digits.count) + digits
        }
    }

    /// Returns FCM tokens that begin with a word.
    static func fcm(_ count: Int, prefix: String = "cMix") -> [String] {
        (0..<count).map { "\(prefix)\(100_000 + $0):APA91b" + String(repeating: "x", count: 120) }
    }

    /// Returns tokens with a prefix, alternating with healthy ones, so that no run of faults opens a breaker.
    static func mixed(_ count: Int, prefix: String) -> [String] {
        zip(tokens(count), tokens(count, prefix: prefix)).flatMap { [$0, $1] }
    }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    static func bytes(_ token: String) -> [UInt8] {
        let digits = token.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
