import Campaigns
import Seeds
import Testing

/// The part of a segment that the registry's index answers.
@Suite("Segments by index")
struct SegmentIndexTests {
    /// Returns what an index says of one device, as a block of which it has the first place.
    private static func holds(_ part: IndexExpression, _ device: DeviceTraits, _ answers: [Bool]) -> Bool {
        var only = IndexBlock()
        only.insert(0)
        let keys = device.indexKeys
        let found = part.devices { leaf in
            switch leaf {
            case .term(let term): keys.contains(term.key) ? only : nil
            case .question(let index): answers[index] ? only : nil
            }
        }
        return found?.contains(0) == true
    }

    private static func matches(_ segment: Segment, _ device: DeviceTraits, _ answers: [Bool]) -> Bool {
        device.packed().withUnsafeBytes { bytes in
            PackedTraits(bytes).map { segment.matches($0) { answers[$0] } } ?? false
        }
    }

    @Test func `what the index names contains every device that matches, whatever the expression`() throws {
        var random = SeededRandom(seed: 20_261_126)
        var (indexed, matching, left) = (0, 0, 0)
        for _ in 0..<4_000 {
            let text = random.expression(depth: 4)
            let segment = try Segment(text)
            guard let part = segment.indexed else { continue }
            indexed += 1
            for _ in 0..<8 {
                let device = random.device()
                let answers = segment.questions.map { _ in random.below(2) == 0 }
                let pruned = part.pruned(registry: 10_000) { _ in random.below(10_000) }
                let isNamed = Self.holds(part, device, answers)
                if isNamed { #expect(Self.holds(pruned, device, answers), "\(text), pruned") }
                if Self.matches(segment, device, answers) {
                    matching += 1
                    #expect(isNamed, "\(text) of \(device)")
                } else if !isNamed {
                    left += 1
                }
            }
        }
        // The draw has all three in numbers, or the test says nothing.
        #expect(indexed > 1_000 && matching > 1_000 && left > 1_000, "\(indexed) \(matching) \(left)")
    }

    @Test(arguments: [
        ("sport", "tag sport"), ("sport && !muted", "tag sport"), ("!(!sport || muted)", "tag sport"),
        ("sport || locale == es", "locale == \"es\" || tag sport"), ("level >= 5", "attribute level"),
        ("level == 5.0", "level == 5"), ("os < 17.4.1", "attribute os"), ("opened(derby)", "opened(derby)"),
        ("app_version == 3.2.0", "app_version == 3.2"), ("permission == denied", "permission == \"denied\""),
        ("(a || b) && c && !d", "(tag a || tag b) && tag c"), ("platform == ios", "provider == \"apns\""),
    ])
    func `an index answers for a part of the expression`(text: String, part: String) throws {
        let segment = try Segment(text)
        #expect(segment.indexed.map { segment.text(of: $0) } == part)
    }

    @Test(arguments: [
        "!sport", "sport || !muted", "app_version >= 3.2", "locale != es", "!(sport && muted)",
        "!(registered_at < \"2026-11-20T00:00:00Z\")", "!opened(derby)",
    ])
    func `no index answers where a device may match without any trait`(text: String) throws {
        #expect(try Segment(text).indexed == nil)
    }

    @Test func `a range of instants is few periods, and they are the range's days`() throws {
        var random = SeededRandom(seed: 7)
        for _ in 0..<300 {
            let day = random.below(32_768)
            let instant = Timestamp(milliseconds: Int64(day) * 86_400_000 + 1).rfc3339
            for (sign, isIn) in [(">=", { $0 >= day }), ("<", { $0 <= day })] as [(String, (Int) -> Bool)] {
                let part = try #require(try Segment("registered_at \(sign) \"\(instant)\"").indexed)
                #expect(part.leaves.count <= 64)
                for other in [0, day - 1, day, day + 1, 32_767, random.below(32_768)]
                where (0..<32_768).contains(other) {
                    let registered = Timestamp(milliseconds: Int64(other) * 86_400_000 + 43_200_000)
                    let device = DeviceTraits(registeredAt: registered)
                    #expect(Self.holds(part, device, []) == isIn(other), "day \(other) \(sign) day \(day)")
                }
            }
        }
    }

    @Test func `a block of devices is the same after its bytes`() {
        var random = SeededRandom(seed: 3)
        for count in [0, 1, 2, 254, 255, 256, 257, 2_000, 4_096] {
            var (block, places) = (IndexBlock(), Set<Int>())
            while places.count < count {
                let place = count == 4_096 ? places.count : random.below(4_096)
                places.insert(place)
                block.insert(place)
            }
            var found: [Int] = []
            block.forEach { found.append($0) }
            #expect(found == places.sorted() && block.count == count)
            #expect(block.bytes.count == (count < 256 ? 2 * count : 512))
            #expect(IndexBlock(bytes: block.bytes) == block)
        }
        #expect(IndexBlock(bytes: [1]) == nil && IndexBlock(bytes: [0, 16]) == nil)
        #expect(IndexBlock(bytes: Array(repeating: 0, count: 514)) == nil)
    }

    @Test func `the index is read for a tenth of a registry at most, and only when it is complete`() throws {
        let last: Int64 = 3 << 32 | 100_000
        let segment = try Segment("sport && team == atleti && !muted")
        let part = try #require(segment.indexed)
        func standing(_ builtTo: Int64, changed: Int = 0, version: Int64 = IndexTerm.version) -> IndexPlan.Standing {
            IndexPlan.Standing(version: version, builtTo: builtTo, changed: changed)
        }
        func choice(_ count: Int, changed: Int = 0, sampled: Int? = nil) -> IndexPlan.Choice {
            let standing = standing(.max, changed: changed)
            return IndexPlan.choice(part, last: last, standing, count: { _ in count }, sampled: sampled)
        }
        #expect(IndexPlan.reasonToWalk(part, last: last, standing(.max)) == nil)
        #expect(IndexPlan.reasonToWalk(part, last: last, standing(last)) == nil)
        #expect(
            IndexPlan.reasonToWalk(part, last: last, standing(3 << 32 | 25_000)) == .incomplete(percent: 25)
        )
        #expect(IndexPlan.reasonToWalk(part, last: last, standing(1 << 32 | 9)) == .incomplete(percent: 0))
        #expect(IndexPlan.reasonToWalk(part, last: last, standing(.max, version: 2)) == .otherVersion)
        #expect(IndexPlan.reasonToWalk(nil, last: last, standing(.max)) == .notIndexed)
        #expect(IndexPlan.reasonToWalk(part, last: 3 << 32 | 8_192, standing(.max)) == .small)
        guard case .index(let plan) = choice(900) else {
            Issue.record("900 of 100,000 are few")
            return
        }
        // Below a thousand the second term saves nothing.
        #expect(plan.expected == 900 && plan.expression.leaves.count == 1)
        #expect(choice(10_001) == .walk(.notFewer(devices: 10_001)))
        #expect(choice(9_000, changed: 1_001) == .walk(.notFewer(devices: 10_001)))
        guard case .index(let sampled) = choice(20_000, sampled: 3_000) else {
            Issue.record("3,000 of 100,000 are few, though each term has more")
            return
        }
        #expect(sampled.expected == 3_000 && sampled.expression.leaves.count == 2)
    }
}

