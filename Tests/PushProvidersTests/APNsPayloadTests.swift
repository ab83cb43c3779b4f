import Campaigns
import PushProviders
import Testing

struct APNsPayloadTests {
    @Test func `every field of content has its place in aps, in a fixed order`() {
        let job = Fixtures.job { job in
            job.content.title = "Hola \"Ana\""
            job.content.subtitle = "Derbi"
            job.content.body = "Ñ\n€ 🏟"
            job.content.launchImage = "launch"
            job.content.titleLocKey = "KICKOFF"
            job.content.titleLocArgs = ["Real", "Atleti"]
            job.content.subtitleLocKey = "SUB"
            job.content.subtitleLocArgs = ["s"]
            job.content.locKey = "BODY"
            job.content.locArgs = ["b"]
            job.content.badge = 0
            job.content.sound = Sound(name: "default")
            job.content.threadID = "derby"
            job.content.category = "LIKE_CATEGORY"
            job.content.contentAvailable = true
            job.content.mutableContent = true
            job.content.targetContentID = "match-7"
            job.content.interruptionLevel = "time-sensitive"
            job.content.relevanceScore = JSONNumber(text: "0.80")
            job.content.filterCriteria = "la liga"
            job.content.data = [
                JSONMember("match", .number(JSONNumber(7))),
                JSONMember("teams", .array([.string("Real"), .null, .bool(true)])),
            ]
        }
        #expect(
            Fixtures.payload(job)
                == #"{"aps":{"alert":{"title":"Hola \"Ana\"","subtitle":"Derbi","body":"Ñ\n€ 🏟","launch-image":"launch","#
                + #""title-loc-key":"KICKOFF","title-loc-args":["Real","Atleti"],"subtitle-loc-key":"SUB","#
                + #""subtitle-loc-args":["s"],"loc-key":"BODY","loc-args":["b"]},"badge":0,"sound":"default","#
                + #""thread-id":"derby","category":"LIKE_CATEGORY","content-available":1,"mutable-content":1,"#
                + #""target-content-id":"match-7","interruption-level":"time-sensitive","relevance-score":0.80,"#
                + #""filter-criteria":"la liga"},"match":7,"teams":["Real",null,true]}"#
        )
    }

    @Test func `nothing to show is no alert`() {
        let job = Fixtures.bare(nil) { $0.content.contentAvailable = true }
        #expect(Fixtures.payload(job) == #"{"aps":{"content-available":1}}"#)
    }

    @Test func `a critical sound is Apple's dictionary`() {
        let job = Fixtures.job {
            $0.content.sound = Sound(name: "siren.caf", critical: true, volume: JSONNumber(text: "0.5"))
        }
        #expect(
            Fixtures.payload(job)
                == #"{"aps":{"alert":{"title":"Kick-off"},"sound":{"critical":1,"name":"siren.caf","volume":0.5}}}"#
        )
    }

    @Test func `media makes the content mutable by itself`() {
        let job = Fixtures.job { $0.content.mediaURL = "https://cdn.example.com/a.jpg" }
        #expect(Fixtures.payload(job) == #"{"aps":{"alert":{"title":"Kick-off"},"mutable-content":1}}"#)
    }

    @Test func `raw fields are merged last, object by object, and win`() throws {
        let raw = #"{"aps":{"alert":{"body":"raw","title":"Raw"},"badge":null,"new":[1]},"match":{"b":2},"extra":"x"}"#
        let job = Fixtures.job { job in
            job.content.badge = 3
            job.content.data = [JSONMember("match", .object([JSONMember("a", .number(JSONNumber(1)))]))]
            job.content.apns = JSONReader.read(Array(raw.utf8)).value
        }
        #expect(
            Fixtures.payload(job)
                == #"{"aps":{"alert":{"title":"Raw","body":"raw"},"badge":null,"new":[1]},"match":{"a":1,"b":2},"extra":"x"}"#
        )
    }

    @Test func `a Live Activity has its own fields and Apple's own form of alert`() {
        let job = Fixtures.job { job in
            job.delivery.pushType = .liveactivity
            job.content.titleLocKey = "GOAL"
            job.content.titleLocArgs = ["Ana"]
            job.content.body = "1:0"
            job.content.sound = Sound(name: "goal.caf")
            var activity = LiveActivity(
                event: "start",
                contentState: .object([JSONMember("score", .string("1:0"))]),
                timestamp: 1_795_204_500
            )
            activity.staleDate = 1_795_204_600
            activity.dismissalDate = 1_795_204_700
            activity.attributesType = "Match"
            activity.attributes = .object([])
            job.content.liveActivity = activity
        }
        #expect(
            Fixtures.payload(job)
                == #"{"aps":{"alert":{"title":{"loc-key":"GOAL","loc-args":["Ana"]},"body":"1:0","sound":"goal.caf"},"#
                + #""timestamp":1795204500,"event":"start","content-state":{"score":"1:0"},"stale-date":1795204600,"#
                + #""dismissal-date":1795204700,"attributes-type":"Match","attributes":{}}}"#
        )
    }

    @Test(arguments: [PushType.widgets, .controls])
    func `widgets and controls hear that something changed`(pushType: PushType) {
        #expect(Fixtures.payload(Fixtures.bare(pushType)) == #"{"aps":{"content-changed":true}}"#)
    }

    @Test func `a payload without anything of Apple's leaves aps out`() {
        let job = Fixtures.bare(.mdm) { $0.content.data = [JSONMember("mdm", .string("magic"))] }
        #expect(Fixtures.payload(job) == #"{"mdm":"magic"}"#)
        #expect(Fixtures.payload(Fixtures.bare(.location)) == #"{"aps":{}}"#)
    }

    @Test func `every payload of generated contents is read back, and the same job gives the same bytes`() throws {
        for seed: UInt64 in 1...500 {
            var generator = ContentGenerator(seed: seed)
            let job = generator.job()
            let bytes = APNsProvider().compile(job, carriesMessageID: false).payload
            #expect(bytes == APNsProvider().compile(job, carriesMessageID: false).payload)
            let reading = JSONReader.read(bytes, limits: JSONReader.Limits(depthMax: 32))
            #expect(reading.problems.isEmpty, "seed \(seed)")
            let value = try #require(reading.value, "seed \(seed)")
            #expect(JSONWriter.bytes(value) == bytes, "seed \(seed)")
            if let title = job.content.title, job.content.apns == nil, job.delivery.pushType != .liveactivity {
                #expect(value["aps"]?["alert"]?["title"]?.string == title, "seed \(seed)")
            }
            for member in job.content.data where job.content.apns == nil {
                #expect(value[member.name] == member.value, "seed \(seed)")
            }
        }
    }
}
