import Campaigns
import PushProviders
import Testing

@Suite("A good job")
struct JobDecoderTests {
    @Test func `the smallest job has the contract's defaults`() throws {
        let decoding = JobFixtures.decode(JobFixtures.minimal)
        #expect(decoding.problems.isEmpty && decoding.warnings.isEmpty)
        let job = try #require(decoding.job)
        #expect(job.id == "hello-1" && job.app == "news" && job.createdAt == nil)
        #expect(job.audience == .devices([Device(token: JobFixtures.token)]))
        #expect(job.delivery == DeliveryOptions())
        #expect(job.effectivePushType == .alert && job.effectivePriority == .high)
        #expect(job.effectiveCollapseID == DefaultCollapseID.make(app: "news", id: "hello-1"))
    }

    @Test func `every field of this version arrives`() throws {
        let decoding = JobFixtures.decode(JobFixtures.full)
        #expect(decoding.problems.isEmpty)
        let job = try #require(decoding.job)
        #expect(job.createdAt?.rfc3339 == "2026-11-20T19:54:00.120Z")
        #expect(job.name == "Derby" && job.tags == ["sport", "cup"] && job.metadata == ["run": "8812"])
        let device = Device(
            token: JobFixtures.token,
            environment: .sandbox,
            id: "ana",
            locale: "es-ES",
            timeZone: "Europe/Madrid",
            variables: ["first": "Ana", "age": "31"]
        )
        #expect(job.audience == .devices([device]))
        let content = job.content
        #expect([content.title, content.subtitle, content.body] == ["T", "S", "B"])
        #expect([content.titleLocKey, content.subtitleLocKey, content.locKey] == ["TK", "SK", "LK"])
        #expect([content.titleLocArgs, content.subtitleLocArgs, content.locArgs] == [["a", "b"], ["c"], ["d"]])
        #expect(content.launchImage == "start.png" && content.mediaURL == "https://cdn.example.com/a.jpg")
        #expect(content.category == "LIKE" && content.badge == 3 && content.threadID == "derby")
        #expect(content.sound == Sound(name: "siren.caf", critical: true, volume: JSONNumber(text: "0.5")))
        #expect(content.interruptionLevel == "time-sensitive" && content.relevanceScore?.text == "0.8")
        #expect(content.targetContentID == "m7" && content.filterCriteria == "sport")
        #expect(content.contentAvailable && content.mutableContent)
        #expect(content.data.map(\.name) == ["match", "deep"])
        #expect(content.apns == .object(["aps": .object(["input-push-token": 1])]))
        let delivery = job.delivery
        #expect(delivery.pushType == .alert && delivery.priority == .low && delivery.policy.urgency == .urgent)
        #expect(delivery.expiry == .ttl(seconds: 3600) && delivery.policy.dropIfOffline && !delivery.supersede)
        #expect(delivery.collapseID == "score" && delivery.policy.maxAttempts == 3 && delivery.policy.dropUnknown)
    }

    @Test func `a Live Activity arrives`() throws {
        let job = try #require(JobFixtures.decode(JobFixtures.liveActivity).job)
        let activity = try #require(job.content.liveActivity)
        #expect(activity.event == "start" && activity.timestamp == 1_795_204_500)
        #expect(activity.contentState == .object(["home": 0]) && activity.attributesType == "MatchAttributes")
        #expect(job.effectivePushType == .liveactivity && job.effectivePriority == .high)
    }

    @Test func `content_available with nothing to show is a background push of normal priority`() throws {
        let job = try #require(JobFixtures.decode(JobFixtures.background).job)
        #expect(job.effectivePushType == .background && job.effectivePriority == .normal)
        #expect(job.audience == .list(name: "sport", version: "3"))
    }

    @Test(arguments: [
        "{\"id\": \"a\"}", "[]", "null", "7", "\"x\"", "{\"content\": 5, \"audience\": [], \"delivery\": \"fast\"}",
    ])
    func `what is no job is refused and not trapped on`(text: String) {
        let decoding = JobFixtures.decode(text)
        #expect(decoding.job == nil && !decoding.problems.isEmpty)
    }

    @Test func `all problems come at once, the unreadable ones too`() {
        let decoding = JobFixtures.decode(
            """
            {"id": "x y", "app": "news", "tilte": 1, "audience": {"list": "a", "devices": []},
             "content": {"title": NaN, "badge": -1, "data": {"aps": 1}}, "delivery": {"expire_at": 5, "ttl": 0}}
            """
        )
        let found = Set(decoding.problems.map { "\($0.pointer) \($0.code)" })
        #expect(
            found == [
                "/content/title syntax", "/id format", "/tilte unknown_field", "/audience conflict",
                "/audience/devices empty", "/content/badge range", "/content/data/aps reserved",
                "/delivery/expire_at unknown_field",
                "/delivery/ttl range",
            ]
        )
        let fix = decoding.problems.first { $0.pointer == "/delivery/expire_at" }?.fix
        #expect(fix == "did you mean expires_at?")
    }

    @Test func `more than a hundred problems are counted`() {
        let devices = Array(repeating: "{\"token\": \"no\"}", count: 250).joined(separator: ",")
        let decoding = JobFixtures.decode(JobFixtures.job("audience", "{\"devices\": [\(devices)]}"))
        #expect(decoding.problems.count == 101)
        #expect(decoding.problems.last?.code == "more_problems")
        #expect(decoding.problems.last?.detail == "150 more problems are not listed")
    }

    @Test func `a refused job's id is known for the answer`() {
        #expect(JobFixtures.decode(JobFixtures.job("colour", "1")).id == "hello-1")
        let envelope = JobEnvelope(
            routingKey: "news",
            messageID: "m-1",
            now: JobFixtures.now,
            tokens: ProviderRegistry.tokens
        )
        let decoding = JobFixtures.decode("garbage", envelope)
        #expect(decoding.id == "m-1" && decoding.app == "news" && decoding.job == nil)
    }

    @Test func `no problem says a token`() {
        let token = "<" + JobFixtures.token.dropLast(1) + "g>"
        let job = JobFixtures.job("audience", "{\"devices\": [{\"token\": \"\(token)\"}]}")
        let texts = JobFixtures.decode(job).problems.map { $0.detail + ($0.fix ?? "") }
        #expect(texts.count == 1)
        #expect(texts.allSatisfy { !$0.contains("ab12") })
    }
}
