import Campaigns
import PushProviders
import Testing

/// Jobs, accounts and answers of FCM for tests.
enum FCMFixtures {
    static let now = Fixtures.now
    static let token = "cXYbEMz1Sg-5ivNIxWyzAB:APA91bHk_zx3p"

    /// Returns a service account's file in Google's form; its key is not a valid key.
    static func file(_ change: (inout [String: String]) -> Void = { _ in }) -> [UInt8] {
        var fields = [
            "type": "service_account", "project_id": "news-app-1", "private_key_id": "0123456789abcdef0123",
            "private_key": "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            "client_email": "sender@news-app-1.iam.gserviceaccount.com",
            "token_uri": "https://oauth2.googleapis.com/token",
        ]
        change(&fields)
        let members = fields.sorted { $0.key < $1.key }.map { JSONMember($0.key, .string($0.value)) }
        return JSONWriter.bytes(.object(members))
    }

    /// Returns an app's account.
    static func account(
        _ settings: [String: String] = [:],
        file bytes: [UInt8] = file()
    ) throws(SettingsRefused) -> any ProviderAccount {
        try FCMProvider().account(["service_account_file": "news.json"].merging(settings) { $1 }) { _ in bytes }
    }

    /// Returns a planner's facts of a job.
    static func facts(
        _ job: Job,
        carriesMessageID: Bool = false,
        expiresAt: Timestamp = now.advanced(by: .seconds(600))
    ) -> Shard.Facts {
        let push = FCMProvider().compile(job, carriesMessageID: carriesMessageID)
        return Shard.Facts(push, of: job, provider: FCMProvider().name, expiresAt: expiresAt)
    }

    /// Returns the body of the request to `token`.
    static func body(_ job: Job, carriesMessageID: Bool = false, at now: Timestamp = now) throws -> String {
        let facts = facts(job, carriesMessageID: carriesMessageID)
        let requests = try account().requests(for: facts, authorization: nil, now: now)
        let token = Array(token.utf8)
        var memory = requests.template + [UInt8](repeating: 0, count: requests.tail(tokenBytes: token.count))
        memory.withUnsafeMutableBytes { room in
            token.withUnsafeBytes { requests.fill(room, token: $0, device: 7) }
        }
        return String(decoding: memory[requests.lastAt...], as: UTF8.self)
    }

    /// Returns the message of the request's body, parsed.
    static func message(_ job: Job, carriesMessageID: Bool = false) throws -> JSONValue {
        let text = try body(job, carriesMessageID: carriesMessageID)
        let reading = JSONReader.read(Array(text.utf8))
        #expect(reading.problems.isEmpty, "\(text)")
        return try #require(reading.value?["message"])
    }

    /// Returns the meaning of an answer.
    static func answer(_ status: Int, _ body: String = "", retryAfter: String = "") -> Answer {
        let (body, wait) = (Array(body.utf8), Array(retryAfter.utf8))
        return FCMProvider().classify(status: status, body: body.span, retryAfter: wait.span, now: now)
    }

    /// Returns Google's error object.
    static func error(_ code: Int, _ status: String, details: [String] = []) -> String {
        let details = details.joined(separator: ",")
        return #"{"error":{"code":\#(code),"message":"words","status":"\#(status)","details":[\#(details)]}}"#
    }

    /// Returns FCM's own detail.
    static func fcm(_ code: String) -> String {
        #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#
    }
}
