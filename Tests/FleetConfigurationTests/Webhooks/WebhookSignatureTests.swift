import Campaigns
import Foundation
import Servers
import Testing

@testable import Settings

@Suite struct WebhookSignatureTests {
    /// The example of the reference implementations' tests (github.com/standard-webhooks/standard-webhooks).
    @Test func `the example of Standard Webhooks comes out as it is printed there`() throws {
        let secrets = try WebhookSecrets(file: Array("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".utf8))
        let signature = secrets.signature(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            timestamp: 1_614_265_330,
            body: Array(#"{"test": 2432232314}"#.utf8)
        )
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func `while secrets are rotated there is a signature by each, and Python's hmac finds both right`() throws {
        let secrets = [24, 64].map { count in "whsec_" + Data((0..<count).map { UInt8($0 * 3) }).base64EncodedString() }
        let body = #"{"data":"Zażółć \u0000"}"#
        let made = try WebhookSecrets(file: Array(secrets.joined(separator: "\n").utf8))
            .signature(id: "evt_1", timestamp: 1_790_000_000, body: Array(body.utf8))
        let script = """
            import base64, hashlib, hmac, sys
            body, *secrets = sys.argv[1:]
            for secret in secrets:
                key = base64.b64decode(secret.removeprefix("whsec_"))
                code = hmac.new(key, b"evt_1.1790000000." + body.encode(), hashlib.sha256).digest()
                print("v1," + base64.b64encode(code).decode())
            """
        let judged = try PythonClock.lines(script, [body] + secrets)
        #expect(made == judged.flatMap(\.self).joined(separator: " "))
    }

    @Test func `an event has the same id at every try, and no other event has it`() {
        let event = CampaignEvent(.completed, app: "news", campaign: "derby", time: .init(milliseconds: 0), data: .null)
        var other = event
        other.campaign = "final"
        let id = Webhook.id(of: event.bytes)
        #expect(id == Webhook.id(of: event.bytes) && id != Webhook.id(of: other.bytes))
        // No full stop, because it separates the parts of the signed text.
        #expect(id.hasPrefix("evt_") && id.count == 36 && !id.contains("."))
    }
}
