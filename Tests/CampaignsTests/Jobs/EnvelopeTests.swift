import Campaigns
import PushProviders
import Testing

@Suite("The message around a job")
struct EnvelopeTests {
    private let now = JobFixtures.now

    private func codes(_ decoding: JobDecoding) -> [String] { decoding.problems.map { "\($0.pointer) \($0.code)" } }

    @Test func `message_id stands in for an id that is left out`() {
        let text = JobFixtures.patch(JobFixtures.minimal, path: ["id"], nil)
        let good = JobFixtures.decode(text, JobEnvelope(messageID: "m-1", now: now, tokens: ProviderRegistry.tokens))
        #expect(good.job?.id == "m-1")
        let bad = JobFixtures.decode(
            text,
            JobEnvelope(messageID: "not an id", now: now, tokens: ProviderRegistry.tokens)
        )
        #expect(codes(bad) == ["/id format"])
        #expect(bad.id == nil)
    }

    @Test func `an id and another message_id are refused`() {
        let decoding = JobFixtures.decode(
            JobFixtures.minimal,
            JobEnvelope(messageID: "m-1", now: now, tokens: ProviderRegistry.tokens)
        )
        #expect(codes(decoding) == ["/id conflict"])
        let same = JobFixtures.decode(
            JobFixtures.minimal,
            JobEnvelope(messageID: "hello-1", now: now, tokens: ProviderRegistry.tokens)
        )
        #expect(same.job != nil)
    }

