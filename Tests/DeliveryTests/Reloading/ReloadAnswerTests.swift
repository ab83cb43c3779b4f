import Campaigns
import Delivery
import Testing

/// A worker's answer to a reload order.
@Suite struct ReloadAnswerTests {
    @Test func `an answer is read as it was written, and what a later version adds is passed over`() throws {
        var answer = ReloadAnswer(to: 7, at: Fixtures.now, unchanged: 3, isStart: true)
        (answer.new, answer.changed) = (["cup"], ["news", "shop"])
        (answer.gone, answer.needRestart) = (["old (fcm)"], ["amqp.url"])
        answer.refuse([
            ReloadAnswer.Refusal(key: "apps.cup.apns.key_file", reason: "no such file", fix: "put it there"),
            ReloadAnswer.Refusal(key: "", reason: "the file is no YAML", fix: nil),
        ])
        #expect(ReloadAnswer(try #require(JSONReader.read(Array(answer.json.text.utf8)).value)) == answer)
        let later = #"{"order": 2, "at": "1970-01-01T00:00:05Z", "later": [1], "new": [7], "refused": [{"key": "x"}]}"#
        let read = ReloadAnswer(try #require(JSONReader.read(Array(later.utf8)).value))
        #expect(read == ReloadAnswer(to: 2, at: Timestamp(milliseconds: 5000), unchanged: 0))
        #expect(ReloadAnswer(.string("?")) == nil)
    }

    @Test(
        arguments: [
            ("apps.cup.apns.key_file", "cup"), ("apps.cup", "cup"), ("apps", nil), ("worker.loops", nil), ("", nil),
        ] as [(String, String?)]
    )
    func `a refusal names the app whose key it is`(key: String, app: String?) {
        #expect(ReloadAnswer.Refusal(key: key, reason: "so", fix: nil).app == app)
    }

    @Test func `a broken file has only so many refusals kept`() {
        var answer = ReloadAnswer(to: 1, at: Fixtures.now, unchanged: 0)
        let refusals = (1...20).map { ReloadAnswer.Refusal(key: "apps.a\($0)", reason: "so", fix: nil) }
        answer.refuse(Array(refusals.prefix(10)))
        answer.refuse(Array(refusals.dropFirst(10)))
        #expect(answer.refusals == Array(refusals.prefix(ReloadAnswer.refusalsMax)))
    }

    @Test func `an answer says what is new, what has changed, and what a person has to do`() {
        var answer = ReloadAnswer(to: 1, at: Fixtures.now, unchanged: 2)
        #expect(answer.text == "apps as before: 2")
        (answer.new, answer.gone, answer.needRestart) = (["cup"], ["old (apns)"], ["amqp.url"])
        #expect(
            answer.text
                == "new: cup; apps as before: 2; gone: old (apns); only a restart takes: amqp.url"
        )
        var refusing = ReloadAnswer(to: 1, at: Fixtures.now, unchanged: 2)
        refusing.refuse([ReloadAnswer.Refusal(key: "apps.cup", reason: "no key", fix: "add one")])
        #expect(refusing.text == "apps.cup: no key; add one")
        // A mistake of the configuration keeps no app from being taken over.
        refusing.new = ["shop"]
        #expect(refusing.text == "apps.cup: no key; add one; new: shop; apps as before: 2")
    }
}
