import Campaigns
import Testing

struct TrackingRequestTests {
    private let now = Timestamp(milliseconds: 1_795_204_500_000)
    private let id = "0a1b2c3d-0000-4000-8000-00000000000f"
    private let m = "AAAAAQAAAAIAAAAAAAAAAA"

    private func read(_ events: String) -> TrackingRequest {
        TrackingRequest(Array(#"{"events": [\#(events)]}"#.utf8), now: now)
    }

    private func event(_ more: String, id: String? = nil, at: String = "2026-11-20T19:55:00Z") -> String {
        #"{"id": "\#(id ?? self.id)", "m": "\#(m)", "at": "\#(at)"\#(more)}"#
    }

    private func pointers(_ events: String) -> [String] { read(events).problems.map(\.pointer) }

    @Test func `the contract's event is read as it is written, null and absent alike`() throws {
        let more = #", "type": "actioned", "surface": "content", "action": "LIKE_IDENTIFIER", "reason": null"#
        let request = read(event(more))
        #expect(request.problems.isEmpty)
        let entry = try #require(request.events.first)
        #expect(entry.type == .actioned && entry.surface == .content && entry.detail == "LIKE_IDENTIFIER")
        #expect(entry.messageID == m && entry.at.rfc3339 == "2026-11-20T19:55:00.000Z")
        let plain = try #require(read(event(#", "type": "opened""#)).events.first)
        #expect(plain.surface == .system && plain.detail.isEmpty)
        let dropped = try #require(read(event(#", "type": "dropped", "reason": "NoPresenter""#)).events.first)
        #expect(dropped.detail == "NoPresenter")
    }

    @Test func `every mistake is told with its place, all at once`() {
        let bad = [
            event(#", "type": "seen""#), event(#", "type": "actioned""#),
            event(#", "type": "opened", "action": "LIKE""#), event(#", "type": "opened", "reason": "x""#),
            event(#", "type": "opened", "surface": "sky""#), event(#", "type": "opened", "colour": 1"#),
            event(#", "type": "opened""#, id: "no-uuid"), event(#", "type": "opened""#, at: "yesterday"), "{}",
        ]
        #expect(
            pointers(bad.joined(separator: ",")) == [
                "/events/0/type", "/events/1/action", "/events/2/action", "/events/3/reason", "/events/4/surface",
                "/events/5/colour", "/events/6/id", "/events/7/at", "/events/8/id", "/events/8/m", "/events/8/type",
                "/events/8/at",
            ]
        )
        #expect(pointers("") == ["/events"])
        #expect(TrackingRequest(Array("{}".utf8), now: now).problems.map(\.pointer) == ["/events"])
        #expect(!TrackingRequest(Array("[".utf8), now: now).problems.isEmpty)
    }

    @Test func `more than 500 events or 256 KiB are refused`() {
        func many(_ count: Int) -> String {
            (0..<count).map { event(#", "type": "opened""#, id: "0a1b2c3d-0000-4000-8000-0000000\(10_000 + $0)") }
                .joined(separator: ",")
        }
        let full = read(many(500))
        #expect(full.problems.isEmpty && full.events.count == 500)
        #expect(pointers(many(501)) == ["/events"])
        let long = read(event(#", "type": "dropped", "reason": "\#(String(repeating: "x", count: 300_000))""#))
        #expect(long.problems.map(\.code) == ["too_large"])
        #expect(
            pointers(event(#", "type": "dropped", "reason": "\#(String(repeating: "x", count: 65))""#)) == [
                "/events/0/reason"
            ]
        )
    }

    @Test func `an event's id counts once, in whatever case it is written`() {
        let one = event(#", "type": "opened""#)
        let twice = read(
            [
                one, one.replacing("0a1b2c3d", with: "0A1B2C3D"),
                event(#", "type": "opened""#, id: id.replacing("f", with: "e")),
            ].joined(separator: ",")
        )
        #expect(twice.problems.isEmpty && twice.events.map(\.index) == [0, 2])
    }

    @Test func `a phone's wrong clock is moved to the bound, not refused`() {
        func at(_ text: String) -> Timestamp? { read(event(#", "type": "opened""#, at: text)).events.first?.at }
        #expect(at("2031-01-01T00:00:00Z") == now)
        #expect(at("1970-01-01T00:00:00Z") == now.advanced(by: .zero - TrackingTimes.ageMax))
        let close = now.advanced(by: .seconds(299))
        #expect(at(close.rfc3339) == close)
    }

    @Test func `answers are checked against the poll that was sent`() throws {
        let poll = try #require(
            PollForm(
                job: JSONReader.read(
                    Array(
                        """
                        {"content": {"poll": {"questions": [
                         {"id": "q1", "choices": [{"id": "a"}, {"id": "b"}]},
                         {"id": "q2", "select": "many", "choices": [{"id": "x"}, {"id": "y"}]}]}}}
                        """.utf8
                    )
                ).value ?? .null
            )
        )
        func problems(_ answers: String) -> [String] {
            let body = #"{"m": "\#(m)", "at": "2026-11-20T19:55:00Z", "answers": [\#(answers)]}"#
            let request = PollAnswersRequest(Array(body.utf8), now: now)
            return (request.problems + request.problems(against: poll)).map(\.pointer)
        }
        let good = #"{"question": "q1", "choices": ["a"]}, {"question": "q2", "choices": ["x", "y"]}"#
        #expect(problems(good).isEmpty)
        #expect(problems("") == ["/answers"])
        #expect(problems(#"{"question": "q1", "choices": ["a", "b"]}"#) == ["/answers/0/choices"])
        #expect(problems(#"{"question": "q1", "choices": ["z"]}"#) == ["/answers/0/choices/0"])
        #expect(problems(#"{"question": "q9", "choices": ["a"]}"#) == ["/answers/0/question"])
        #expect(problems(#"{"question": "q1", "choices": []}"#) == ["/answers/0/choices"])
        #expect(problems(#"{"question": "q2", "choices": []}"#).isEmpty)
        #expect(problems(#"{"question": "q2", "choices": ["x", "x"]}"#) == ["/answers/0/choices"])
        #expect(problems(good + "," + good) == ["/answers/2/question", "/answers/3/question"])
    }
}
