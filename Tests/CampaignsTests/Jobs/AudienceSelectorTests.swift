import Campaigns
import Testing

@Suite("Selectors of audiences")
struct AudienceSelectorTests {
    private func decode(_ audience: String) -> JobDecoding {
        JobFixtures.decode(JobFixtures.job("audience", audience))
    }

    @Test func `each selector is read, and so is who is left out`() throws {
        let job = try #require(
            decode("{\"segment\": \"b && a\", \"exclude\": {\"list\": \"gone@3\"}, \"at_most\": 5}").job
        )
        #expect(job.audience == .segment(try Segment("a && b")))
        #expect(job.exclude == .list(name: "gone", version: "3") && job.atMost == 5)
        #expect(decode("{\"users\": [\"u1\", \"u2\"]}").job?.audience == .users(["u1", "u2"]))
        #expect(decode("{\"everyone\": true}").job?.audience == .everyone)
        let listed = try #require(decode("{\"list\": \"sport\", \"exclude\": {\"users\": [\"u\"]}}").job)
        #expect(listed.exclude == .users(["u"]) && listed.isFrozenFirst)
        #expect(decode("{\"list\": \"sport\"}").job?.isFrozenFirst == false)
        #expect(decode("{\"list\": \"sport\", \"at_most\": 3}").job?.isFrozenFirst == false)
    }

    @Test func `an upload is the version of a list, part of what the job is, and not stored with it`() throws {
        let job = try #require(decode("{\"list\": \"sport\", \"upload\": \"up-1\"}").job)
        #expect(job.audience == .list(name: "sport", version: nil) && job.upload == "up-1" && job.isFrozenFirst)
        let other = try #require(decode("{\"list\": \"sport\", \"upload\": \"up-2\"}").job)
        #expect(job.canonicalJSON() != other.canonicalJSON())
        // An earlier version plans the campaign, and does not know the field.
        var stored = try Job(stored: job.storedJSON())
        #expect(stored.upload == nil)
        stored.upload = "up-1"
        #expect(stored == job)
    }

    @Test func `two spellings of a segment are the same job, and another one is not`() {
        func identity(_ segment: String) -> [UInt8]? {
            decode("{\"segment\": \"\(segment)\"}").job?.canonicalJSON()
        }
        #expect(identity("a && b") == identity("(b) && a"))
        #expect(identity("a && b") != identity("a || b"))
    }

    @Test(arguments: [
        "{\"segment\": \"a && !b\"}", "{\"users\": [\"u\"]}", "{\"everyone\": true, \"at_most\": 10}",
        "{\"list\": \"l\", \"exclude\": {\"segment\": \"a\"}}",
    ])
    func `what is stored is read as it was`(audience: String) throws {
        let job = try #require(decode(audience).job)
        let stored = try Job(stored: job.storedJSON())
        #expect(stored == job)
    }

    @Test(arguments: [
        ("{\"segment\": \"a &\"}", "/audience/segment", "syntax"), ("{\"segment\": 5}", "/audience/segment", "type"),
        ("{\"segment\": \"\"}", "/audience/segment", "empty"), ("{\"users\": []}", "/audience/users", "empty"),
        ("{\"users\": [5]}", "/audience/users/0", "type"), ("{\"users\": [\"\"]}", "/audience/users/0", "empty"),
        ("{\"everyone\": false}", "/audience", "empty"), ("{\"everyone\": 1}", "/audience/everyone", "type"),
        ("{\"everyone\": true, \"list\": \"l\"}", "/audience", "conflict"),
        ("{\"list\": \"l\", \"exclude\": {}}", "/audience/exclude", "empty"),
        ("{\"list\": \"l\", \"exclude\": {\"everyone\": true}}", "/audience/exclude/everyone", "conflict"),
        ("{\"list\": \"l\", \"exclude\": {\"at_most\": 3}}", "/audience/exclude/at_most", "unknown_field"),
        ("{\"list\": \"l\", \"exclude\": {\"segment\": \"a b\"}}", "/audience/exclude/segment", "syntax"),
        ("{\"list\": \"l\", \"at_most\": 0}", "/audience/at_most", "range"),
        ("{\"list\": \"l@3\", \"upload\": \"u\"}", "/audience/upload", "conflict"),
        ("{\"everyone\": true, \"upload\": \"u\"}", "/audience/upload", "conflict"),
        ("{\"list\": \"l\", \"upload\": \"a b\"}", "/audience/upload", "format"),
        ("{\"list\": \"l\", \"exclude\": {\"upload\": \"u\"}}", "/audience/exclude/upload", "unknown_field"),
    ])
    func `what names nobody, or cannot be read, is refused with its place`(
        audience: String,
        pointer: String,
        code: String
    ) {
        let decoding = decode(audience)
        #expect(decoding.job == nil)
        #expect(decoding.problems.contains { $0.pointer == pointer && $0.code == code }, "\(decoding.problems)")
    }

    @Test func `a mistake in a segment is told with its column`() {
        let problem = decode("{\"segment\": \"sport and b\"}").problems.first
        #expect(problem?.detail.hasPrefix("column 7: ") == true && problem?.fix?.contains("&&") == true)
    }
}
