import Campaigns
import PushProviders
import Testing

/// Jobs and shards for tests.
enum Fixtures {
    static let now = Timestamp(milliseconds: 1_795_204_500_120)

    /// Returns an alert with a title, changed as a test wishes.
    static func job(_ change: (inout Job) -> Void = { _ in }) -> Job {
        var content = Content()
        content.title = "Kick-off"
        var job = Job(
            id: "derby-2026",
            app: "news",
            audience: .devices([Device(token: String(repeating: "ab", count: 32))]),
            content: content
        )
        change(&job)
        return job
    }

    /// Returns a job of one push type without any content.
    static func bare(_ pushType: PushType?, _ change: (inout Job) -> Void = { _ in }) -> Job {
        job { job in
            job.content = Content()
            job.delivery.pushType = pushType
            change(&job)
        }
    }

    /// Returns the payload of a job as text.
    static func payload(_ job: Job, carriesMessageID: Bool = false) -> String {
        String(decoding: APNsProvider().compile(job, carriesMessageID: carriesMessageID).payload, as: UTF8.self)
    }

    /// Returns a planner's facts of a job.
    static func facts(
        _ job: Job,
        environment: PushEnvironment? = nil,
        carriesMessageID: Bool = false,
        expiresAt: Timestamp = now.advanced(by: .seconds(600))
    ) -> Shard.Facts {
        let push = APNsProvider().compile(job, carriesMessageID: carriesMessageID)
        return Shard.Facts(push, of: job, provider: .apns, environment: environment, expiresAt: expiresAt)
    }

    /// Returns an app with a key.
    static func account(_ change: (inout APNsSettings) -> Void = { _ in }) throws -> APNsAccount {
        let identity = try #require(ProviderTokenIdentity(teamID: "ABCDE12345", keyID: "ABC123DEFG"))
        var settings = APNsSettings(
            topic: "com.example.news",
            credential: .token(identity.credential(keyFile: "AuthKey_ABC123DEFG.p8"))
        )
        change(&settings)
        return APNsAccount(settings: settings)
    }

    /// Returns a request's fields as `name: value`.
    static func lines(_ requests: PreparedRequests) -> [String] {
        requests.headers.map { header in
            let name = String(decoding: header.name, as: UTF8.self)
            return switch header.value {
            case .constant(let bytes): "\(name): \(String(decoding: bytes, as: UTF8.self))"
            case .path: "\(name): <path>"
            case .id: "\(name): <id>"
            case .token: "\(name): <token>"
            }
        }
    }

    /// Returns the meaning of an answer.
    static func answer(_ status: Int, _ body: String = "", retryAfter: String = "") -> Answer {
        let body = Array(body.utf8)
        let retryAfter = Array(retryAfter.utf8)
        return APNsProvider().classify(status: status, body: body.span, retryAfter: retryAfter.span, now: now)
    }
}
