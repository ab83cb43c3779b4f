import Campaigns
import PushProviders
import Testing

struct FCMSettingsTests {
    private func problems(_ settings: [String: String], file: [UInt8] = FCMFixtures.file()) -> [Problem] {
        do throws(SettingsRefused) {
            _ = try FCMFixtures.account(settings, file: file)
            return []
        } catch {
            return error.problems
        }
    }

    @Test func `a block with a service account's file is enough`() throws {
        let account = try FCMFixtures.account()
        #expect(account.endpoint(nil) == ProviderEndpoint(host: "fcm.googleapis.com"))
        #expect(account.credential.files == ["news.json"])
        let summary = account.summary.map { "\($0.name)=\($0.value)" }
        #expect(summary.contains("project=news-app-1") && summary.contains("per_minute=600000"))
        #expect(!summary.contains { $0.contains("BEGIN") })
    }

    @Test func `what is wrong is said with its place, all at once`() {
        let found = problems(["per_minute": "0", "message": "toast", "endpoint": "http://x", "servce": "a"])
        #expect(found.map(\.pointer) == ["/servce", "/per_minute", "/message", "/endpoint"])
        #expect(problems(["service_account_file": ""]).map(\.pointer) == ["/service_account_file"])
        #expect(problems(["ca_file": "ca.pem"]).map(\.pointer) == ["/ca_file"])
    }

    @Test func `the quota is the project's, whichever account sends; a gateway of one's own may have none`() throws {
        let (one, other) = (try FCMFixtures.account(), try FCMFixtures.account(["per_minute": "750000"]))
        #expect(one.quota?.perMinute == 600_000 && other.quota?.perMinute == 750_000)
        #expect(one.quota?.key == "fcm/news-app-1" && one.quota?.key == other.quota?.key)
        let own = try FCMFixtures.account(["per_minute": "none", "endpoint": "https://localhost:9443"])
        #expect(own.quota == nil)
        #expect(own.summary.contains { $0 == ("per_minute", "none") })
        #expect(problems(["per_minute": "none"]).map(\.pointer) == ["/per_minute"])
    }

    @Test(arguments: ["type", "project_id", "client_email", "private_key_id", "private_key"])
    func `a file without a field is refused by that field's name`(name: String) {
        let found = problems([:], file: FCMFixtures.file { $0[name] = nil })
        #expect(found.map(\.pointer) == ["/service_account_file"])
        #expect(found.first?.detail.contains(name) == true)
    }

    @Test(arguments: ["http://oauth2.googleapis.com/token", "https://", "https://x y/token", "token"])
    func `an address of the token endpoint that is none is refused`(uri: String) {
        #expect(problems([:], file: FCMFixtures.file { $0["token_uri"] = uri }).count == 1)
    }

    @Test func `the app's choice of message counts where the job makes none`() throws {
        let account = try FCMFixtures.account(["message": "data"])
        #expect(account.completed(Fixtures.job()).delivery.android == .data)
        let own = Fixtures.job { $0.delivery.android = .notification }
        #expect(account.completed(own).delivery.android == .notification)
    }

    @Test func `tokens are what may stand in a JSON string as it is`() {
        let form = FCMProvider().tokens
        #expect(form.token(FCMFixtures.token)?.text == FCMFixtures.token)
        #expect(form.bytes(of: FCMFixtures.token) == Array(FCMFixtures.token.utf8))
        #expect(form.text(of: Array(FCMFixtures.token.utf8)) == FCMFixtures.token)
        for text in [
            "short", String(repeating: "a", count: 1025), "with a space in it", "with\"quote_______",
            "ñandu____________",
        ] {
            #expect(form.token(text) == nil, "\(text)")
        }
    }
}

struct FCMRulesTests {
    private func pointers(_ job: Job) -> [String] {
        FCMProvider().check(job, carriesMessageID: false).problems.map(\.pointer)
    }

    @Test func `a good job has no problem`() {
        #expect(pointers(Fixtures.job()).isEmpty)
    }

    @Test func `who gets a message is not the content's to say, nor how long it is kept`() {
        let job = Fixtures.job { job in
            job.content.fcm = ["token": "x", "topic": "y", "andriod": [:], "android": ["ttl": "5s"], "data": "z"]
        }
        #expect(
            pointers(job) == [
                "/content/fcm/token", "/content/fcm/topic", "/content/fcm/andriod", "/content/fcm/data",
                "/content/fcm/android/ttl",
            ]
        )
    }

    @Test func `raw data has strings and no reserved key`() {
        let job = Fixtures.job { job in
            job.content.fcm = [
                "data": ["a": 1, "from": "x", "google.x": "x", "gcm.y": "x", "message_type": "x", "b": "x"]
            ]
        }
        #expect(
            pointers(job) == [
                "/content/fcm/data/a", "/content/fcm/data/from", "/content/fcm/data/google.x",
                "/content/fcm/data/gcm.y",
                "/content/fcm/data/message_type",
            ]
        )
    }

    @Test func `a push that is Apple's alone is refused`() {
        #expect(pointers(Fixtures.bare(.liveactivity)) == ["/delivery/push_type"])
        #expect(pointers(Fixtures.bare(.voip)) == ["/delivery/push_type"])
    }

    @Test func `what Apple alone has is refused with the audience that would do`() throws {
        func fix(_ audience: Audience) -> String {
            let job = Fixtures.bare(.liveactivity) { $0.audience = audience }
            return FCMProvider().check(job, carriesMessageID: false).problems.first?.fix ?? ""
        }
        #expect(fix(.everyone).contains(#""segment": "provider == apns""#))
        #expect(fix(.segment(try Segment("sport"))).contains("provider == apns && …"))
        #expect(fix(.segment(try Segment("sport || cup"))).contains("provider == apns && (…)"))
        #expect(fix(.users(["ana"])).contains(#""exclude": {"segment": "provider != apns"}"#))
        #expect(fix(.list(name: "fans", version: nil)).contains("list of apns devices"))
    }

    @Test func `4096 bytes fit, 4097 do not, in whatever language`() {
        func job(_ count: Int) -> Job { Fixtures.job { $0.content.body = String(repeating: "x", count: count) } }
        let rest = FCMProvider().compile(job(1), carriesMessageID: false).payload.count - 1
        #expect(pointers(job(4096 - rest)).isEmpty)
        #expect(pointers(job(4097 - rest)) == ["/content"])
    }
}
