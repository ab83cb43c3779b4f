import Campaigns
import Testing

@Suite("In-app jobs")
struct InAppDecodingTests {
    /// An in-app campaign with every field.
    static let full = """
        {"id": "welcome-1", "app": "news", "kind": "in_app", "name": "Welcome", "audience": {"list": "sport@3"},
         "content": {
           "in_app": {"type": "modal", "header": "Hello", "message": "Two tickets are left.",
             "image_url": "https://cdn.example.com/a.jpg", "image_only": false, "orientation": "portrait",
             "duration": 7.5, "buttons": [{"id": "buy", "label": "Buy", "url": "app://buy"}, {"id": "no", "label": "No"}],
             "assets": ["https://cdn.example.com/b.css"], "extras": {"deep": {"list": [1, "x", null]}}},
           "localizations": {"es": {"title": "Hola", "body": "Quedan dos.", "media_url": "https://cdn.example.com/es.jpg"}}},
         "delivery": {"hold": true, "in_app": {
           "triggers": [
             {"on": "session_start"},
             {"on": "custom_event", "name": "match_opened", "where": [
               {"property": "league", "op": "equal", "value": "laliga"}, {"property": "minute", "op": "greater", "value": 80},
               {"property": "vip", "op": "exists"}, {"property": "team", "op": "regex", "value": "^(real|atleti)$"},
               {"property": "muted", "op": "not", "value": true}, {"property": "age", "op": "less", "value": 99.5}]},
             {"on": "any_purchase"}, {"on": "specific_purchase", "name": "ticket"}, {"on": "push_click", "name": "derby"}],
           "priority": 20, "starts_at": "2026-11-21T00:00:00Z", "ends_at": "2026-12-01T00:00:00Z",
           "delay": 2, "timeout": 60, "repeat_after": 86400}}}
        """

    private static let minimal = """
        {"id": "hi", "app": "news", "kind": "in_app", "audience": {"everyone": true},
         "content": {"in_app": {"type": "slideup", "message": "Hi"}},
         "delivery": {"in_app": {"triggers": [{"on": "session_start"}]}}}
        """

    @Test func `a whole job is read, and is the same after the ledger kept it`() throws {
        let decoding = JobFixtures.decode(Self.full)
        #expect(decoding.problems.isEmpty && decoding.warnings.isEmpty, "\(decoding.problems)")
        let job = try #require(decoding.job)
        #expect(job.kind == .inApp && job.delivery.hold)
        let message = try #require(job.content.inApp)
        #expect(message.layout == .modal && message.buttons.count == 2 && message.duration?.text == "7.5")
        let delivery = try #require(job.delivery.inApp)
        #expect(delivery.triggers.map(\.event) == InAppTrigger.Event.allCases)
        #expect(delivery.triggers[1].filters.map(\.comparison) == [.equal, .greater, .exists, .regex, .not, .less])
        #expect(delivery.triggers[1].filters[2].value == true)
        #expect(delivery.priority == 20 && delivery.repeatAfter == 86_400)
        #expect(try Job(stored: job.storedJSON()) == job)
        #expect(job.expiresAt(acceptedAt: JobFixtures.now) == delivery.endsAt)
    }

    @Test func `a full message without an image is taken with a warning, for phones discard it`() {
        func warned(_ members: String) -> [String] {
            let message = #"{"type": "slideup", "message": "Hi"}"#
            let decoding = JobFixtures.decode(Self.minimal.replacing(message, with: "{\(members)}"))
            #expect(decoding.job != nil, "\(decoding.problems)")
            return decoding.warnings.map { "\($0.pointer) \($0.code)" }
        }
        let image = #", "image_url": "https://cdn.example.com/a.jpg""#
        #expect(warned(#""type": "full", "header": "Hi""#) == ["/content/in_app/image_url unusual"])
        #expect(warned(#""type": "full", "header": "Hi""# + image) == [])
        #expect(warned(#""type": "modal", "header": "Hi""#) == [])
    }

    @Test func `what follows from leaving it out may be spelt out`() throws {
        let spelt = """
            {"id": "hi", "app": "news", "kind": "in_app", "audience": {"everyone": true},
             "content": {"in_app": {"type": "slideup", "message": "Hi", "image_only": false, "buttons": [], "assets": [],
               "extras": {}}, "data": {}, "content_available": false},
             "delivery": {"urgency": "bulk", "priority": "high", "in_app": {"triggers": [{"on": "session_start", "where": []}],
               "priority": 0, "delay": 0}}}
            """
        let decoding = JobFixtures.decode(spelt)
        #expect(decoding.problems.isEmpty, "\(decoding.problems)")
        #expect(decoding.job?.canonicalJSON() == JobFixtures.decode(Self.minimal).job?.canonicalJSON())
        #expect(decoding.job?.canonicalJSON() != nil)
    }

