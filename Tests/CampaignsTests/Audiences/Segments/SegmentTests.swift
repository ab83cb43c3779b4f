import Campaigns
import Seeds
import Testing

@Suite("Segments")
struct SegmentTests {
    private static let ana = DeviceTraits(
        environment: .sandbox,
        locale: "es-ES",
        timeZone: "Europe/Madrid",
        appVersion: "3.10.0",
        permission: .authorized,
        registeredAt: Timestamp(milliseconds: 1_795_000_000_000),
        tags: ["sport", "league:laliga", "with a blank"],
        attributes: [
            "team": .text("atleti"), "level": .number(JSONNumber(text: "5.0")), "vip": .bool(true),
            "os": .text("17.4.1"), "locale": .text("own"), "big": .number(JSONNumber(text: "9007199254740993")),
        ]
    )

    @Test(arguments: [
        "sport", "league:laliga && !muted", "!muted", "\"with a blank\"", "muted || sport", "!(muted || other)",
        "muted && other || sport", "sport && (muted || league:laliga)", "locale == es", "locale == \"es-es\"",
        "locale != en", "time_zone == Europe/Madrid", "platform == ios", "provider == apns", "platform != android",
        "environment == sandbox", "permission == authorized", "permission != denied", "app_version >= 3.2",
        "app_version == 3.10", "app_version > 3.9.99", "app_version < 3.10.0.1", "team == \"atleti\"", "team == atleti",
        "team != real", "level == 5", "level >= 4.99999999999999999999", "level < 50e-1 || level == 0.5e1",
        "vip == true",
        "vip != false", "os >= 17.4.0", "os < 17.10.0", "attributes.locale == own", "missing != x", "!(missing < 3)",
        "big == 9007199254740993", "big != 9007199254740992", "registered_at >= \"2026-11-18T00:00:00Z\"",
        "level == \"5.0\"", "  sport\n&&\tsport ", "'with a blank'",
    ])
    func `means the device`(expression: String) throws {
        #expect(try Segment(expression).matches(Self.ana))
    }

    @Test(arguments: [
        "muted", "!sport", "spor", "sports", "locale == en", "locale == es-ES-x", "locale == ese", "app_version < 3.2",
        "app_version == 3.1", "missing == x", "missing < 3", "missing >= 3", "team < 3", "level == \"5\"",
        "vip == false",
        "os >= 17.4.2", "locale == own", "registered_at < \"2026-11-18T00:00:00Z\"", "Sport", "platform == android",
        "sport && muted || other", "team == \"Atleti\"",
    ])
    func `leaves the device out`(expression: String) throws {
        #expect(try !Segment(expression).matches(Self.ana))
    }

    @Test(arguments: [
        ("provider == apns", false, false), ("provider != apns", true, true), ("provider == fcm", true, true),
        ("platform == android", true, true), ("sport", true, false), ("!sport", true, false),
        ("provider == apns && sport", false, false), ("provider == apns || sport", true, false),
        ("sport && !(provider == fcm)", false, false), ("provider == fcm || sport", true, true),
        ("provider == fcm && sport", true, false), ("!(provider == apns && sport)", true, true),
        ("(provider == apns || provider == webpush) && sport", false, false),
    ])
    func `what an expression says of a provider's devices follows without knowing more of them`(
        expression: String,
        mayMean: Bool,
        meansAll: Bool
    ) throws {
        let fcm = ProviderName(rawValue: "fcm")
        let segment = try Segment(expression)
        #expect(segment.mayMean(fcm) == mayMean && segment.meansAll(of: fcm) == meansAll)
        // The evaluator agrees, whatever else a device has.
        for tags in [[], ["sport"], ["other"]] as [[String]] {
            let matches = segment.matches(DeviceTraits(provider: fcm, tags: tags))
            #expect(mayMean || !matches)
            #expect(!meansAll || matches)
        }
    }

