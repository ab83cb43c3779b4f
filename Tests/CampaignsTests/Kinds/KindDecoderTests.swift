import Testing

@testable import Campaigns

/// The additional fields of each kind of campaign, and its refusals.
struct KindDecoderTests {
    static func job(_ kind: String, _ content: String, delivery: String = "{}") -> String {
        """
        {"id": "k-1", "app": "news", "kind": "\(kind)", "audience": {"everyone": true}, "content": \(content),
         "delivery": \(delivery)}
        """
    }

    static let announcement = """
        {"title": "Tickets", "announcement": {"format": "html", "title": "Final", "body": "<h1>Final</h1>",
          "action_label": "Buy", "action_url": "https://example.com/t", "exit_label": "Later"}}
        """
    static let poll = """
        {"title": "Who wins?", "poll": {"title": "Derby", "body": "Two questions.", "action_label": "Send",
          "exit_label": "Later", "questions": [
            {"id": "q1", "title": "Who wins?", "choices": [{"id": "a", "title": "Real", "default": true},
              {"id": "b", "title": "Atleti"}]},
            {"id": "q2", "title": "Who scores?", "select": "many", "choices": [{"id": "a", "title": "Vini"}]}]}}
        """
    static let dataPush = #"{"data_push": {"encoding": "base64", "body": "aGk=", "category": "sync"}}"#
    static let native = #"{"apns": {"aps": {"alert": "Hi"}, "own": 1}, "fcm": {"notification": {"title": "Hi"}}}"#
    static let rich = #"{"content_available": true, "rich": {"type": "coupon", "id": "c-81"}}"#
    static let told =
        #"{"content_available": true, "rich": {"type": "coupon", "id": "c-81", "message": "Ten percent"}}"#

    static let good: [(String, String)] = [
        ("announcement", announcement), ("poll", poll), ("data_push", dataPush), ("native", native),
        ("notification", rich), ("notification", told),
    ]

    @Test(arguments: good)
    func `a kind is read with its block, and read again from the ledger as it was`(
        _ kind: String,
        _ content: String
    ) throws {
        let decoding = JobFixtures.decode(Self.job(kind, content))
        #expect(decoding.problems == [] && decoding.warnings == [])
        let job = try #require(decoding.job)
        #expect(job.kind.rawValue == kind)
        let again = try Job(stored: job.storedJSON())
        #expect(again.content == job.content && again.kind == job.kind)
        #expect(again.storedJSON() == job.storedJSON() && again.canonicalJSON() == job.canonicalJSON())
        let blocks = [
            job.content.announcement != nil, job.content.poll != nil, job.content.dataPush != nil,
            job.content.rich != nil,
        ]
        #expect(blocks.count { $0 } == (kind == "native" ? 0 : 1))
    }

    @Test func `every member of a block arrives`() throws {
        let page = try #require(JobFixtures.decode(Self.job("announcement", Self.announcement)).job)
        let announcement = try #require(page.content.announcement)
        #expect(announcement.format == .html && announcement.title == "Final" && announcement.body == "<h1>Final</h1>")
        #expect(announcement.actionLabel == "Buy" && announcement.actionURL == "https://example.com/t")
        #expect(announcement.exitLabel == "Later")
        let poll = try #require(JobFixtures.decode(Self.job("poll", Self.poll)).job?.content.poll)
        #expect(poll.title == "Derby" && poll.body == "Two questions.")
        #expect(poll.actionLabel == "Send" && poll.exitLabel == "Later")
        #expect(poll.questions.map(\.select) == [.one, .many])
        #expect(poll.questions[0].choices.map(\.isDefault) == [true, false])
    }

    @Test func `the kind notification is the one that is left out`() throws {
        let content = #"{"title": "Kick-off"}"#
        let said = try #require(JobFixtures.decode(Self.job("notification", content)).job)
        let silent = JobFixtures.patch(Self.job("notification", content), path: ["kind"], nil)
        #expect(JobFixtures.decode(silent).job?.canonicalJSON() == said.canonicalJSON())
        let page = try #require(JobFixtures.decode(Self.job("announcement", Self.announcement)).job)
        #expect(page.canonicalJSON() != said.canonicalJSON())
    }

    @Test func `what shows nothing is sent in the background without being told`() throws {
        func type(_ kind: String, _ content: String) -> PushType? {
            JobFixtures.decode(Self.job(kind, content)).job?.effectivePushType
        }
        #expect(type("data_push", Self.dataPush) == .background)
        #expect(type("notification", Self.rich) == .background)
        #expect(type("native", #"{"fcm": {"data": {"a": "b"}}}"#) == .background)
        #expect(type("native", #"{"fcm": {"android": {"notification": {"title": "T"}}}}"#) == .alert)
        #expect(type("native", Self.native) == .alert)
        #expect(type("announcement", Self.announcement) == .alert)
        let silent = #"{"content_available": true, "announcement": {"format": "text", "body": "B"}}"#
        #expect(type("announcement", silent) == .background)
        let push = JobFixtures.decode(Self.job("data_push", Self.dataPush)).job
        #expect(push?.effectivePriority == .normal && push?.content.contentAvailable == true)
    }

