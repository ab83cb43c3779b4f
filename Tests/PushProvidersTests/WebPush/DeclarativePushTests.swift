import Campaigns
import Testing

@testable import PushProviders

/// The form of messages to browsers that know Declarative Web Push (W3C Push API, *Declarative push message*).
@Suite struct DeclarativePushTests {
    private static let apple = PushEnvironment(rawValue: "https://web.push.apple.com")

    /// Returns a job's requests to a push service.
    private static func requests(
        _ job: Job,
        _ service: PushEnvironment? = apple,
        site: String? = "https://news.example/",
        carriesMessageID: Bool = true
    ) throws -> PreparedRequests {
        let push = WebPushProvider().compile(job, carriesMessageID: carriesMessageID)
        var facts = ProviderSpecimen.webPush.facts(job)
        (facts.environment, facts.payload) = (service, push.payload)
        (facts.messageIDAt, facts.personal, facts.pushType) = (push.messageIDAt, push.personal, push.pushType)
        let settings = site.map { ["site": $0] } ?? [:]
        return try ProviderSpecimen.webPush.account(settings).requests(
            for: facts,
            authorization: nil,
            now: Fixtures.now
        )
    }

    private static func json(_ bytes: [UInt8]) throws -> JSONValue {
        let reading = JSONReader.read(bytes)
        #expect(reading.problems.isEmpty, "\(String(decoding: bytes, as: UTF8.self))")
        return try #require(reading.value)
    }

    /// Returns a renderer for one device.
    private static func renderer(_ program: TemplateProgram, _ variables: [String: String]) -> TemplateRenderer {
        var batch = DeviceBatch()
        batch.append(token: [1], variables: variables)
        return TemplateRenderer(program, batch, bytesMax: WebPushRules.payloadBytesMax)
    }

    private static let job = Fixtures.job { job in
        job.content.body = "It \"begins\" }, \\"
        job.content.url = "https://news.example/7"
        job.content.badge = 3
        job.content.data = [JSONMember("match", 7), JSONMember("nested", .object(["url": ["a", "}"]]))]
    }

    @Test func `a message says that it is one, what it opens, and the rest as data of its notification`() throws {
        let requests = try Self.requests(Self.job)
        let form = try Self.json(requests.body)
        #expect(form["web_push"] == 8030 && form["mutable"] == true && form["app_badge"] == 3)
        #expect(form.members?.map(\.name) == ["web_push", "mutable", "app_badge", "notification"])
        let notification = try #require(form["notification"])
        #expect(notification["title"] == "Kick-off" && notification["navigate"] == "https://news.example/7")
        #expect(notification["body"] == .string("It \"begins\" }, \\"))
        // Every member of the other form is there, in the notification or as its data.
        let other = try Self.json(try Self.requests(Self.job, PushEnvironment(rawValue: "https://a.example")).body)
        for member in other["notification"]?.members ?? [] { #expect(notification[member.name] == member.value) }
        let rest = (other.members ?? []).filter { $0.name != "notification" }
        #expect(rest.map(\.name) == ["data", "url", "fanfare", "badge"])
        #expect(notification["data"]?.members == rest)
    }

    @Test func `the message id of each device is in its place`() throws {
        let requests = try Self.requests(Self.job)
        let start = try #require(requests.messageIDAt) - requests.lastAt
        let before = requests.body[..<start].suffix(MessageIDPlaceholder.opening.count)
        #expect(Array(before) == MessageIDPlaceholder.opening)
        #expect(Array(requests.body[start...].prefix(MessageIDPlaceholder.byteCount)) == MessageIDPlaceholder.blank)
    }

    @Test(arguments: [
        "https://updates.push.services.mozilla.com", "https://fcm.googleapis.com",
        "https://web.push.apple.com.example.net", "https://web.push.apple.com:8443",
    ])
    func `other services get the form that service workers know`(_ service: String) throws {
        let body = try Self.requests(Self.job, PushEnvironment(rawValue: service)).body
        #expect(body.starts(with: #"{"notification":{"title""#.utf8))
    }

    @Test func `a link of apps opens the site, and without a site the message is for the service worker`() throws {
        for link in ["app://match/7", nil] {
            var job = Self.job
            job.content.url = link
            let form = try Self.json(try Self.requests(job).body)
            #expect(form["notification"]?["navigate"] == "https://news.example/")
            #expect(form["notification"]?["data"]?["url"] == link.map { .string($0) })
            #expect(try Self.json(try Self.requests(job, site: nil).body)["web_push"] == nil)
        }
    }

    @Test func `without a title, or without room, it is for the service worker`() throws {
        var job = Self.job
        job.content.title = nil
        #expect(try Self.json(try Self.requests(job).body)["web_push"] == nil)
        let base = try Self.requests(Self.job, site: nil).body.count
        job = Self.job
        func sized(_ count: Int) throws -> PreparedRequests {
            job.content.threadID = String(repeating: "a", count: count)
            return try Self.requests(job)
        }
        var room = WebPushRules.payloadBytesMax - base
        while try sized(room).body.count > WebPushRules.payloadBytesMax { room -= 1 }
        let plain = try sized(room).body
        #expect(try Self.json(plain)["web_push"] == nil)
        let full = (1...room).reversed().lazy.compactMap { count in
            (try? sized(count).body).flatMap { $0.starts(with: #"{"web_push""#.utf8) ? $0 : nil }
        }.first
        #expect(full?.count == WebPushRules.payloadBytesMax)
    }

    @Test func `templates are rendered in their places`() throws {
        var job = Self.job
        job.content.title = "Hi {{ first }}"
        job.content.url = "https://news.example/{{ first }}"
        job.content.data = [JSONMember("to", "{{ first }}")]
        job.content.badge = nil
        job.content.badgeStep = nil
        let requests = try Self.requests(job)
        let program = try #require(requests.personal?.body)
        let renderer = Self.renderer(program, ["first": "Ana"])
        #expect(renderer.render(0) == nil)
        let form = try Self.json(Array(renderer.bytes))
        #expect(form["web_push"] == 8030)
        // A link that differs between devices is for the service worker alone.
        #expect(form["notification"]?["navigate"] == "https://news.example/")
        #expect(form["notification"]?["title"] == "Hi Ana")
        #expect(form["notification"]?["data"]?["url"] == "https://news.example/Ana")
        #expect(form["notification"]?["data"]?["data"]?["to"] == "Ana")
    }

    @Test func `no silent push goes to a service that ends the subscription for it`() throws {
        let job = Fixtures.bare(nil) { $0.content.contentAvailable = true }
        let requests = try Self.requests(job)
        let program = try #require(requests.personal?.body)
        #expect(Self.renderer(program, [:]).render(0) == .aborted(WebPushAccount.silentReason))
        let other = try Self.requests(job, PushEnvironment(rawValue: "https://fcm.googleapis.com"))
        #expect(other.personal == nil && !other.body.isEmpty)
    }
}
