import AMQP
import Campaigns
import Delivery

/// A message set aside for a person, on its way to the parked queue, with the reason in its headers.
///
/// Headers of the received message are never copied: brokers before 4.0 interpret a copied `x-death`.
enum ParkedNotice {
    static let queueHeader = "fanfare-queue"
    static let reasonHeader = "fanfare-reason"
    static let errorsHeader = "fanfare-errors"
    static let appHeader = "fanfare-app"
    static let campaignHeader = "fanfare-campaign"
    static let devicesHeader = "fanfare-devices"

    /// The known facts about the message.
    struct Facts {
        var queue: String
        var reason: String
        var errors: [Problem] = []
        var app: String?
        var campaign: String?
        var devices: Int?
    }

    /// Returns the message as it came, with the facts as headers.
    static func message(_ facts: Facts, properties: MessageProperties, body: [UInt8]) -> OutboundMessage {
        var headers = [
            MessageHeader(queueHeader, .string(facts.queue)),
            MessageHeader(reasonHeader, .string(facts.reason)),
            MessageHeader(errorsHeader, .string(errorsText(facts.errors))),
        ]
        if let app = facts.app { headers.append(MessageHeader(appHeader, .string(app))) }
        if let campaign = facts.campaign { headers.append(MessageHeader(campaignHeader, .string(campaign))) }
        if let devices = facts.devices { headers.append(MessageHeader(devicesHeader, .integer(Int64(devices)))) }
        return OutboundMessage(
            exchange: BrokerNames.parked,
            routingKey: facts.app.flatMap { $0.utf8.count <= 255 ? $0 : nil } ?? "",
            properties: MessageProperties(
                contentType: properties.contentType,
                type: properties.type,
                messageID: properties.messageID,
                timestamp: properties.timestamp,
                headers: headers
            ),
            body: body
        )
    }

    /// The size limit of `errorsText`; all headers have to fit a frame, which is 128 KiB by default.
    static let errorsBytesMax = 48 * 1024

    /// Returns the problems as a JSON array, limited so that the header fits a frame.
    ///
    /// A pointer contains names from the producer, so a few dozen problems can be longer than a frame, and a message
    /// that cannot be parked would block its place in the queue for ever. The event has all problems.
    static func errorsText(_ problems: [Problem]) -> String {
        var bytes: [UInt8] = []
        for problem in problems.prefix(50) {
            let next = JSONWriter.bytes(problem.json)
            guard bytes.count + next.count + 3 <= errorsBytesMax else { continue }
            if !bytes.isEmpty { bytes.append(UInt8(ascii: ",")) }
            bytes += next
        }
        return "[" + String(decoding: bytes, as: UTF8.self) + "]"
    }
}
