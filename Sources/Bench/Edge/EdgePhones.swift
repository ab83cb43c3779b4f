import Campaigns
import PushProviders
import Settings
import Store

/// Devices registered at the edge, with their secrets.
struct EdgePhones: Sendable {
    /// The secrets, concatenated, all of one length.
    private let secrets: [UInt8]
    private let count: Int

    /// Registers made-up devices of an app, one by one as the edge does.
    static func register(_ count: Int, app: String, in ledger: Ledger) async throws -> EdgePhones {
        var tokens = MadeUpTokens(seed: 12)
        var secrets: [UInt8] = []
        for start in stride(from: 0, to: count, by: 500) {
            let words = (start..<min(start + 500, count)).map { number in
                let secret = EdgeSecret.device()
                secrets.append(contentsOf: secret.utf8)
                let device = Device(token: tokens.apns(), id: "phone-\(number)")
                return Enrolment(
                    registration: DeviceRegistration(device: device),
                    token: ProviderRegistry.tokens.bytes(of: device),
                    proof: .integrationKey(secretHash: EdgeSecret.hash(secret), user: nil, key: nil)
                )
            }
            try await ledger.write { transaction in
                for word in words { _ = try transaction.enroll(word, app: app, now: ledger.now()) }
            }
        }
        return EdgePhones(secrets: secrets, count: count)
    }

    /// Returns the devices' requests for opening a push; a device's number is its index in the campaign.
    func opens(of campaign: UInt32, app: String, keys: MessageKeys) -> EdgeOpens {
        let ids = MessageID.signed(campaign: campaign, devices: Array(0..<UInt32(count)), app: app, keys: keys)
        return EdgeOpens(secrets: secrets, messageIDs: ids, at: WallClock.now().asRead.rfc3339)
    }
}
