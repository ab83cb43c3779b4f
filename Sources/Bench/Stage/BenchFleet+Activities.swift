import Campaigns
import Delivery
import Store
import Transport

/// Devices that follow a Live Activity, and its updates.
extension BenchFleet {
    /// Registers made-up devices with a token for the activity each.
    func follow(_ devices: Int) async throws {
        stage.say("registering \(NumberText.grouped(devices)) devices that follow an activity")
        var tokens = MadeUpTokens(seed: 11)
        for start in stride(from: 0, to: devices, by: 1000) {
            let batch = (start..<min(start + 1000, devices)).map { number in
                let device = Device(token: tokens.apns(), id: "bench-device-\(number)")
                let name = BenchJob.activity
                let follows = ActivityToken(type: name.type, id: name.id, token: Self.bytes(tokens.apns()))
                return Enrolment(
                    registration: DeviceRegistration(device: device),
                    token: Self.bytes(device.token),
                    proof: .integrationKey(secretHash: Self.bytes(tokens.apns()), user: nil, key: nil),
                    activities: [follows]
                )
            }
            let now = ledger.now()
            try await ledger.write(.normal) { transaction in
                for word in batch { _ = try transaction.enroll(word, app: BenchJob.app, now: now) }
            }
        }
    }

    /// Sends an update of the activity to all who follow it, and measures its steady state.
    func sendToFollowers(_ devices: Int, peer: Peer) async throws -> CampaignRun {
        let job = try BenchJob(update: nextNumber(), now: WallClock.now().asRead)
        return try await send(devices, job, peer: peer)
    }

    private static func bytes(_ text: String) -> [UInt8] { Hexadecimal.bytes(text.utf8) ?? [] }
}