    @Test func `a job reaches the providers that its segments leave, and a list's devices whatever is left out`() throws
    {
        let (fcm, apns) = (ProviderName(rawValue: "fcm"), ProviderName.apns)
        func reaches(_ audience: Audience, without exclude: Audience? = nil) -> [Bool] {
            var job = Job(id: "derby", app: "news", audience: audience, content: Content())
            job.exclude = exclude
            return [apns, fcm].map(job.mayReach)
        }
        let apple = try Segment("provider == apns")
        let others = Audience.segment(try Segment("provider != apns"))
        #expect(reaches(.everyone) == [true, true])
        #expect(reaches(.segment(apple)) == [true, false])
        #expect(reaches(.users(["ana"]), without: others) == [true, false])
        #expect(reaches(.everyone, without: others) == [true, false])
        #expect(reaches(.list(name: "fans", version: nil), without: others) == [true, true])
    }

    @Test func `what nobody knows of a device is equal to nothing`() throws {
        let unknown = DeviceTraits()
        for expression in [
            "app_version >= 0", "locale == es", "time_zone == UTC", "registered_at < \"2030-01-01T00:00:00Z\"",
        ] {
            #expect(try !Segment(expression).matches(unknown), "\(expression)")
        }
        #expect(try Segment("permission == unknown && locale != es").matches(unknown))
    }

    @Test(arguments: [
        ("b && a", "a && b"), ("a || b && c", "c && b || a"), ("!!a", "a"), ("a && (b && c)", "(a && b) && c"),
        ("a && a", "a"), ("level == 5.0", "level == 50e-1"), ("app_version >= 3.2.0", "app_version >= v03.2"),
        ("team == atleti", "team == \"atleti\""), ("!(team == x)", "team != x"), ("locale == ES-es", "locale == es-ES"),
        ("platform == ios", "provider == apns"), ("\"a\"", "a"), ("os > 17.4.0", "os > 17.4.0.0"),
        ("attributes.team == x", "team == 'x'"), ("!(a || b)", "!(b || a)"),
    ])
    func `two spellings are one audience by name`(one: String, other: String) throws {
        #expect(try Segment(one).text == Segment(other).text)
        #expect(try Segment(one) == Segment(other))
    }

    @Test(arguments: [
        "a && b", "a || b", "!a", "a && (b || c)", "!(a && b)", "level < 3", "!(level < 3)", "level == \"3\"",
        "locale == es",
        "attributes.locale == \"x\"", "\"and\"", "app_version >= 3.2-beta",
    ])
    func `different audiences have different names`(expression: String) throws {
        let others = [
            "a && c", "a || c", "a", "level >= 3", "level == 3", "locale == en", "and1", "app_version >= 3.2",
        ]
        for other in others where other != expression {
            #expect(try Segment(expression) != Segment(other), "\(other)")
        }
    }

