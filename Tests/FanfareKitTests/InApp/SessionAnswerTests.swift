import Foundation
import Testing

@testable import FanfareKit

/// The messages that the server offers at a session's start.
@Suite struct SessionAnswerTests {
    @Test func `a message is read whole, and one of a later version leaves the others`() throws {
        let text = """
            {"assets": ["https://cdn.example.com/a.jpg"], "messages": [
              {"m": "AAAAAQAAAAIAAAAAAAAAAA", "campaign": "welcome", "type": "modal", "header": "Hi", "message": "There",
               "image_url": "https://cdn.example.com/a.jpg", "orientation": "portrait", "duration": 7.5,
               "buttons": [{"id": "ok", "label": "OK", "url": "app://ok"}, {"id": "no"}],
               "assets": ["https://cdn.example.com/b.zip"], "extras": {"team": "atleti"}, "priority": 3,
               "triggers": [{"on": "custom_event", "name": "goal", "where": [{"property": "n", "op": "greater", "value": 2}]},
                            {"on": "shake"}],
               "starts_at": "2026-11-20T20:50:00Z", "ends_at": "2026-11-21T20:50:00.5Z", "delay": 2, "timeout": 60,
               "repeat_after": 3600},
              {"campaign": "later", "type": "hologram", "triggers": [{"on": "session_start"}]},
              {"campaign": "odd", "type": "full", "triggers": [{"on": "session_start", "where": [{"property": "x", "op": "~"}]}]},
              7,
              {"campaign": "bare", "type": "full", "triggers": [{"on": "session_start"}]}]}
            """
        let messages = try SessionAnswer(Data(text.utf8)).messages
        #expect(messages.map(\.id) == ["welcome", "bare"])
        let first = try #require(messages.first)
        #expect(first.messageID == "AAAAAQAAAAIAAAAAAAAAAA" && first.layout == .modal && first.header == "Hi")
        #expect(first.allAssets.map(\.lastPathComponent) == ["a.jpg", "b.zip"] && first.orientation == .portrait)
        #expect(first.duration == 7.5 && first.buttons == [.init(id: "ok", label: "OK", link: "app://ok")])
        #expect(
            first.triggers == [
                Trigger(.customEvent, name: "goal", filters: [PropertyFilter("n", .greater, .number(2))])
            ]
        )
        #expect(first.priority == 3 && first.delay == 2 && first.timeout == 60 && first.repeatAfter == 3600)
        #expect(
            first.startsAt == InstantText.date("2026-11-20T20:50:00Z") && first.extras == ["team": .string("atleti")]
        )
        #expect(messages[1].triggers == [Trigger(.sessionStart)] && messages[1].repeatAfter == nil)
    }

    @Test(arguments: ["", "[]", "{}", #"{"messages": 1}"#]) func `what is no answer is an error`(text: String) {
        #expect(throws: (any Error).self) { try SessionAnswer(Data(text.utf8)) }
    }
}
