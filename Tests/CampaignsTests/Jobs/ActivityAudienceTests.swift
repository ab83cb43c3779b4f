import Campaigns
import Testing

@Suite("A Live Activity as an audience")
struct ActivityAudienceTests {
    private static let match = #"{"activity": {"type": "Match", "id": "match-7"}}"#

    private func decode(
        _ audience: String,
        event: String = "update",
        pushType: String = "liveactivity"
    ) -> JobDecoding {
        let start = event == "start" ? #", "attributes_type": "Match", "attributes": {"match": 7}"# : ""
        return JobFixtures.decode(
            """
            {"id": "derby-live-3", "app": "news", "audience": \(audience),
             "content": {"title": "Kick-off", "live_activity": {"event": "\(event)", "timestamp": 1795204500,
               "content_state": {"home": 1}\(start)}},
             "delivery": {"push_type": "\(pushType)"}}
            """
        )
    }

    @Test func `an activity is named by type and id, kept with the job, and read again`() throws {
        let job = try #require(decode(Self.match).job)
        #expect(job.audience == .activity(ActivityName(type: "Match", id: "match-7")))
        #expect(job.isFrozenFirst && job.isForActivities && job.startedType == nil && job.endedActivity == nil)
        #expect(try Job(stored: job.storedJSON()) == job)
        #expect(job.mayReach(.apns) && !job.mayReach(.fcm) && !job.mayReach(.broadcast))
        let other = try #require(decode(#"{"activity": {"type": "Match", "id": "match-8"}}"#).job)
        #expect(job.canonicalJSON() != other.canonicalJSON())
        let end = try #require(decode(Self.match, event: "end").job)
        #expect(end.endedActivity == ActivityName(type: "Match", id: "match-7"))
    }

    @Test(arguments: [#"{"everyone": true}"#, #"{"segment": "sport"}"#, #"{"users": ["ana"]}"#])
    func `a start goes to the start tokens of whom it means; an update of theirs has no address`(
        audience: String
    ) throws {
        let job = try #require(decode(audience, event: "start").job)
        #expect(job.startedType == "Match" && job.isForActivities)
        #expect(job.mayReach(.apns) && !job.mayReach(.fcm))
        let update = decode(audience)
        #expect(update.job == nil && update.problems.map(\.code) == ["conflict"], "\(update.problems)")
    }

    @Test func `devices and lists bring tokens of their own`() throws {
        for event in ["start", "update", "end"] {
            let job = try #require(decode(#"{"list": "tokens"}"#, event: event).job)
            #expect(job.startedType == nil && !job.isForActivities)
        }
    }

    @Test(arguments: [
        (#"{"activity": "match-7"}"#, "/audience/activity", "type"),
        (#"{"activity": {"id": "match-7"}}"#, "/audience/activity/type", "required"),
        (#"{"activity": {"type": "Match"}}"#, "/audience/activity/id", "required"),
        (#"{"activity": {"type": "Match", "id": "a b"}}"#, "/audience/activity/id", "format"),
        (#"{"activity": {"type": "Match", "id": "7", "token": "ab"}}"#, "/audience/activity/token", "unknown_field"),
        (#"{"activity": {"type": "Match", "id": "7"}, "everyone": true}"#, "/audience", "conflict"),
        (
            #"{"activity": {"type": "Match", "id": "7"}, "exclude": {"list": "unsubscribed"}}"#, "/audience/exclude",
            "conflict"
        ),
        (
            #"{"list": "fans", "exclude": {"activity": {"type": "Match", "id": "7"}}}"#,
            "/audience/exclude/activity", "unknown_field"
        ),
    ])
    func `what an activity cannot be is refused with its place`(audience: String, pointer: String, code: String) {
        let decoding = decode(audience)
        #expect(decoding.job == nil)
        #expect(decoding.problems.contains { $0.pointer == pointer && $0.code == code }, "\(decoding.problems)")
    }

    @Test func `an activity takes neither a start nor another push`() {
        for decoding in [decode(Self.match, event: "start"), decode(Self.match, pushType: "alert")] {
            let found = decoding.problems.contains { $0.pointer == "/audience/activity" && $0.code == "conflict" }
            #expect(found, "\(decoding.problems)")
        }
    }

    @Test func `an update that ticks is warned of Apple's budget, unless the job says its priority`() {
        func warnings(_ delivery: String, title: String = "") -> [String] {
            let decoding = JobFixtures.decode(
                """
                {"id": "tick", "app": "news", "audience": \(Self.match),
                 "delivery": {"push_type": "liveactivity"\(delivery)},
                 "content": {\(title)"live_activity": {"event": "update", "timestamp": 1, "content_state": {}}}}
                """
            )
            #expect(decoding.job != nil)
            return decoding.warnings.map(\.pointer)
        }
        #expect(warnings("") == ["/delivery/priority"])
        for priority in ["high", "normal"] { #expect(warnings(#", "priority": "\#(priority)""#).isEmpty) }
        #expect(warnings("", title: #""title": "Goal!", "#).isEmpty)
    }

    @Test func `whoever reads the registry may leave out users, and sets a limit`() throws {
        let audience = #"{"activity": {"type": "Match", "id": "7"}, "exclude": {"users": ["ana"]}, "at_most": 5}"#
        let job = try #require(decode(audience).job)
        #expect(job.atMost == 5 && job.exclude == .users(["ana"]))
    }

    @Test func `two updates of an activity collapse, and two activities do not`() throws {
        func name(_ type: String, _ id: String) throws -> [UInt8]? {
            var job = try #require(decode(#"{"activity": {"type": "\#(type)", "id": "\#(id)"}}"#).job)
            job.delivery.collapseID = "score"
            return job.collapseName(devicesVersion: nil)
        }
        #expect(try name("Match", "7") == name("Match", "7") && name("Match", "7") != nil)
        #expect(try name("Match", "7") != name("Match", "8"))
        #expect(try name("Match", "7") != name("Order", "7"))
    }
}
