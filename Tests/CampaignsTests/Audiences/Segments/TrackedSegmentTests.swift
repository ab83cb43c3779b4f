import Campaigns
import Testing

struct TrackedSegmentTests {
    private func matches(_ segment: Segment, _ answers: [Bool], tags: [String] = []) -> Bool {
        DeviceTraits(provider: .apns, tags: tags).packed().withUnsafeBytes { bytes in
            PackedTraits(bytes).map { segment.matches($0) { answers[$0] } } ?? false
        }
    }

    @Test func `a question about another campaign stands among the others`() throws {
        let segment = try Segment("sport && !opened(derby, since: 7d)")
        #expect(segment.questions.count == 1)
        #expect(segment.questions.first?.deed == .type(.opened) && segment.questions.first?.campaign == "derby")
        #expect(segment.questions.first?.since == .ago(seconds: 7 * 86_400))
        #expect(matches(segment, [false], tags: ["sport"]) && !matches(segment, [true], tags: ["sport"]))
        #expect(!matches(segment, [false]))
    }

    @Test func `questions that are alike are one, in whatever spelling`() throws {
        let segment = try Segment("opened(derby,since:24h) || (opened( derby , since: 1d ) && answered(vote-1))")
        #expect(segment.text == "answered(vote-1) && opened(derby, since: 1d) || opened(derby, since: 1d)")
        #expect(segment.questions.count == 2)
        #expect(try Segment(segment.text) == segment)
        let other = try Segment("actioned(derby@2026-11-20T21:00:00Z, action: LIKE, since: 2026-11-20T00:00:00Z)")
        #expect(try Segment(other.text) == other)
        #expect(other.questions.first?.action == "LIKE")
        #expect(other.questions.first?.campaign == "derby@2026-11-20T21:00:00Z")
    }

    @Test func `a word of tracking without a parenthesis is a tag as ever`() throws {
        #expect(try Segment("opened && !received").questions.isEmpty)
        #expect(try Segment("\"opened\"").text == "opened")
    }

    @Test(arguments: [
        ("opened()", 8), ("opened(derby", 13), ("opened(derby,)", 14), ("opened(derby, until: 7d)", 22),
        ("opened(derby, since: soon)", 22), ("opened(derby, since: 0d)", 22), ("opened(derby, action: LIKE)", 23),
        ("opened(der/by)", 8), ("opened(derby) derby", 15), ("opened(derby, since:)", 21),
    ])
    func `what cannot be read is told with its column`(text: String, column: Int) {
        let problem = #expect(throws: SegmentProblem.self) { try Segment(text) }
        #expect(problem?.column == column, "\(String(describing: problem))")
    }

    @Test func `more than ten questions are refused`() throws {
        func text(_ count: Int) -> String { (0..<count).map { "opened(c\($0))" }.joined(separator: " || ") }
        #expect(try Segment(text(10)).questions.count == 10)
        let problem = #expect(throws: SegmentProblem.self) { try Segment(text(11)) }
        #expect(problem?.code == .tooMany)
    }
}