    @Test(arguments: refusals)
    func `what does not go together is refused with its place`(_ refusal: Refusal) {
        let decoding = JobFixtures.decode(JobFixtures.patch(refusal.job, path: refusal.path, refusal.value))
        #expect(decoding.problems.map { "\($0.pointer) \($0.code)" } == ["\(refusal.pointer) \(refusal.code)"])
    }

    private static let page = job("announcement", announcement)
    private static let questions = job("poll", poll)
    private static let push = job("data_push", dataPush)
    private static let raw = job("native", native)
    private static let block = #"{"format": "text", "body": "B"}"#

    static let refusals: [Refusal] =
        [
            Refusal(of: page, "content/announcement", nil, .required),
            Refusal(of: page, "content/poll", #"{"questions": [\#(question("q"))]}"#, .conflict),
            Refusal(of: page, "content/rich", #"{"type": "a", "id": "b"}"#, .conflict),
            Refusal(of: page, "content/title", nil, .empty, at: "/content"),
            Refusal(of: page, "content/announcement/format", #""markdown""#, .value),
            Refusal(of: page, "content/announcement/body", nil, .required),
            Refusal(of: page, "content/announcement/body", text(262_145), .length),
            Refusal(of: page, "content/announcement/body", #""Hi {{ first }}""#, .templateNotAllowed),
            Refusal(of: page, "content/announcement/title", text(1025), .length),
            Refusal(of: page, "content/announcement/action_label", text(257), .length),
            Refusal(of: page, "content/announcement/action_url", text(2049), .length),
            Refusal(of: page, "content/announcement/exit_lable", #""x""#, .unknownField),
            Refusal(of: questions, "content/poll/questions", "[]", .empty),
            Refusal(of: questions, "content/poll/questions", many(51), .tooMany),
            Refusal(of: questions, "content/poll/questions", "[\(question("q")), \(question("q"))]", .conflict),
            Refusal(of: questions, "content/poll/questions/0/id", #""a b""#, .format),
            Refusal(of: questions, "content/poll/questions/0/choices", "[]", .empty),
            Refusal(of: questions, "content/poll/questions/0/select", #""some""#, .value),
            Refusal(
                of: questions,
                "content/poll/questions/0/choices/1/default",
                "true",
                .conflict,
                at: "/content/poll/questions/0/choices"
            ),
            Refusal(of: push, "content/title", #""Hi""#, .conflict),
            Refusal(of: push, "content/category", #""sync""#, .conflict),
            Refusal(of: push, "content/data_push/body", #""aGk""#, .format),
            Refusal(of: push, "content/data_push/body", #""aGl=""#, .format),
            Refusal(of: push, "content/data_push/body", "7", .type),
            Refusal(of: push, "content/data_push/encoding", #""hex""#, .value),
            Refusal(of: push, "delivery/push_type", #""alert""#, .conflict),
            Refusal(of: push, "delivery/priority", #""high""#, .conflict),
            Refusal(of: raw, "content/title", #""Hi""#, .conflict),
            Refusal(of: raw, "content", "{}", .required, at: "/content/apns"),
            Refusal(of: raw, "content/apns/fanfare", "1", .reserved),
            Refusal("content/announcement", block, .conflict),
            Refusal("content/rich", #"{"type": "coupon"}"#, .required, at: "/content/rich/id"),
            Refusal("content/rich", #"{"type": "coupon", "id": "a/b"}"#, .format, at: "/content/rich/id"),
            Refusal(
                "content/rich",
                #"{"type": "coupon", "id": "a", "message": "{{ b }}"}"#,
                .templateNotAllowed,
                at: "/content/rich/message"
            ),
        ]

    private static func text(_ count: Int) -> String { "\"" + String(repeating: "x", count: count) + "\"" }

    private static func question(_ id: String) -> String {
        #"{"id": "\#(id)", "title": "?", "choices": [{"id": "a", "title": "A"}]}"#
    }

    private static func many(_ count: Int) -> String {
        "[" + (0..<count).map { question("q\($0)") }.joined(separator: ",") + "]"
    }

    @Test func `limits are met to the byte and to the entry`() {
        let body = JobFixtures.patch(Self.page, path: ["content", "announcement", "body"], Self.text(262_144))
        #expect(JobFixtures.decode(body).problems == [])
        let fifty = JobFixtures.patch(Self.questions, path: ["content", "poll", "questions"], Self.many(50))
        #expect(JobFixtures.decode(fifty).problems == [])
        let empty = JobFixtures.patch(Self.push, path: ["content", "data_push", "body"], #""""#)
        #expect(JobFixtures.decode(empty).problems == [])
    }

    @Test func `a badge alone tells nobody of an announcement`() {
        let content = #"{"badge": 1, "announcement": {"format": "text", "body": "B"}}"#
        let found = JobFixtures.decode(Self.job("announcement", content)).problems
        #expect(found.map { "\($0.pointer) \($0.code)" } == ["/content/title required"])
    }
}