    @Test(arguments: [
        ("", 1, ProblemCode.empty, "everyone"), ("  ", 1, .empty, "everyone"), ("a and b", 3, .syntax, "&&"),
        ("a or b", 3, .syntax, "||"), ("not a", 1, .syntax, "!"), ("a & b", 3, .syntax, "&&"),
        ("a | b", 3, .syntax, "||"),
        ("a = b", 3, .syntax, "=="), ("a b", 3, .syntax, "&&"), ("(a", 1, .syntax, ""), ("a)", 2, .syntax, ""),
        ("a &&", 5, .syntax, ""), ("&& a", 1, .syntax, ""), ("team == \"x", 9, .syntax, "quote"),
        ("locale", 1, .syntax, "locale == es"), ("é && app_version >= new", 21, .syntax, "3.2"),
        ("app_version >= ", 16, .syntax, ""), ("locale > es", 10, .syntax, "locale == es"),
        ("permission == denid", 15, .syntax, "denied"), ("team == \"\"", 9, .syntax, ""),
        ("a ; b", 3, .syntax, "quotes"),
        ("3 < level < 5", 11, .syntax, "one thing"), ("vip >= true", 8, .syntax, ""),
        ("team == \"a\\n\"", 11, .syntax, "\\\\"),
    ])
    func `a mistake is told with its column and a way to fix it`(
        expression: String,
        column: Int,
        code: ProblemCode,
        fix: String
    ) throws {
        let problem = #expect(throws: SegmentProblem.self) { try Segment(expression) }
        #expect(problem?.column == column, "\(problem?.description ?? "")")
        #expect(problem?.code == code)
        if !fix.isEmpty { #expect(problem?.fix?.contains(fix) == true, "\(problem?.description ?? "")") }
    }

    @Test func `an attribute with the name of a field, nearly, is taken with a warning`() throws {
        let segment = try Segment("sport && app_versoin >= 3")
        #expect(segment.warnings.map(\.column) == [10])
        #expect(segment.warnings.first?.fix == "did you mean app_version?")
    }

    @Test func `length, depth and terms are bounded`() throws {
        let nested = String(repeating: "!", count: 16) + "a"
        #expect(try Segment(nested).text == "a")
        #expect(throws: SegmentProblem.self) { try Segment("!" + nested) }
        let terms = (0..<100).map { "t\($0)" }.joined(separator: " || ")
        #expect(try Segment(terms).matches(DeviceTraits(tags: ["t99"])))
        #expect(throws: SegmentProblem.self) { try Segment(terms + " || u") }
        #expect(throws: SegmentProblem.self) { try Segment(String(repeating: "a", count: 129)) }
        let long = "a" + String(repeating: " ", count: 4095)
        #expect(try Segment(long).text == "a")
        #expect(throws: SegmentProblem.self) { try Segment(long + " ") }
    }

    @Test func `packed traits come back as they were`() {
        #expect(DeviceTraits(packed: Self.ana.packed()) == Self.ana)
        #expect(DeviceTraits(packed: DeviceTraits().packed()) == DeviceTraits())
        let many = DeviceTraits(
            tags: (0..<60).map { "tag:\($0)" },
            attributes: ["long": .text(String(repeating: "ñ", count: 2000))]
        )
        #expect(DeviceTraits(packed: many.packed()) == many)
        #expect(DeviceTraits(packed: []) == nil)
    }

    @Test func `any expression means what its tree means, and so does its one spelling`() throws {
        var random = SeededRandom(seed: 20_261_120)
        for _ in 0..<2_000 {
            let (text, meant) = random.expression(depth: 4)
            let segment = try Segment(text)
            let again = try Segment(segment.text)
            #expect(again.text == segment.text)
            for _ in 0..<8 {
                let tags = ["a", "b", "c", "d"].filter { _ in random.below(2) == 0 }
                let device = DeviceTraits(tags: tags, attributes: ["n": .number(JSONNumber(random.below(4)))])
                let expected = meant(device)
                #expect(segment.matches(device) == expected, "\(text) of \(tags)")
                #expect(again.matches(device) == expected, "\(segment.text) of \(tags)")
            }
        }
    }
}

extension SeededRandom {
    /// Returns an expression over the tags a to d and the attribute n, with its meaning.
    fileprivate mutating func expression(depth: Int) -> (text: String, meant: (DeviceTraits) -> Bool) {
        guard depth > 0, below(4) > 0 else {
            if below(4) == 0 {
                let limit = below(4)
                return ("n < \(limit)", { (Int($0.attributes["n"]?.text ?? "") ?? 99) < limit })
            }
            let tag = ["a", "b", "c", "d"][below(4)]
            return (tag, { $0.tags.contains(tag) })
        }
        if below(3) == 0 {
            let inner = expression(depth: depth - 1)
            return ("!(\(inner.text))", { !inner.meant($0) })
        }
        let (left, right) = (expression(depth: depth - 1), expression(depth: depth - 1))
        if below(2) == 0 { return ("(\(left.text)) && (\(right.text))", { left.meant($0) && right.meant($0) }) }
        return ("(\(left.text)) || (\(right.text))", { left.meant($0) || right.meant($0) })
    }
}