    @Test func `another language gives header, message and image`() throws {
        let job = try #require(JobFixtures.decode(Self.full).job)
        let spanish = try #require(job.inAppMessage(for: "es-MX"))
        #expect(spanish.header == "Hola" && spanish.message == "Quedan dos.")
        #expect(spanish.addresses == ["https://cdn.example.com/es.jpg", "https://cdn.example.com/b.css"])
        #expect(job.inAppMessage(for: "de") == job.content.inApp)
        #expect(job.inAppMessage(for: nil) == job.content.inApp)
    }

    @Test(arguments: content + delivery + elsewhere)
    func `what is wrong is refused at its place`(_ refusal: Refusal) {
        let decoding = JobFixtures.decode(JobFixtures.patch(refusal.job, path: refusal.path, refusal.value))
        let found = decoding.problems.map { "\($0.pointer) \($0.code)" }
        #expect(found == ["\(refusal.pointer) \(refusal.code)"])
        #expect(decoding.job == nil)
    }

    private static func message(_ fields: String, _ code: ProblemCode, _ name: String) -> Refusal {
        Refusal(of: minimal, "content/in_app", "{\(fields)}", code, at: "/content/in_app/\(name)")
    }

    private static let content: [Refusal] = [
        Refusal(of: minimal, "content/in_app", nil, .required),
        Refusal(of: minimal, "content/in_app", "7", .type),
        Refusal(of: minimal, "content/title", "\"Hi\"", .conflict),
        Refusal(of: minimal, "content/badge", "1", .conflict),
        message(#""message": "Hi""#, .required, "type"),
        message(#""type": "banner", "message": "Hi""#, .value, "type"),
        message(#""type": "slideup""#, .required, "message"),
        message(#""type": "slideup", "message": "Hi", "header": "H""#, .conflict, "header"),
        message(#""type": "slideup", "message": "Hi", "buttons": [{"id": "a", "label": "A"}]"#, .conflict, "buttons"),
        message(#""type": "slideup", "message": "Hi {{ first }}""#, .templateNotAllowed, "message"),
        message(#""type": "slideup", "message": "\#(String(repeating: "a", count: 4097))""#, .length, "message"),
        message(#""type": "modal""#, .required, "message"),
        message(#""type": "modal", "image_only": true"#, .required, "image_url"),
        message(
            #""type": "modal", "image_only": true, "image_url": "https://a/b", "header": "H""#,
            .conflict,
            "header"
        ),
        message(#""type": "modal", "header": "H", "position": "top""#, .conflict, "position"),
        message(#""type": "modal", "header": "H", "image_url": "http://a/b""#, .format, "image_url"),
        message(#""type": "modal", "header": "H", "assets": ["ftp://a"]"#, .format, "assets/0"),
        message(#""type": "modal", "header": "H", "duration": 0"#, .range, "duration"),
        message(
            #""type": "modal", "header": "H", "buttons": [{"id": "a", "label": "A"}, {"id": "a", "label": "B"}]"#,
            .conflict,
            "buttons/1/id"
        ),
        message(#""type": "modal", "header": "H", "buttons": [{"id": "a"}]"#, .required, "buttons/0/label"),
        message(#""type": "modal", "header": "H", "buttons": [{}, {}, {}]"#, .tooMany, "buttons"),
        message(#""type": "modal", "header": "H", "extras": {"a": "\#(big)"}"#, .tooLarge, "extras"),
        message(#""type": "html""#, .required, "message"),
        message(#""type": "html", "message": "<p>Hi", "image_url": "https://a/b""#, .conflict, "image_url"),
        Refusal(
            of: minimal,
            "content/localizations",
            #"{"es": {"subtitle": "S"}}"#,
            .conflict,
            at: "/content/localizations/es"
        ),
        Refusal(
            of: minimal,
            "content/localizations",
            #"{"es": {"title": "T"}}"#,
            .conflict,
            at: "/content/localizations/es/title"
        ),
        Refusal(
            of: minimal,
            "content/localizations",
            #"{"es": {"body": "{{ a }}"}}"#,
            .templateNotAllowed,
            at: "/content/localizations/es/body"
        ),
    ]

    private static let big = String(repeating: "x", count: 4096)

    private static func trigger(_ fields: String, _ code: ProblemCode, _ name: String) -> Refusal {
        Refusal(
            of: minimal,
            "delivery/in_app/triggers",
            "[{\(fields)}]",
            code,
            at: "/delivery/in_app/triggers/0\(name)"
        )
    }

    private static func filter(_ fields: String, _ code: ProblemCode, _ name: String) -> Refusal {
        trigger(#""on": "custom_event", "name": "e", "where": [{\#(fields)}]"#, code, "/where/0\(name)")
    }

    private static let delivery: [Refusal] = [
        Refusal(of: minimal, "delivery", "{}", .required, at: "/delivery/in_app"),
        Refusal(of: minimal, "delivery/in_app", "{}", .required, at: "/delivery/in_app/triggers"),
        Refusal(of: minimal, "delivery/in_app/triggers", "[]", .empty),
        Refusal(of: minimal, "delivery/in_app/triggers", "[\(manyTriggers)]", .tooMany),
        Refusal(of: minimal, "delivery/in_app/priority", "1001", .range),
        Refusal(of: minimal, "delivery/in_app/repeat_after", "0.5", .range),
        Refusal(of: minimal, "delivery/in_app/timeout", "-1", .range),
        Refusal(of: minimal, "delivery/in_app/starts_at", "\"2026-11-21T00:00:00\"", .format),
        Refusal(of: minimal, "delivery/in_app/ends_at", "\"2026-11-20T19:55:00Z\"", .expired),
        Refusal(
            of: full,
            "delivery/in_app/ends_at",
            "\"2026-11-21T00:00:00Z\"",
            .conflict
        ),
        Refusal(of: full, "delivery/in_app/timeout", "2", .conflict),
        trigger(#""on": "custom_event""#, .required, "/name"),
        trigger(#""on": "specific_purchase""#, .required, "/name"),
        trigger(#""on": "session_start", "name": "a""#, .conflict, "/name"),
        trigger(#""on": "push_click", "where": [{"property": "a", "op": "exists"}]"#, .conflict, "/where"),
        trigger(#""on": "sesion_start""#, .value, "/on"),
        filter(#""op": "exists""#, .required, "/property"),
        filter(#""property": "a""#, .required, "/op"),
        filter(#""property": "a", "op": "equals", "value": 1"#, .value, "/op"),
        filter(#""property": "a", "op": "equal""#, .required, "/value"),
        filter(#""property": "a", "op": "equal", "value": [1]"#, .type, "/value"),
        filter(#""property": "a", "op": "greater", "value": "1""#, .type, "/value"),
        filter(#""property": "a", "op": "exists", "value": 1"#, .type, "/value"),
        filter(#""property": "a", "op": "regex", "value": "(a""#, .format, "/value"),
        filter(#""property": "a", "op": "regex", "value": "[a""#, .format, "/value"),
        filter(#""property": "a", "op": "regex", "value": "a\\""#, .format, "/value"),
    ]

    private static let manyTriggers = Array(repeating: #"{"on": "session_start"}"#, count: 17).joined(separator: ",")

    private static let elsewhere: [Refusal] = [
        Refusal(of: minimal, "delivery/collapse_id", "\"a\"", .conflict),
        Refusal(of: minimal, "delivery/send_at", "\"2026-11-21T00:00:00Z\"", .conflict),
        Refusal(of: minimal, "delivery/expires_at", "\"2026-11-21T00:00:00Z\"", .conflict),
        Refusal(of: minimal, "delivery/urgency", "\"urgent\"", .conflict),
        Refusal(of: minimal, "audience/at_most", "5", .conflict),
        Refusal(
            of: minimal,
            "audience",
            "{\"segment\": \"sport && !opened(derby)\"}",
            .conflict,
            at: "/audience/segment"
        ),
        Refusal(
            "delivery/in_app",
            #"{"triggers": [{"on": "session_start"}]}"#,
            .conflict
        ),
        Refusal("content/in_app", #"{"type": "slideup", "message": "Hi"}"#, .conflict),
    ]

    @Test(arguments: ["a", "[]]", "[^]]x", "(a|b)*", #"\("#, "[(]", #"\[\\"#, "a{2,3}"])
    func `a regular expression with complete brackets is taken`(_ text: String) {
        let escaped = JSONValue.string(text).text
        let value =
            #"[{"on": "custom_event", "name": "e", "where": [{"property": "p", "op": "regex", "value": \#(escaped)}]}]"#
        let job = JobFixtures.patch(Self.minimal, path: ["delivery", "in_app", "triggers"], value)
        #expect(JobFixtures.decode(job).problems.isEmpty)
    }
}