extension SeededRandom {
    /// Returns a device that has some of everything that expressions ask for.
    fileprivate mutating func device() -> DeviceTraits {
        let numbers = ["5", "5.0", "50e-1", "-0", "0", "1e999999999", "007", "4"]
        var attributes: [String: AttributeValue] = [:]
        if below(2) == 0 { attributes["level"] = .number(JSONNumber(text: numbers[below(6)])) }
        if below(2) == 0 { attributes["team"] = .text((numbers + ["atleti", "true", ""])[below(11)]) }
        if below(3) == 0 { attributes["vip"] = .bool(below(2) == 0) }
        if below(2) == 0 { attributes["os"] = .text(["17.4.1", "17.4.1.0", "v17.4.1", "17.5"][below(4)]) }
        return DeviceTraits(
            provider: [.apns, .fcm][below(2)],
            environment: [nil, .sandbox][below(2)],
            locale: [nil, "es", "es-ES", "es-419-x", "ES-mx", "en", "ese"][below(7)],
            timeZone: [nil, "Europe/Madrid", "Europe/London"][below(3)],
            appVersion: [nil, "3.2", "3.2.0", "v3.02", "3.2-beta", "3.2+7", "3..2", "x"][below(8)],
            permission: PushPermission.allCases[below(4)],
            registeredAt: below(3) == 0 ? nil : instant(),
            tags: ["a", "b", "c"].filter { _ in below(2) == 0 },
            attributes: attributes
        )
    }

    /// Returns an instant within twenty days, at the beginning of a day or in its middle.
    private mutating func instant() -> Timestamp {
        Timestamp(milliseconds: Int64(20_400 * 86_400_000 + below(40) * 43_200_000))
    }

    /// Returns an expression of any terms.
    fileprivate mutating func expression(depth: Int) -> String {
        guard depth > 0, below(4) > 0 else { return term() }
        if below(4) == 0 { return "!(\(expression(depth: depth - 1)))" }
        return "(\(expression(depth: depth - 1))) \(["&&", "||"][below(2)]) (\(expression(depth: depth - 1)))"
    }

    private mutating func term() -> String {
        let sign = ["<", "<=", "==", "!=", ">=", ">"][below(6)]
        let equality = ["==", "!="][below(2)]
        switch below(12) {
        case 0...2: return ["a", "b", "c"][below(3)]
        case 3: return "level \(sign) \(["5", "5.00", "0", "-0.0", "1e999999999"][below(5)])"
        case 4: return "team \(sign) \(["\"5\"", "5", "\"5.0\"", "atleti", "\"true\"", "\"007\""][below(6)])"
        case 5: return "vip \(equality) true"
        case 6: return "os \(sign) \(["17.4.1", "17.4.1.0", "17.5.0"][below(3)])"
        case 7: return "locale \(equality) \(["es", "es-ES", "es-419", "en"][below(4)])"
        case 8: return "time_zone \(equality) Europe/Madrid"
        case 9:
            return [
                "platform == ios", "environment == sandbox", "permission \(equality) denied", "permission == unknown",
            ][below(4)]
        case 10: return "app_version \(sign) \(["3.2", "3.2.0", "3.2-beta", "3.3"][below(4)])"
        default:
            if below(3) == 0 { return ["opened(derby)", "received(derby)"][below(2)] }
            return "registered_at \(sign) \"\(instant().rfc3339)\""
        }
    }
}
