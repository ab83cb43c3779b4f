import Testing

@testable import Campaigns

/// The limits on a job's expansion in a fleet (`Security.md`): the limit is accepted, one more is refused at its
/// position.
@Suite struct BoundTests {
    private static func job(_ path: [String], _ value: String) -> String {
        JobFixtures.patch(JobFixtures.minimal, path: path, value)
    }

    /// Returns tags of two letters, which look like languages unless they are looked up.
    private static func localizations(_ count: Int) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        let entries = (0..<count).map { "\"\(letters[$0 / 26])\(letters[$0 % 26])\": {\"title\": \"T\"}" }
        return job(["content", "localizations"], "{" + entries.joined(separator: ", ") + "}")
    }

    private static func actions(_ count: Int) -> String {
        let actions = (0..<count).map { "{\"id\": \"b\($0)\", \"url\": \"app://\($0)\"}" }
        return job(
            ["content"],
            "{\"title\": \"T\", \"category\": \"C\", \"actions\": [\(actions.joined(separator: ", "))]}"
        )
    }

    private static func template(_ bytes: Int) -> String {
        let end = "{{ first }}"
        return job(["content", "title"], "\"" + String(repeating: "a", count: bytes - end.utf8.count) + end + "\"")
    }

    /// Returns two texts, each within its limit, but together with more templates than a shard should carry.
    private static func templates(_ bytes: Int) -> String {
        let end = "{{ first }}"
        let texts = [Template.sourceBytesMax, bytes - Template.sourceBytesMax].map {
            "\"" + String(repeating: "a", count: $0 - end.utf8.count) + end + "\""
        }
        return job(["content"], "{\"title\": \(texts[0]), \"body\": \(texts[1])}")
    }

    private static func segment(_ text: String) -> String { job(["audience"], "{\"segment\": \"\(text)\"}") }

    private static func terms(_ count: Int) -> String {
        (0..<count).map { "t\($0)" }.joined(separator: " || ")
    }

    private static func nested(_ depth: Int) -> String {
        String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
    }

    private static func questions(_ count: Int) -> String {
        (0..<count).map { "received(c\($0))" }.joined(separator: " || ")
    }

    private static let both: [Limit] = [
        Limit(
            testDescription: "200 languages",
            within: localizations(Localization.countMax),
            over: localizations(Localization.countMax + 1),
            pointer: "/content/localizations",
            code: .tooMany
        ),
        Limit(
            testDescription: "16 buttons",
            within: actions(ContentDecoder.actionsMax),
            over: actions(ContentDecoder.actionsMax + 1),
            pointer: "/content/actions",
            code: .tooMany
        ),
        Limit(
            testDescription: "4,096 bytes of a segment",
            within: segment("a " + String(repeating: " ", count: Segment.bytesMax - 2)),
            over: segment("a " + String(repeating: " ", count: Segment.bytesMax - 1)),
            pointer: "/audience/segment",
            code: .length
        ),
        Limit(
            testDescription: "100 terms of a segment",
            within: segment(terms(Segment.termsMax)),
            over: segment(terms(Segment.termsMax + 1)),
            pointer: "/audience/segment",
            code: .tooMany
        ),
        Limit(
            testDescription: "16 parentheses",
            within: segment(nested(Segment.depthMax)),
            over: segment(nested(Segment.depthMax + 1)),
            pointer: "/audience/segment",
            code: .tooDeep
        ),
        Limit(
            testDescription: "10 questions",
            within: segment(questions(TrackedQuestion.most)),
            over: segment(questions(TrackedQuestion.most + 1)),
            pointer: "/audience/segment",
            code: .tooMany
        ),
    ]

    @Test(arguments: both) func `the bound itself is within`(_ limit: Limit) {
        let decoding = JobFixtures.decode(limit.within)
        #expect(decoding.problems.map(\.text) == [] && decoding.job != nil)
    }

    @Test(arguments: both) func `one more is refused where it stands`(_ limit: Limit) {
        let decoding = JobFixtures.decode(limit.over)
        #expect(decoding.problems.map { "\($0.pointer) \($0.code)" } == ["\(limit.pointer) \(limit.code.rawValue)"])
        #expect(decoding.job == nil)
    }

    @Test func `templates have bounds, alone and together`() {
        func problems(_ job: String) -> [String] { JobFixtures.decode(job).problems.map { "\($0.pointer) \($0.code)" } }
        #expect(problems(Self.template(Template.sourceBytesMax)).isEmpty)
        #expect(problems(Self.template(Template.sourceBytesMax + 1)) == ["/content/title template"])
        #expect(problems(Self.templates(Templates.bytesMax)).isEmpty)
        #expect(problems(Self.templates(Templates.bytesMax - 1)).isEmpty)
        let over = Self.templates(Templates.bytesMax + 1)
        #expect(problems(over).contains("/content too_large"))
    }

    @Test func `an answer lists a hundred problems and says how many more there are`() {
        func problems(_ count: Int) -> [Problem] {
            let fields = (0..<count).map { "\"field\($0)\": 1" }.joined(separator: ", ")
            return JobFixtures.decode(Self.job(["content"], "{\"title\": \"T\", \(fields)}")).problems
        }
        #expect(problems(ProblemLog.problemsMax).count == ProblemLog.problemsMax)
        let more = problems(ProblemLog.problemsMax + 1)
        #expect(more.count == ProblemLog.problemsMax + 1 && more.last?.code == ProblemCode.moreProblems.rawValue)
        #expect(problems(1000).count == more.count)
    }
}
