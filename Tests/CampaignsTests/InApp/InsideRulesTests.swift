import Campaigns
import Testing

/// Tests of `delivery.show`, which decides who shows a campaign.
@Suite("Who tells of a campaign")
struct InsideRulesTests {
    private static let inside = """
        {"id": "offer", "app": "news", "kind": "announcement", "audience": {"everyone": true},
         "content": {"title": "An offer", "url": "app://shop", "category": "YES_NO", "layout": "COUPON",
           "announcement": {"format": "text", "body": "Ten percent"}, "data": {"shop": 7},
           "localizations": {"es": {"title": "Una oferta"}}},
         "delivery": {"show": "in_app", "send_at": "2026-11-21T00:00:00Z", "ttl": 3600, "hold": true}}
        """
    private static let plain = """
        {"id": "hi", "app": "news", "audience": {"everyone": true}, "content": {"title": "Hi"},
         "delivery": {"show": "in_app"}}
        """
    private static let dataPush = """
        {"id": "hi", "app": "news", "kind": "data_push", "audience": {"everyone": true},
         "content": {"data_push": {"encoding": "text", "body": "x"}}}
        """

    @Test func `a campaign that is told of inside the app sends no push, ends in its time and is kept as it is`() throws
    {
        let decoding = JobFixtures.decode(Self.inside)
        #expect(decoding.problems.isEmpty && decoding.warnings.isEmpty, "\(decoding.problems)")
        let job = try #require(decoding.job)
        #expect(job.delivery.show == .inApp && !job.sendsPushes && !job.mayBeOffered)
        #expect(job.content.layout == "COUPON" && job.content.category == "YES_NO")
        #expect(try Job(stored: job.storedJSON()) == job)
        var bare = job
        bare.delivery.hold = false
        #expect(bare.expiresAt(acceptedAt: JobFixtures.now).rfc3339 == "2026-11-21T01:00:00.000Z")
    }

    @Test func `any is what leaving it out means, and another word is another campaign`() throws {
        func job(_ show: String) throws -> Job {
            let text = JobFixtures.patch(JobFixtures.minimal, path: ["delivery"], "{\(show)}")
            return try #require(JobFixtures.decode(text).job)
        }
        let (none, any) = (try job(""), try job(#""show": "any""#))
        #expect(none.canonicalJSON() == any.canonicalJSON() && any.sendsPushes && any.mayBeOffered)
        let system = try job(#""show": "system""#)
        #expect(system.canonicalJSON() != any.canonicalJSON() && system.sendsPushes && !system.mayBeOffered)
        #expect(try Job(stored: system.storedJSON()).delivery.show == .system)
    }

    @Test func `a device that no push reached is told of texts that are the same for all, and of nothing else`() throws
    {
        func isOffered(_ content: String, _ kind: String = "notification") throws -> Bool {
            let text = JobFixtures.patch(JobFixtures.minimal, path: ["content"], content)
            let job = JobFixtures.decode(JobFixtures.patch(text, path: ["kind"], "\"\(kind)\"")).job
            return try #require(job).mayBeOffered
        }
        #expect(try isOffered(#"{"title": "Hi", "sound": "default", "badge": 1}"#))
        #expect(try !isOffered(#"{"title": "Hi {{ first }}"}"#))
        #expect(try !isOffered(#"{"title": "Hi", "localizations": {"es": {"title": "{{ first }}"}}}"#))
        #expect(try !isOffered(#"{"content_available": true}"#))
        #expect(try !isOffered(#"{"title_loc_key": "HI"}"#))
        #expect(try !isOffered(#"{"data_push": {"encoding": "text", "body": "x"}}"#, "data_push"))
    }

    @Test(arguments: content + delivery + elsewhere)
    func `what does not go with a campaign that sends no push is refused at its place`(_ refusal: Refusal) {
        let decoding = JobFixtures.decode(JobFixtures.patch(refusal.job, path: refusal.path, refusal.value))
        let found = decoding.problems.map { "\($0.pointer) \($0.code)" }
        #expect(found == ["\(refusal.pointer) \(refusal.code)"])
        #expect(decoding.job == nil)
    }

    private static let content: [Refusal] = [
        Refusal(of: plain, "content/title", nil, .required, at: "/content/title"),
        Refusal(of: plain, "content/title", "\"Hi {{ first }}\"", .templateNotAllowed),
        Refusal(of: plain, "content/url", "\"app://{{ x }}\"", .templateNotAllowed),
        Refusal(of: plain, "content/badge", "1", .conflict),
        Refusal(of: plain, "content/sound", "\"default\"", .conflict),
        Refusal(of: plain, "content/thread_id", "\"t\"", .conflict),
        Refusal(of: plain, "content/interruption_level", "\"active\"", .conflict),
        Refusal(of: plain, "content/content_available", "true", .conflict),
        Refusal(of: plain, "content/mutable_content", "true", .conflict),
        Refusal(of: plain, "content/title_loc_key", "\"HI\"", .conflict),
        Refusal(of: plain, "content/apns", #"{"aps": {"sound": "x"}}"#, .conflict),
        Refusal(of: plain, "content/fcm", #"{"android": {}}"#, .conflict),
        Refusal(
            of: plain,
            "content/localizations",
            #"{"es": {"sound": "a"}}"#,
            .conflict,
            at: "/content/localizations/es/sound"
        ),
        Refusal(of: plain, "content/layout", "\"{{ x }}\"", .templateNotAllowed),
    ]

    private static let delivery: [Refusal] = [
        Refusal(of: plain, "delivery/show", "\"background\"", .value),
        Refusal(of: plain, "delivery/collapse_id", "\"score\"", .conflict),
        Refusal(of: plain, "delivery/if_offline", "\"drop\"", .conflict),
        Refusal(of: plain, "delivery/per_second", "10", .conflict),
        Refusal(of: plain, "delivery/urgency", "\"urgent\"", .conflict),
        Refusal(of: plain, "delivery/android", "\"data\"", .conflict),
        Refusal(of: plain, "delivery/quiet_hours", #"{"from": "22:00", "to": "08:00"}"#, .conflict),
        Refusal(of: plain, "delivery/repeat", #"{"cron": "0 9 * * 1", "time_zone": "Europe/Madrid"}"#, .conflict),
        Refusal(of: plain, "delivery/in_app", #"{"triggers": [{"on": "session_start"}]}"#, .conflict),
    ]

    private static let elsewhere: [Refusal] = [
        Refusal(of: plain, "audience", #"{"everyone": true, "at_most": 5}"#, .conflict, at: "/audience/at_most"),
        Refusal(of: dataPush, "delivery", #"{"show": "in_app"}"#, .conflict, at: "/delivery/show"),
        Refusal(of: dataPush, "delivery", #"{"show": "system"}"#, .conflict, at: "/delivery/show"),
    ]
}
