import Campaigns
import Fleet
import Foundation
import NIOCore
import PushProviders
import Store

/// Devices that are registered at the edge, with what their requests show.
struct EdgePhones: Sendable {
    private let secrets: [String]

    /// Registers made-up devices of an app, as the edge does it one by one.
    static func register(_ count: Int, app: String, in ledger: Ledger) async throws -> EdgePhones {
        var tokens = MadeUpTokens(seed: 12)
        var secrets: [String] = []
        secrets.reserveCapacity(count)
        for start in stride(from: 0, to: count, by: 500) {
            let words = (start..<min(start + 500, count)).map { number in
                let secret = EdgeSecret.device()
                secrets.append(secret)
                let device = Device(token: tokens.apns(), id: "phone-\(number)")
                return Enrolment(
                    registration: DeviceRegistration(device: device),
                    token: ProviderRegistry.tokens.bytes(of: device),
                    proof: .integrationKey(secretHash: EdgeSecret.hash(secret))
                )
            }
            try await ledger.write { transaction in
                for word in words { _ = try transaction.enroll(word, app: app, now: CommandClock.now()) }
            }
        }
        return EdgePhones(secrets: secrets)
    }

    /// What each of them sends when it opens a push: the request's bytes by the device's index in the campaign.
    func opens(of campaign: UInt32, app: String, keys: MessageKeys) -> @Sendable (Int, inout ByteBuffer) -> Void {
        let ids = MessageID.signed(campaign: campaign, devices: Array(0..<UInt32(secrets.count)), app: app, keys: keys)
        let secrets = secrets
        let at = CommandClock.now().rfc3339
        let length = Self.body(0, m: ids.first ?? "", at: at).utf8.count
        let head = """
            POST /v1/tracking HTTP/1.1\r
            Host: 127.0.0.1\r
            Content-Type: application/json\r
            Content-Length: \(length)\r
            Authorization: Bearer\u{20}
            """
        return { number, buffer in
            buffer.writeString(head)
            buffer.writeString(secrets[number])
            buffer.writeString("\r\n\r\n")
            buffer.writeString(Self.body(number, m: ids[number], at: at))
        }
    }

    private static func body(_ number: Int, m: String, at: String) -> String {
        let digits = String(1_000_000_000_000 + number).dropFirst()
        return "{\"events\":[{\"id\":\"0a1b2c3d-0000-4000-8000-\(digits)\",\"m\":\"\(m)\",\"type\":\"opened\","
            + "\"surface\":\"system\",\"at\":\"\(at)\"}]}"
    }
}