    @Test func `the app is the routing key`() {
        let other = JobFixtures.decode(
            JobFixtures.minimal,
            JobEnvelope(routingKey: "sport", now: now, tokens: ProviderRegistry.tokens)
        )
        #expect(codes(other) == ["/app conflict"])
        #expect(other.app == "sport")
        #expect(
            JobFixtures.decode(
                JobFixtures.minimal,
                JobEnvelope(routingKey: "news", now: now, tokens: ProviderRegistry.tokens)
            ).job != nil
        )
    }

    @Test(arguments: [
        "application/json", "APPLICATION/JSON", "application/json; charset=utf-8", "application/json;charset=\"UTF-8\"",
    ])
    func `JSON is taken by its names`(contentType: String) {
        let envelope = JobEnvelope(
            contentType: contentType,
            type: "fanfare.campaign.v1",
            now: now,
            tokens: ProviderRegistry.tokens
        )
        #expect(JobFixtures.decode(JobFixtures.minimal, envelope).job != nil)
    }

    @Test(arguments: ["text/plain", "application/xml", "", "application/json; charset=latin1", "json"])
    func `another content type is refused by name`(contentType: String) {
        let decoding = JobFixtures.decode(
            JobFixtures.minimal,
            JobEnvelope(contentType: contentType, now: now, tokens: ProviderRegistry.tokens)
        )
        #expect(codes(decoding) == [" content_type"])
        #expect(decoding.problems.first?.detail.contains(contentType) == true)
    }

    @Test(arguments: ["fanfare.campaign.v2", "campaign", ""])
    func `another message type is refused by name`(type: String) {
        let decoding = JobFixtures.decode(
            JobFixtures.minimal,
            JobEnvelope(type: type, now: now, tokens: ProviderRegistry.tokens)
        )
        #expect(codes(decoding) == [" message_type"])
    }

    @Test func `the AMQP timestamp stands in for created_at`() {
        let envelope = JobEnvelope(timestampSeconds: now.seconds - 60, now: now, tokens: ProviderRegistry.tokens)
        let decoding = JobFixtures.decode(JobFixtures.minimal, envelope)
        #expect(decoding.job?.createdAt == now.advanced(by: .seconds(-60)))
        let given = JobFixtures.job("created_at", "\"2026-11-20T19:50:00Z\"")
        #expect(JobFixtures.decode(given, envelope).job?.createdAt == now.advanced(by: .seconds(-300)))
    }

    @Test(arguments: [1_795_204_801, 1_795_204_500_000, Int64.max])
    func `a timestamp more than five minutes ahead is refused`(seconds: Int64) {
        let decoding = JobFixtures.decode(
            JobFixtures.minimal,
            JobEnvelope(timestampSeconds: seconds, now: now, tokens: ProviderRegistry.tokens)
        )
        #expect(codes(decoding) == ["/created_at too_far_ahead"])
    }

    @Test func `exactly five minutes ahead is taken`() {
        let job = JobFixtures.job("created_at", "\"2026-11-20T20:00:00Z\"")
        #expect(JobFixtures.decode(job).job != nil)
    }

    @Test func `a ttl counts from the producer's clock, the queue included`() {
        let job = JobFixtures.patch(
            JobFixtures.job("created_at", "\"2026-11-20T19:45:00Z\""),
            path: ["delivery", "ttl"],
            "600"
        )
        #expect(codes(JobFixtures.decode(job)) == ["/delivery/ttl expired"])
        let longer = JobFixtures.patch(job, path: ["delivery", "ttl"], "601")
        #expect(JobFixtures.decode(longer).job?.expiresAt(acceptedAt: now) == now.advanced(by: .seconds(1)))
    }

    @Test func `a job that lay for thirty days is over without saying so`() {
        let job = JobFixtures.job("created_at", "\"2026-10-21T19:55:00Z\"")
        #expect(codes(JobFixtures.decode(job)) == ["/delivery/expires_at expired"])
    }

    @Test func `ends are resolved as the contract says`() {
        let created = now.advanced(by: .seconds(-100))
        let end = Timestamp(milliseconds: 5)
        let month = Duration.seconds(2_592_000)
        #expect(ExpiryRule.end(.at(end), release: created) == end)
        #expect(ExpiryRule.end(.ttl(seconds: 60), release: created) == created.advanced(by: .seconds(60)))
        #expect(ExpiryRule.end(.none, release: now) == now.advanced(by: month))
        // An end that counts from the release does not run while a campaign is held.
        #expect(ExpiryRule.endOfHold(.at(end), release: created) == end)
        #expect(ExpiryRule.endOfHold(.ttl(seconds: 60), release: created) == created.advanced(by: month))
    }

    @Test func `a campaign is released at the latest of its instants`() {
        let (created, later) = (now.advanced(by: .seconds(-100)), now.advanced(by: .seconds(100)))
        #expect(ExpiryRule.release(createdAt: created, acceptedAt: now) == created)
        #expect(ExpiryRule.release(createdAt: nil, acceptedAt: now) == now)
        #expect(ExpiryRule.release(createdAt: created, sendAt: later, firedAt: now, acceptedAt: now) == later)
        #expect(ExpiryRule.release(createdAt: later, sendAt: created, firedAt: now, acceptedAt: now) == later)
        #expect(ExpiryRule.release(createdAt: created, sendAt: nil, firedAt: now, acceptedAt: now) == now)
    }

    @Test func `the end counts from send_at, and is refused before it`() {
        let scheduled = JobFixtures.patch(
            JobFixtures.minimal,
            path: ["delivery", "send_at"],
            "\"2026-11-20T20:55:00Z\""
        )
        let short = JobFixtures.patch(scheduled, path: ["delivery", "ttl"], "60")
        #expect(JobFixtures.decode(short).job?.expiresAt(acceptedAt: now) == now.advanced(by: .seconds(3660)))
        let early = JobFixtures.patch(scheduled, path: ["delivery", "expires_at"], "\"2026-11-20T20:55:00Z\"")
        #expect(codes(JobFixtures.decode(early)) == ["/delivery/expires_at conflict"])
        let right = JobFixtures.patch(scheduled, path: ["delivery", "expires_at"], "\"2026-11-20T20:55:01Z\"")
        #expect(codes(JobFixtures.decode(right)).isEmpty)
    }

    @Test func `a held job of a short ttl may have been created long ago`() {
        let held = JobFixtures.patch(
            JobFixtures.job("created_at", "\"2026-11-20T19:45:00Z\""),
            path: ["delivery"],
            "{\"ttl\": 60, \"hold\": true}"
        )
        #expect(codes(JobFixtures.decode(held)).isEmpty)
        let ended = JobFixtures.patch(
            held,
            path: ["delivery"],
            "{\"expires_at\": \"2026-11-20T19:50:00Z\", \"hold\": true}"
        )
        #expect(codes(JobFixtures.decode(ended)) == ["/delivery/expires_at expired"])
    }

    @Test func `a CloudEvent carries a job in its data`() {
        let event = """
            {"specversion": "1.0", "id": "e-1", "source": "/cms", "type": "fanfare.campaign.v1", "traceparent": "00-a",
             "datacontenttype": "application/json", "data": \(JobFixtures.minimal)}
            """
        let envelope = JobEnvelope(
            contentType: "application/cloudevents+json; charset=utf-8",
            now: now,
            tokens: ProviderRegistry.tokens
        )
        #expect(JobFixtures.decode(event, envelope).job?.id == "hello-1")
        let wrong = JobFixtures.patch(event, path: ["data", "content", "titel"], "1")
        #expect(codes(JobFixtures.decode(wrong, envelope)) == ["/data/content/titel unknown_field"])
        #expect(!JobFixtures.decode(JobFixtures.minimal, envelope).problems.isEmpty)
    }

    @Test(
        arguments: [
            ("specversion", "\"0.3\"", "/specversion value"), ("specversion", nil, "/specversion required"),
            ("id", nil, "/id required"), ("source", "5", "/source type"), ("type", "\"other\"", "/type value"),
            ("data", nil, "/data required"), ("data_base64", "\"e30=\"", "/data_base64 format"),
            ("My-Attribute", "1", "/My-Attribute unknown_field"),
            ("datacontenttype", "\"text/plain\"", "/datacontenttype content_type"),
        ] as [(String, String?, String)]
    )
    func `a CloudEvent's attributes are checked`(name: String, value: String?, problem: String) {
        let event = """
            {"specversion": "1.0", "id": "e-1", "source": "/cms", "type": "fanfare.campaign.v1",
             "data": \(JobFixtures.minimal)}
            """
        let envelope = JobEnvelope(
            contentType: "application/cloudevents+json",
            now: now,
            tokens: ProviderRegistry.tokens
        )
        let decoding = JobFixtures.decode(JobFixtures.patch(event, path: [name], value), envelope)
        #expect(codes(decoding) == [problem])
        #expect(decoding.job == nil)
    }
}

