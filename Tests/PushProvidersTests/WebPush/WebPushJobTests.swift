import Campaigns
import Testing

@testable import PushProviders

@Suite struct WebPushJobTests {
    private static func payload(_ job: Job, carriesMessageID: Bool = false) -> String {
        let segments = WebPushPayload.segments(job, carriesMessageID: carriesMessageID)
        return String(decoding: segments.flatMap(\.bytes), as: UTF8.self)
    }

    @Test func `a title alone is shown in silence, under the campaign's own tag`() {
        let tag = DefaultCollapseID.make(app: "news", id: "derby-2026")
        #expect(Self.payload(Fixtures.job()) == #"{"notification":{"title":"Kick-off","tag":"\#(tag)","silent":true}}"#)
    }

    @Test func `every field of content has its place`() throws {
        let job = Fixtures.job { job in
            job.content.subtitle = "Liga"
            job.content.body = "It \"begins\""
            job.content.mediaURL = "https://cdn.example/a.jpg"
            job.content.url = "https://news.example/7"
            job.content.sound = Sound(name: "whistle")
            job.content.interruptionLevel = "critical"
            job.content.category = "LIKE"
            job.content.threadID = "derby"
            job.content.locKey = "GOAL"
            job.content.locArgs = ["Ana", "7"]
            job.content.badge = 3
            job.content.data = [JSONMember("match", 7), JSONMember("nested", .object(["a": "b"]))]
            job.delivery.collapseID = "score"
        }
        #expect(
            Self.payload(job)
                == #"{"notification":{"title":"Kick-off","body":"It \"begins\"","image":"https://cdn.example/a.jpg","#
                + #""tag":"score","renotify":true,"requireInteraction":true,"subtitle":"Liga","loc_key":"GOAL","#
                + #""loc_args":["Ana","7"],"category":"LIKE","sound":"whistle","thread_id":"derby"},"#
                + #""data":{"match":7,"nested":{"a":"b"}},"url":"https://news.example/7","badge":3}"#
        )
        #expect(JSONReader.read(Array(Self.payload(job, carriesMessageID: true).utf8)).problems.isEmpty)
        #expect(Self.payload(job, carriesMessageID: true).contains(#""fanfare":{"v":1,"c":"derby-2026","m":"---"#))
    }

    @Test func `templates are where content allows them, and a counted badge may be left out with its comma`() {
        let job = Fixtures.job { job in
            job.content.title = "Hello {{ name }}"
            job.content.badgeTemplate = "{{ count }}"
        }
        let segments = WebPushPayload.segments(job, carriesMessageID: false)
        #expect(segments.contains(.template("Hello {{ name }}", .text)))
        #expect(segments.suffix(2).first == .template("{{ count }}", .badge))
        #expect(segments.last == .constant(Array("}".utf8)))
    }

    @Test func `push types of Apple alone are refused, and silent ones are warned of`() {
        #expect(WebPushRules.check(Fixtures.job(), carriesMessageID: true) == JobCheck())
        let voip = WebPushRules.check(Fixtures.bare(.voip), carriesMessageID: false)
        #expect(voip.problems.map(\.pointer) == ["/delivery/push_type"])
        let silent = WebPushRules.check(
            Fixtures.bare(nil) { $0.content.contentAvailable = true },
            carriesMessageID: false
        )
        #expect(silent.problems.isEmpty)
        #expect(silent.warnings.map(\.pointer) == ["/delivery/push_type"])
        let template = WebPushRules.check(
            Fixtures.job { $0.delivery.collapseID = "a-{{ b }}" },
            carriesMessageID: false
        )
        #expect(template.warnings.map(\.pointer) == ["/delivery/collapse_id"])
    }

    @Test func `3993 bytes are taken and one more is not`() {
        let base = Self.payload(Fixtures.job { $0.content.body = "" }).utf8.count
        let room = WebPushRules.payloadBytesMax - base
        let full = Fixtures.job { $0.content.body = String(repeating: "a", count: room) }
        #expect(WebPushRules.check(full, carriesMessageID: false).problems.isEmpty)
        let over = Fixtures.job { $0.content.body = String(repeating: "a", count: room + 1) }
        let problems = WebPushRules.check(over, carriesMessageID: false).problems
        #expect(problems.map(\.code) == [ProblemCode.payloadTooLarge.rawValue])
        #expect(problems.first?.detail.contains("3,994") == true)
    }
}
