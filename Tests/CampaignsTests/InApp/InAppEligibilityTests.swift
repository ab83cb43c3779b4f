import Campaigns
import Seeds
import Testing

/// The function, compared with a model written independently from the documentation.
@Suite("In-app eligibility")
struct InAppEligibilityTests {
    /// A device and the campaigns of an app, at an instant.
    private struct Case {
        var campaigns: [Drawn] = []
        var device: InAppDevice
        var now: Int
    }

    /// A campaign in the model's terms: plain numbers, and its audience as a predicate.
    private struct Drawn {
        var number: UInt32
        var priority: Int
        var start: Int?
        var end: Int?
        var pause: Int?
        var audience: Who
        var exclude: Who?
    }

    private enum Who {
        case all, users([String]), tag(String), list(UInt32), tokens([UInt8])

        var selector: InAppSelector {
            get throws {
                switch self {
                case .all: .everyone
                case .users(let names): .users(Set(names))
                case .tag(let tag): .segment(try Segment(tag))
                case .list(let number): .list(number)
                case .tokens(let bytes):
                    .devices(Set(bytes.map { InAppDeviceKey(provider: .apns, token: [$0]) }))
                }
            }
        }
    }

    // MARK: - The model

    /// Selects one campaign after another from all eligible ones, the best first.
    private static func model(_ given: Case) -> [UInt32] {
        var left = given.campaigns
        var answer: [UInt32] = []
        while answer.count < 50 {
            var best: Int?
            for (index, campaign) in left.enumerated() where isShown(campaign, given) {
                guard let before = best else {
                    best = index
                    continue
                }
                let isHigher = campaign.priority > left[before].priority
                let isNewer = campaign.priority == left[before].priority && campaign.number > left[before].number
                if isHigher || isNewer { best = index }
            }
            guard let best else { break }
            answer.append(left.remove(at: best).number)
        }
        return answer
    }

    private static func isShown(_ campaign: Drawn, _ given: Case) -> Bool {
        if let start = campaign.start, given.now < start { return false }
        if let end = campaign.end, given.now >= end { return false }
        if let shown = given.device.displayed[campaign.number]?.milliseconds {
            guard let pause = campaign.pause else { return false }
            if given.now < Int(shown) + pause * 1000 { return false }
        }
        if let exclude = campaign.exclude, isAmong(exclude, given.device) { return false }
        return isAmong(campaign.audience, given.device)
    }

    private static func isAmong(_ who: Who, _ device: InAppDevice) -> Bool {
        switch who {
        case .all: return true
        case .users(let names):
            for name in names where name == device.user { return true }
            return false
        case .tag(let tag): return device.traits.tags.contains(tag)
        case .list(let number): return device.lists.contains(number)
        case .tokens(let bytes):
            guard let token = device.token, device.traits.provider == .apns else { return false }
            return bytes.contains(token[0])
        }
    }

    // MARK: - The draw

    private static func draw(_ random: inout SeededRandom) -> Case {
        let now = 1_000_000 + random.below(5) * 1000
        let tags = ["sport", "cup", "muted"].filter { _ in random.chance(0.5) }
        var device = InAppDevice(
            user: random.chance(0.7) ? ["ana", "bo"][random.below(2)] : nil,
            token: random.chance(0.8) ? [UInt8(random.below(4))] : nil,
            traits: DeviceTraits(provider: random.chance(0.8) ? .apns : ProviderName(rawValue: "fcm"), tags: tags)
        )
        device.lists = Set((1...3).filter { _ in random.chance(0.4) })
        let count = random.chance(0.02) ? 200 + random.below(100) : random.below(12)
        // Few numbers, priorities and instants, so that many are equal or at a bound.
        let campaigns = (0..<count).map { index in
            Drawn(
                number: UInt32(index + 1),
                priority: random.below(3) - 1,
                start: random.chance(0.5) ? now + (random.below(3) - 1) * 1000 : nil,
                end: random.chance(0.5) ? now + (random.below(3) - 1) * 1000 + random.below(2) : nil,
                pause: random.chance(0.5) ? random.below(3) : nil,
                audience: who(&random),
                exclude: random.chance(0.3) ? who(&random) : nil
            )
        }
        for campaign in campaigns where random.chance(0.4) {
            let at = now - random.below(4) * 1000 + random.below(3) - 1
            device.displayed[campaign.number] = Timestamp(milliseconds: Int64(at))
        }
        return Case(campaigns: campaigns, device: device, now: now)
    }

    private static func who(_ random: inout SeededRandom) -> Who {
        switch random.below(6) {
        case 0: .users(["ana"])
        case 1: .tag(["sport", "cup", "muted"][random.below(3)])
        case 2: .list(UInt32(1 + random.below(3)))
        case 3: .tokens((0...3).filter { _ in random.chance(0.5) })
        default: .all
        }
    }

    @Test func `thirty thousand drawn sessions get what the model says, in its order`() throws {
        var random = SeededRandom(seed: 0x1A_2026)
        var (given, full) = (0, 0)
        for round in 0..<30_000 {
            let drawn = Self.draw(&random)
            var candidates = try drawn.campaigns.map { campaign in
                InAppCandidate(
                    campaign: campaign.number,
                    priority: campaign.priority,
                    startsAt: campaign.start.map { Timestamp(milliseconds: Int64($0)) },
                    endsAt: campaign.end.map { Timestamp(milliseconds: Int64($0)) },
                    repeatAfter: campaign.pause,
                    audience: try campaign.audience.selector,
                    exclude: try campaign.exclude?.selector
                )
            }
            // The order in memory is irrelevant.
            candidates.shuffle(using: &random)
            let now = Timestamp(milliseconds: Int64(drawn.now))
            let found = InAppEligibility.eligible(candidates, for: drawn.device, at: now).map(\.campaign)
            let expected = Self.model(drawn)
            given += expected.count
            if expected.count == InAppEligibility.messagesMax { full += 1 }
            guard found == expected else {
                Issue.record("round \(round): \(found) is not \(expected) of \(drawn)")
                return
            }
        }
        // The draw is worthless if hardly anything is shown, or never too much.
        #expect(given > 30_000 && full > 10, "\(given) messages, \(full) full answers")
    }

    @Test func `only lists that are asked about are looked up`() throws {
        let candidates = [
            InAppCandidate(campaign: 1, audience: .list(7), exclude: .list(9)),
            InAppCandidate(campaign: 2, audience: .everyone, exclude: .list(7)),
            InAppCandidate(campaign: 3, audience: .segment(try Segment("sport"))),
        ]
        #expect(InAppEligibility.lists(of: candidates) == [7, 9])
    }
}