@Suite("Warnings")
struct WarningTests {
    private func warnings(_ path: [String], _ value: String, urgencyHeader: String? = nil) -> [String] {
        let text = JobFixtures.patch(JobFixtures.minimal, path: path, value)
        let decoding = JobFixtures.decode(
            text,
            JobEnvelope(urgencyHeader: urgencyHeader, now: JobFixtures.now, tokens: ProviderRegistry.tokens)
        )
        #expect(decoding.job != nil)
        return decoding.warnings.map { "\($0.pointer) \($0.code)" }
    }

    @Test func `a device named twice is announced`() {
        let device = "{\"token\": \"\(JobFixtures.token)\"}"
        let upper = "{\"token\": \"\(JobFixtures.token.uppercased())\"}"
        #expect(warnings(["audience", "devices"], "[\(device), \(upper)]") == ["/audience/devices duplicate_device"])
    }

    @Test func `a header that contradicts the job is announced`() {
        #expect(warnings(["name"], "\"n\"", urgencyHeader: "urgent") == ["/delivery/urgency urgency_header"])
        #expect(warnings(["delivery", "urgency"], "\"urgent\"", urgencyHeader: "urgent").isEmpty)
        #expect(warnings(["delivery", "urgency"], "\"urgent\"").isEmpty)
    }

    @Test func `an end that no provider can keep is announced`() {
        let expected = ["/delivery/expires_at beyond_storage"]
        #expect(warnings(["delivery", "expires_at"], "\"2027-01-01T00:00:00Z\"") == expected)
    }

    @Test func `push to talk that is stored is announced`() {
        #expect(warnings(["delivery", "push_type"], "\"pushtotalk\"") == ["/delivery unusual"])
        #expect(warnings(["delivery"], "{\"push_type\": \"pushtotalk\", \"if_offline\": \"drop\"}").isEmpty)
    }
}
