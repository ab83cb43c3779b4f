import Campaigns
import Testing

/// Templates and localizations in a job.
struct JobTemplatesTests {
    private func content(_ text: String) -> String {
        JobFixtures.patch(JobFixtures.full, path: ["content"], text)
    }

    @Test func `a variable that no inline device has is a warning at its place, with a default too`() {
        let decoding = JobFixtures.decode(
            content(
                """
                {"title": "{{ frist | default: \\"fan\\" }} {{ age }}", "data": {"x": ["{% if club %}{% endif %}"]},
                 "localizations": {"pt": {"body": "{{ fisrt }}"}}}
                """
            )
        )
        #expect(decoding.problems.isEmpty)
        let warnings = decoding.warnings.filter { $0.code == "unknown_variable" }
        #expect(
            warnings.map(\.pointer) == ["/content/title", "/content/data/x/0", "/content/localizations/pt/body"]
        )
        #expect(warnings.map(\.fix) == ["did you mean first?", nil, "did you mean first?"])
    }

    @Test func `so many templates that every shard would be large are refused`() {
        func data(_ count: Int) -> String {
            let texts = (0..<count).map { _ in "\"{{ a }}" + String(repeating: "x", count: 1016) + "\"" }
            return "{\"list\": [" + texts.joined(separator: ",") + "]}"
        }
        #expect(JobFixtures.decode(content("{\"title\": \"a\", \"data\": \(data(32))}")).problems.isEmpty)
        let large = JobFixtures.decode(content("{\"title\": \"a\", \"data\": \(data(33))}"))
        #expect(large.problems.map { "\($0.pointer) \($0.code)" } == ["/content too_large"])
    }

    @Test func `a localization says what differs, and the rest is the standard content's`() throws {
        let job = try #require(
            JobFixtures.decode(
                content(
                    """
                    {"title": "Hi", "body": "B", "sound": "default", "badge": 3,
                     "localizations": {"pt": {"title": "Oi"}, "de": {"body": "Text", "sound": "de.caf"}}}
                    """
                )
            ).job
        )
        let (pt, de) = (job.localized(0).content, job.localized(1).content)
        #expect(pt.title == "Oi" && pt.body == "B" && pt.sound?.name == "default" && pt.badge == 3)
        #expect(de.title == "Hi" && de.body == "Text" && de.sound?.name == "de.caf")
        #expect(job.localized(nil) == job)
    }

    @Test func `the line and column of a template's error stand in the detail`() throws {
        let decoding = JobFixtures.decode(content(#"{"title": "a\n{{ first | upcas }}"}"#))
        let problem = try #require(decoding.problems.first)
        #expect(
            problem.detail == "line 2, column 12: there is no filter upcas" && problem.fix == "did you mean upcase?"
        )
    }
}
