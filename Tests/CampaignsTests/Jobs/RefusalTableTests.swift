import Campaigns
import Testing

/// A rule of the contract: a change to a valid job, and the expected problem.
struct Refusal: Sendable, CustomTestStringConvertible {
    let job: String
    let path: [String]
    let value: String?
    let pointer: String
    let code: String

    init(
        of job: String = JobFixtures.minimal,
        _ path: String,
        _ value: String?,
        _ code: ProblemCode,
        at: String? = nil
    ) {
        self.job = job
        self.path = path.split(separator: "/").map(String.init)
        self.value = value
        pointer = at ?? "/" + path
        self.code = code.rawValue
    }

    var testDescription: String { "\(path.joined(separator: "/")) = \(value?.prefix(60) ?? "absent") → \(code)" }
}

@Suite("Refusals")
struct RefusalTableTests {
    @Test(arguments: identity + audience + devices)
    func `C8, C9: identity and audience are checked`(_ refusal: Refusal) { check(refusal) }

    @Test(arguments: content)
    func `content is checked`(_ refusal: Refusal) { check(refusal) }

    @Test(arguments: delivery)
    func `C2: delivery is checked`(_ refusal: Refusal) { check(refusal) }

    @Test(arguments: pushTypes)
    func `push types have their rules`(_ refusal: Refusal) { check(refusal) }

    @Test(arguments: templates)
    func `templates are compiled at intake, wherever they may stand`(_ refusal: Refusal) { check(refusal) }

    private func check(_ refusal: Refusal) {
        let decoding = JobFixtures.decode(JobFixtures.patch(refusal.job, path: refusal.path, refusal.value))
        let found = decoding.problems.map { "\($0.pointer) \($0.code)" }
        #expect(found == ["\(refusal.pointer) \(refusal.code)"])
        #expect(decoding.job == nil)
    }

