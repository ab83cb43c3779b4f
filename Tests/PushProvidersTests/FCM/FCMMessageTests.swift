import Campaigns
import PushProviders
import Testing

struct FCMMessageTests {
    @Test func `a notification has Google's form, the token last and the remaining time first`() throws {
        let job = Fixtures.job { job in
            job.content.body = "Ten minutes"
            job.delivery.collapseID = "derby"
        }
        #expect(
            try FCMFixtures.body(job)
                == #"{"message":{"android":{"ttl":"600s","priority":"HIGH","collapse_key":"derby","#
                + #""notification":{"tag":"derby"}},"notification":{"title":"Kick-off","body":"Ten minutes"},"#
                + #""token":"\#(FCMFixtures.token)"}}"#
        )
    }

    @Test func `a request is a POST to the project with the access token as a secret`() throws {
        let facts = FCMFixtures.facts(Fixtures.job())
        let value = Array("Bearer ya29.x".utf8)
        let requests = try FCMFixtures.account().requests(for: facts, authorization: value, now: FCMFixtures.now)
        #expect(
            Fixtures.lines(requests) == [
                ":method: POST", ":scheme: https", ":authority: fcm.googleapis.com", ":path: <path>",
                "content-type: application/json", "authorization: Bearer ya29.x",
            ]
        )
        #expect(requests.path == Array("/v1/projects/news-app-1/messages:send".utf8))
        #expect(requests.headers.last?.indexing == .never)
        #expect(requests.idRange.isEmpty)
    }

    @Test func `a message that Google is only to judge says so in front, and is the same otherwise`() throws {
        let job = Fixtures.job { $0.content.body = "Hi {{ first }}" }
        for carriesMessageID in [false, true] {
            let facts = FCMFixtures.facts(job, carriesMessageID: carriesMessageID)
            let account = try FCMFixtures.account()
            let sent = account.requests(for: facts, authorization: nil, now: FCMFixtures.now)
            let judged = try #require(account.validation(for: facts, authorization: nil, now: FCMFixtures.now))
            #expect(judged.personal != nil && sent.personal != nil)
            #expect(judged.messageIDAt == nil && sent.messageIDAt == nil)
        }
        let facts = FCMFixtures.facts(Fixtures.job(), carriesMessageID: true)
        let account = try FCMFixtures.account()
        let sent = account.requests(for: facts, authorization: nil, now: FCMFixtures.now)
        let judged = try #require(account.validation(for: facts, authorization: nil, now: FCMFixtures.now))
        let mark = Array(#"{"validate_only":true,"#.utf8)
        #expect(judged.body == mark + sent.body.dropFirst())
        #expect(judged.messageIDAt == sent.messageIDAt.map { $0 + mark.count - 1 })
    }

    @Test func `without a collapse id there is no collapse key, and a repeat still replaces itself`() throws {
        let message = try FCMFixtures.message(Fixtures.job())
        #expect(message["android"]?["collapse_key"] == nil)
        let tag = APNsProvider().compile(Fixtures.job(), carriesMessageID: false).collapseID
        #expect(message["android"]?["notification"]?["tag"]?.string == tag)
    }

    @Test(arguments: [
        (600, false, "600s"), (0, false, "1s"), (-5, false, "1s"), (2_592_000, false, "2419200s"), (600, true, "0s"),
    ])
    func `ttl is what is left, at least a second and at most 28 days`(left: Int, drops: Bool, ttl: String) throws {
        let job = Fixtures.job { $0.delivery.policy.dropIfOffline = drops }
        let facts = FCMFixtures.facts(job, expiresAt: FCMFixtures.now.advanced(by: .seconds(left)))
        let requests = try FCMFixtures.account().requests(for: facts, authorization: nil, now: FCMFixtures.now)
        #expect(String(decoding: requests.body, as: UTF8.self).contains(#""ttl":"\#(ttl)""#))
    }

    @Test func `content is mapped to Google's and Android's fields`() throws {
        let job = Fixtures.job { job in
            job.content.titleLocKey = "KICKOFF"
            job.content.titleLocArgs = ["Real", "Atleti"]
            job.content.locKey = "BODY"
            job.content.mediaURL = "https://cdn.example.com/a.jpg"
            job.content.category = "LIKE"
            job.content.threadID = "derby"
            job.content.interruptionLevel = "time-sensitive"
            job.content.sound = Sound(name: "horn")
            job.content.badge = 3
            job.delivery.priority = .normal
        }
        let message = try FCMFixtures.message(job)
        #expect(message["notification"]?["image"] == "https://cdn.example.com/a.jpg")
        #expect(message["android"]?["priority"] == "NORMAL")
        let android = try #require(message["android"]?["notification"])
        #expect(android["channel_id"] == "derby" && android["click_action"] == "LIKE" && android["sound"] == "horn")
        #expect(android["notification_priority"] == "PRIORITY_HIGH" && android["notification_count"] == 3)
        #expect(android["title_loc_key"] == "KICKOFF" && android["title_loc_args"] == ["Real", "Atleti"])
        #expect(android["body_loc_key"] == "BODY")
    }

    @Test func `data becomes strings, everything else than a string as compact JSON`() throws {
        let job = Fixtures.job { job in
            job.content.data = [
                JSONMember("text", "a\"b"), JSONMember("number", 7), JSONMember("flag", true),
                JSONMember("none", .null),
                JSONMember("object", ["k": ["x", 1]]),
            ]
        }
        let data = try #require(try FCMFixtures.message(job)["data"])
        #expect(data["text"] == "a\"b" && data["number"] == "7" && data["flag"] == "true" && data["none"] == "null")
        #expect(data["object"] == #"{"k":["x",1]}"#)
    }

    @Test func `a data message has no notification, and the texts as data`() throws {
        let job = Fixtures.job { job in
            job.content.body = "Ten minutes"
            job.content.data = [JSONMember("title", "mine")]
            job.delivery.android = .data
        }
        let message = try FCMFixtures.message(job)
        #expect(message["notification"] == nil && message["android"]?["notification"] == nil)
        #expect(message["data"]?["body"] == "Ten minutes")
        #expect(message["data"]?["title"] == "mine")
        #expect(message["data"]?["tag"]?.string?.isEmpty == false)
    }

    @Test func `a background push is data alone, of normal priority`() throws {
        let job = Fixtures.bare(nil) { job in
            job.content.contentAvailable = true
            job.content.data = [JSONMember("sync", 1)]
        }
        let message = try FCMFixtures.message(job)
        #expect(message["notification"] == nil && message["android"]?["notification"] == nil)
        #expect(message["android"]?["priority"] == "NORMAL")
        #expect(message["data"]?.members == [JSONMember("sync", "1")])
    }

    @Test func `raw fields are merged last, member by member`() throws {
        let job = Fixtures.job { job in
            job.content.data = [JSONMember("match", 7)]
            job.content.fcm = [
                "android": ["notification": ["channel_id": "goals", "sticky": true], "direct_boot_ok": true],
                "data": ["match": "8", "more": "x"],
                "webpush": ["fcm_options": ["link": "https://example.com/{{ x }}"]],
                "fcm_options": ["analytics_label": "derby"],
            ]
        }
        let message = try FCMFixtures.message(job)
        #expect(message["android"]?["notification"]?["channel_id"] == "goals")
        #expect(message["android"]?["notification"]?["sticky"] == true)
        #expect(message["android"]?["direct_boot_ok"] == true && message["android"]?["priority"] == "HIGH")
        #expect(message["data"] == ["match": "8", "more": "x"])
        // Values from there are never templates.
        #expect(message["webpush"]?["fcm_options"]?["link"] == "https://example.com/{{ x }}")
        #expect(message["fcm_options"]?["analytics_label"] == "derby")
    }

    @Test func `the message id is a text within data, and can be taken out again`() throws {
        let job = Fixtures.job { $0.content.url = "app://match/7" }
        let message = try FCMFixtures.message(job, carriesMessageID: true)
        let text = try #require(message["data"]?["fanfare"]?.string)
        let object = try #require(JSONReader.read(Array(text.utf8)).value)
        #expect(object["v"] == 1 && object["c"] == "derby-2026" && object["u"] == "app://match/7")
        #expect(object["m"]?.string?.utf8.count == 22)
        let facts = FCMFixtures.facts(job, carriesMessageID: true)
        let without = JSONReader.read(facts.withoutMessageID().payload)
        let rest = try #require(without.value?["data"]?["fanfare"]?.string)
        #expect(JSONReader.read(Array(rest.utf8)).value == ["v": 1, "c": "derby-2026", "u": "app://match/7"])
    }

    @Test func `a payload that is no message of ours goes as it is, and nothing traps`() throws {
        for payload in ["", "{", "[]", "{\"android\":{", "{\"android\":7}"] {
            var facts = FCMFixtures.facts(Fixtures.job())
            facts.payload = Array(payload.utf8)
            let requests = try FCMFixtures.account().requests(for: facts, authorization: nil, now: FCMFixtures.now)
            #expect(requests.body == facts.payload)
        }
    }

    @Test func `the place of the message id moves with what is put in front`() throws {
        let facts = FCMFixtures.facts(Fixtures.job(), carriesMessageID: true)
        let requests = try FCMFixtures.account().requests(for: facts, authorization: nil, now: FCMFixtures.now)
        let offset = try #require(requests.messageIDAt)
        let blank = requests.template[offset..<offset + 22]
        #expect(blank.allSatisfy { $0 == UInt8(ascii: "-") })
        #expect(
            requests.template[offset - 1] == UInt8(ascii: "\"") && requests.template[offset - 2] == UInt8(ascii: "\\")
        )
    }

    @Test func `templates are rendered within texts, texts of texts and counts`() throws {
        let job = Fixtures.job { job in
            job.content.title = "Hi {{ first }}"
            job.content.url = "app://{{ first }}"
            job.content.badgeTemplate = "{{ n }}"
            job.content.data = [JSONMember("who", ["name": "{{ first }}"])]
        }
        let facts = FCMFixtures.facts(job, carriesMessageID: true)
        let program = try TemplateProgram(
            payload: facts.payload,
            placeholders: facts.personal.placeholders,
            messageIDAt: facts.messageIDAt
        )
        var batch = DeviceBatch()
        batch.append(token: [1], variables: ["first": "A\"na\\", "n": "4"])
        batch.append(token: [2], variables: ["first": "Bo"])
        let renderer = TemplateRenderer(program, batch, bytesMax: 4096)
        func rendered(_ position: Int) throws -> JSONValue {
            #expect(renderer.render(position) == nil)
            return try #require(JSONReader.read(Array(renderer.bytes)).value)
        }
        let first = try rendered(0)
        #expect(first["notification"]?["title"] == "Hi A\"na\\")
        #expect(first["android"]?["notification"]?["notification_count"] == 4)
        let who = try #require(first["data"]?["who"]?.string)
        #expect(JSONReader.read(Array(who.utf8)).value == ["name": "A\"na\\"])
        let own = try #require(first["data"]?["fanfare"]?.string)
        #expect(JSONReader.read(Array(own.utf8)).value?["u"] == "app://A\"na\\")
        #expect(try rendered(1)["android"]?["notification"]?["notification_count"] == nil)
    }
}
