import Campaigns
import Foundation
import Operations
import PushProviders

/// The parts of a scenario that depend on the provider: tokens, an app's block, and the simulator's options.
struct BenchProvider: Sendable {
    /// Its name in `apps.yaml` and lists.
    let name: ProviderName
    /// Options of the bare simulator.
    let peerOptions: [String]
    /// The members of an app's block in `apps.yaml`, for a simulator.
    let settings: @Sendable (Peer) -> [String: String]
    /// Makes a device's token.
    let token: @Sendable (inout MadeUpTokens) -> String
    /// The value of `authorization`, as long as a real one; h2load sends it, and its contents do not matter.
    let authorization: [UInt8]

    /// Apple: an ES256 token with ten characters each of key and team.
    static let apns = BenchProvider(
        name: .apns,
        peerOptions: [],
        settings: { peer in
            [
                "topic": "com.example.news", "team_id": "SIMTEAM001", "key_id": "SIMKEY0001",
                "key_file": "\(peer.folder)/AuthKey_SIMKEY0001.p8", "environment": "production",
                "endpoint": peer.endpoint, "ca_file": peer.ca,
            ]
        },
        token: { $0.apns() },
        authorization: Array("bearer ".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 184)
    )

    /// Google: an access token of a kilobyte, device tokens of 163 characters.
    ///
    /// Without a quota, because the worker is measured.
    static let fcm = BenchProvider(
        name: ProviderName(rawValue: "fcm"),
        peerOptions: ["--fcm"],
        settings: { peer in
            [
                "service_account_file": "\(peer.folder)/service-account.json", "endpoint": peer.endpoint,
                "ca_file": peer.ca, "per_minute": FCMSettings.noQuota,
            ]
        },
        token: { $0.fcm() },
        authorization: Array("Bearer ya29.".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 1_012)
    )

    /// Returns the lines of the block, below an app.
    func block(_ peer: Peer) -> String {
        let lines = settings(peer).sorted { $0.key < $1.key }.map { "      \($0.key): \($0.value)" }
        return (["    \(name.rawValue):"] + lines).joined(separator: "\n")
    }

    /// Returns a worker's request for a campaign to a simulator, for some device.
    func request(_ job: BenchJob, _ peer: Peer) throws -> BenchRequest {
        guard let provider = ProviderRegistry.provider(named: name) else {
            throw CommandFailure(.failed, "there is no provider \(name.rawValue)")
        }
        let push = provider.compile(job.job, carriesMessageID: true)
        let facts = Shard.Facts(
            push,
            of: job.job,
            provider: name,
            expiresAt: job.createdAt.advanced(by: .seconds(86_400))
        )
        let account = try provider.account(settings(peer)) { name in
            FileManager.default.contents(atPath: name).map { Array($0) }
        }
        let requests = account.requests(for: facts, authorization: authorization, now: job.createdAt)
        var tokens = MadeUpTokens()
        let form = provider.tokens
        return .of(requests, token: form.bytes(of: form.token(token(&tokens))?.text ?? ""))
    }
}