    static let identity: [Refusal] = [
        Refusal("id", nil, .required), Refusal("id", "\"\"", .empty), Refusal("id", "7", .type),
        Refusal("id", "\"a b\"", .format), Refusal("id", "\"\(String(repeating: "a", count: 129))\"", .format),
        Refusal("id", "\"é\"", .format), Refusal("id", "null", .type),
        Refusal("app", nil, .required), Refusal("app", "\"a b\"", .format), Refusal("app", "{}", .type),
        Refusal("kind", "\"notificaton\"", .value), Refusal("kind", "5", .type),
        Refusal("created_at", "\"2026-11-20T20:00:01Z\"", .tooFarAhead),
        Refusal("created_at", "\"2026-11-20T19:00:00\"", .format), Refusal("created_at", "\"yesterday\"", .format),
        Refusal("created_at", "1795204500", .type),
        Refusal("name", "\"\"", .empty), Refusal("name", "5", .type),
        Refusal("tags", "\"sport\"", .type), Refusal("tags", "[1]", .type, at: "/tags/0"),
        Refusal("tags", "[\"a\", \"\"]", .empty, at: "/tags/1"),
        Refusal("tags", "[\(Array(repeating: "\"t\"", count: 21).joined(separator: ","))]", .tooMany),
        Refusal("metadata", "[]", .type), Refusal("metadata", "{\"run\": 5}", .type, at: "/metadata/run"),
        Refusal("metadata", "{\((0..<21).map { "\"k\($0)\": \"v\"" }.joined(separator: ","))}", .tooMany),
        Refusal("Id", "\"a\"", .unknownField), Refusal("ttl", "5", .unknownField),
        Refusal("a/b", "1", .unknownField, at: "/a"),
    ]

    static let audience: [Refusal] = [
        Refusal("audience", nil, .required), Refusal("audience", "[]", .type), Refusal("audience", "{}", .empty),
        Refusal("audience", "{\"everyone\": false}", .empty),
        Refusal("audience/list", "\"a\"", .conflict, at: "/audience"),
        Refusal("audience/devices", "[]", .empty), Refusal("audience/devices", "{}", .type),
        Refusal("audience", "{\"list\": \"\"}", .empty, at: "/audience/list"),
        Refusal("audience", "{\"list\": \"a b\"}", .format, at: "/audience/list"),
        Refusal("audience", "{\"list\": \"a@\"}", .format, at: "/audience/list"),
        Refusal("audience", "{\"list\": \"@3\"}", .format, at: "/audience/list"),
        Refusal("audience", "{\"list\": \"a@b@c\"}", .format, at: "/audience/list"),
        Refusal("audience", "{\"list\": 5}", .type, at: "/audience/list"),
        Refusal("audience/devices", manyDevices(10_001), .tooMany),
        Refusal(of: JobFixtures.full, "audience/devices", manyDevices(1_001), .tooMany),
        Refusal("audience/lists", "\"a\"", .unknownField),
    ]

    static let devices: [Refusal] = [
        Refusal("audience/devices/0", "\"abc\"", .type), Refusal("audience/devices/0/token", nil, .required),
        Refusal("audience/devices/0/token", "\"\(token(62))\"", .format),
        Refusal("audience/devices/0/token", "\"\(token(65))\"", .format),
        Refusal("audience/devices/0/token", "\"\(token(202))\"", .format),
        Refusal("audience/devices/0/token", "\"\(token(63))g\"", .format),
        Refusal("audience/devices/0/token", "\"\(token(58))/../ab\"", .format),
        Refusal("audience/devices/0/token", "\"\(token(62))\\r\\n\"", .format),
        Refusal("audience/devices/0/token", "\"\(token(63))\\u0000\"", .format),
        Refusal("audience/devices/0/token", "\"\(token(62))😀\"", .format),
        Refusal("audience/devices/0/token", "5", .type), Refusal("audience/devices/0/token", "\"\"", .empty),
        Refusal("audience/devices/0/provider", "\"hms\"", .value),
        Refusal("audience/devices/0/provider", "\"apn\"", .value),
        Refusal("audience/devices/0/environment", "\"Production\"", .value),
        Refusal("audience/devices/0/id", "\"\(String(repeating: "i", count: 257))\"", .length),
        Refusal("audience/devices/0/locale", "\"es_ES\"", .format),
        Refusal("audience/devices/0/locale", "\"e\"", .format),
        Refusal("audience/devices/0/time_zone", "\"Europe Madrid\"", .format),
        Refusal("audience/devices/0/time_zone", "\"../etc/passwd\"", .format),
        Refusal("audience/devices/0/variables", "[]", .type),
        Refusal("audience/devices/0/variables/a", "null", .type),
        Refusal("audience/devices/0/variables/a", "[\"x\"]", .type),
        Refusal("audience/devices/0/variables", "{\"a\": \"\(String(repeating: "x", count: 4096))\"}", .tooLarge),
        Refusal("audience/devices/0/tokn", "\"a\"", .unknownField),
    ]

    static let content: [Refusal] = [
        Refusal("content", nil, .required), Refusal("content", "\"Hello\"", .type), Refusal("content", "{}", .empty),
        Refusal("content", "{\"data\": {\"a\": 1}}", .empty),
        Refusal("content/title", "\"\"", .empty, at: "/content/title"),
        Refusal("content/body", "5", .type), Refusal("content/body", "\"a\\u0000b\"", .format),
        Refusal("content/title_loc_args", "[\"a\"]", .conflict), Refusal("content/loc_args", "[\"a\"]", .conflict),
        Refusal("content/loc_args", "[5]", .type, at: "/content/loc_args/0"),
        Refusal("content/media_url", "\"http://a.example/b\"", .format),
        Refusal("content/media_url", "\"https://\"", .format), Refusal("content/media_url", "\"https://a b\"", .format),
        Refusal("content/badge", "-1", .range), Refusal("content/badge", "1.5", .range),
        Refusal("content/badge", "9223372036854775808", .range), Refusal("content/badge", "\"3\"", .type),
        Refusal("content/badge", "true", .type), Refusal("content/badge", "\"+2\"", .type),
        Refusal("content/badge", "\"1\"", .type), Refusal("content/badge", "\"+1 \"", .type),
        Refusal("content/sound", "5", .type), Refusal("content/sound", "\"\"", .empty),
        Refusal("content/sound", "{\"volume\": 0.5}", .conflict, at: "/content/sound/volume"),
        Refusal("content/sound", "{\"critical\": true, \"volume\": 1.1}", .range, at: "/content/sound/volume"),
        Refusal("content/sound", "{\"critical\": 1}", .type, at: "/content/sound/critical"),
        Refusal("content/sound", "{\"file\": \"a\"}", .unknownField, at: "/content/sound/file"),
        Refusal("content/interruption_level", "\"timesensitive\"", .value),
        Refusal("content/relevance_score", "1.01", .range), Refusal("content/relevance_score", "\"1\"", .type),
        Refusal("content/content_available", "1", .type), Refusal("content/mutable_content", "\"true\"", .type),
        Refusal("content/data", "[]", .type), Refusal("content/data/aps", "1", .reserved),
        Refusal("content/data/fanfare", "1", .reserved), Refusal("content/data/from", "1", .reserved),
        Refusal("content/data/message_type", "1", .reserved), Refusal("content/data/google.x", "1", .reserved),
        Refusal("content/data/gcm.x", "1", .reserved),
        Refusal("content/data", "{\"\": 1}", .empty, at: "/content/data/"),
        Refusal("content/apns", "[]", .type), Refusal("content/apns/aps", "5", .type),
        Refusal("content/apns/fanfare", "5", .reserved),
        Refusal("content/category", "\"{{ a }}\"", .templateNotAllowed),
        Refusal("content/tittle", "\"a\"", .unknownField),
    ]

    static let delivery: [Refusal] = [
        Refusal("delivery", "[]", .type), Refusal("delivery/push_type", "\"alrt\"", .value),
        Refusal("delivery/priority", "10", .type), Refusal("delivery/priority", "\"urgent\"", .value),
        Refusal("delivery/urgency", "\"high\"", .value), Refusal("delivery/if_offline", "\"wait\"", .value),
        Refusal("delivery/expires_at", "\"2026-11-20T19:55:00Z\"", .expired),
        Refusal("delivery/expires_at", "\"1999-01-01T00:00:00Z\"", .expired),
        Refusal("delivery/expires_at", "\"2026-11-20T21:05:00\"", .format),
        Refusal("delivery/expires_at", "1795208700", .type),
        Refusal("delivery/ttl", "0", .range), Refusal("delivery/ttl", "2592001", .range),
        Refusal("delivery/ttl", "1.5", .range), Refusal("delivery/ttl", "\"60\"", .type),
        Refusal("delivery/ttl", "9223372036854775808", .range), Refusal("delivery/ttl", "-1", .range),
        Refusal("delivery", "{\"ttl\": 60, \"expires_at\": \"2026-11-20T21:05:00Z\"}", .conflict, at: "/delivery/ttl"),
        Refusal("delivery/collapse_id", "\"\(String(repeating: "c", count: 65))\"", .length),
        Refusal("delivery/collapse_id", "\"\(String(repeating: "é", count: 33))\"", .length),
        Refusal("delivery/collapse_id", "\"a\\r\\nb\"", .format), Refusal("delivery/collapse_id", "\" a\"", .format),
        Refusal("delivery/supersede", "\"no\"", .type), Refusal("delivery/max_attempts", "0", .range),
        Refusal("delivery/per_second", "0", .range), Refusal("delivery/per_second", "1000001", .range),
        Refusal("delivery/ramp_up", "60", .conflict), Refusal("delivery/ramp_up", "86401", .range),
        Refusal("delivery/max_attempts", "101", .range), Refusal("delivery/on_unknown", "\"retry\"", .value),
        Refusal("delivery/expire_at", "\"2026-11-20T21:05:00Z\"", .unknownField),
        Refusal("delivery/title", "\"a\"", .unknownField),
    ]

    static let pushTypes: [Refusal] = [
        Refusal(of: JobFixtures.background, "delivery/priority", "\"high\"", .conflict),
        Refusal("delivery/push_type", "\"background\"", .required, at: "/content/content_available").with(
            content: "{\"data\": {\"a\": 1}}"
        ),
        Refusal(of: JobFixtures.background, "content/media_url", "\"https://a.example/b\"", .conflict),
        Refusal(of: JobFixtures.background, "content/mutable_content", "true", .conflict),
        Refusal("delivery/push_type", "\"background\"", .conflict, at: "/content/title").with(
            content: "{\"title\": \"T\", \"content_available\": true}"
        ),
        Refusal("delivery/push_type", "\"widgets\"", .conflict, at: "/content/title"),
        Refusal("delivery/push_type", "\"location\"", .conflict, at: "/content/title"),
        Refusal("delivery/push_type", "\"liveactivity\"", .required, at: "/content/live_activity"),
        Refusal(of: JobFixtures.liveActivity, "delivery", nil, .conflict, at: "/content/live_activity"),
        Refusal(
            of: JobFixtures.liveActivity,
            "delivery/push_type",
            "\"alert\"",
            .conflict,
            at: "/content/live_activity"
        ),
        Refusal(of: JobFixtures.liveActivity, "content/title", nil, .required),
        Refusal(of: JobFixtures.liveActivity, "content/live_activity/attributes", nil, .required),
        Refusal(of: JobFixtures.liveActivity, "content/live_activity/attributes_type", nil, .required),
        Refusal(of: JobFixtures.liveActivity, "content/live_activity/content_state", nil, .required),
        Refusal(of: JobFixtures.liveActivity, "content/live_activity/content_state", "[]", .type),
        Refusal(of: JobFixtures.liveActivity, "content/live_activity/timestamp", nil, .required),
        Refusal(of: JobFixtures.liveActivity, "content/live_activity/timestamp", "1795204500000", .range),
        Refusal(of: JobFixtures.liveActivity, "content/live_activity/event", "\"begin\"", .value),
        Refusal(of: JobFixtures.liveActivity, "content/live_activity/dismissal_date", "1795204500", .conflict),
        Refusal(of: JobFixtures.liveActivity, "content/live_activity/stale", "1", .unknownField),
    ]

    static let templates: [Refusal] = [
        Refusal("content/title", "\"Hola {{ first | upcas }}\"", .template),
        Refusal("content/body", "\"{% if a %}b\"", .template), Refusal("content/thread_id", "\"{{ a\"", .template),
        Refusal("content/url", "\"app://{{ }}\"", .template),
        Refusal("content/media_url", "\"https://a.example/{{ a b }}\"", .template),
        Refusal("content/media_url", "\"{{ image }}\"", .format), Refusal("content/badge", "\"{{ count\"", .template),
        Refusal("content/data", "{\"a\": {\"b\": [\"{% for c %}\"]}}", .template, at: "/content/data/a/b/0"),
        Refusal(
            of: JobFixtures.full,
            "content/title_loc_args",
            "[\"{{ a | date }}\"]",
            .template,
            at: "/content/title_loc_args/0"
        ),
        Refusal(
            "content/actions",
            "[{\"id\": \"A\", \"url\": \"app://{% endif %}\"}]",
            .template,
            at: "/content/actions/0/url"
        ),
        Refusal("content/actions", "[{\"id\": \"A\"}]", .required, at: "/content/actions/0/url"),
        Refusal(
            "content/actions",
            "[{\"id\": \"{{ a }}\", \"url\": \"app://a\"}]",
            .templateNotAllowed,
            at: "/content/actions/0/id"
        ),
        Refusal(
            "content/localizations",
            "{\"pt-BR\": {\"title\": \"Oi {{ first | default }}\"}}",
            .template,
            at: "/content/localizations/pt-BR/title"
        ),
        Refusal("content/localizations", "{\"pt_BR\": {}}", .format, at: "/content/localizations/pt_BR"),
        Refusal("content/localizations", "{\"en\": {}, \"EN\": {}}", .conflict, at: "/content/localizations/EN"),
        Refusal(
            "content/localizations",
            "{\"en\": {\"badge\": 3}}",
            .unknownField,
            at: "/content/localizations/en/badge"
        ),
        Refusal("content/sound", "{\"name\": \"{{ a }}\"}", .templateNotAllowed, at: "/content/sound/name"),
        Refusal("delivery/collapse_id", "\"{{ match\"", .template),
    ]

    private static func token(_ digits: Int) -> String { String(repeating: "a", count: digits) }

    private static func manyDevices(_ count: Int) -> String {
        "[" + Array(repeating: "{\"token\":\"\(JobFixtures.token)\"}", count: count).joined(separator: ",") + "]"
    }
}

extension Refusal {
    /// Returns the same rule on a job with other content.
    func with(content: String) -> Refusal {
        let changed = JobFixtures.patch(job, path: ["content"], content)
        let code = ProblemCode(rawValue: code) ?? .unusual
        return Refusal(of: changed, path.joined(separator: "/"), value, code, at: pointer)
    }
}
