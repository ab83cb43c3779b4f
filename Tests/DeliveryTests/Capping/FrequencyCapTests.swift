import Campaigns
import Delivery
import Testing

struct FrequencyCapTests {
    private static let start = Timestamp(milliseconds: 1_790_000_000_000)
    private static let day = Duration.seconds(86_400)

    private func charge(_ campaign: UInt32, _ milliseconds: Int64) -> FrequencyCharge {
        FrequencyCharge(
            at: Timestamp(milliseconds: Self.start.milliseconds + milliseconds),
            campaign: campaign,
            chunk: 3,
            position: 499
        )
    }

    private func isSpent(
        _ cap: FrequencyCap,
        _ charges: inout [FrequencyCharge],
        after milliseconds: Int64,
        tags: [UInt32: Set<String>] = [:],
        campaignTags: Set<String> = [],
        void: Set<UInt32> = []
    ) -> Bool {
        cap.isSpent(
            &charges,
            for: cap.rules(for: campaignTags),
            now: Timestamp(milliseconds: Self.start.milliseconds + milliseconds),
            tags: { tags[$0] ?? [] },
            isVoid: { void.contains($0.campaign) }
        )
    }

    @Test func `a window rolls to the millisecond`() {
        let cap = FrequencyCap([.init(most: 2, per: Self.day)])
        var charges = [charge(1, 0), charge(2, 1000)]
        #expect(isSpent(cap, &charges, after: 86_399_999))
        #expect(charges.count == 2)
        #expect(!isSpent(cap, &charges, after: 86_400_000))
        #expect(charges == [charge(2, 1000)])
    }

    @Test func `a clock that was set back counts what is ahead of it`() {
        let cap = FrequencyCap([.init(most: 1, per: .seconds(60))])
        var charges = [charge(1, 5000)]
        #expect(isSpent(cap, &charges, after: 0))
    }

    @Test func `a rule with tags counts and binds only campaigns with one of them`() {
        let cap = FrequencyCap([.init(most: 1, per: Self.day, tags: ["sport", "cup"])])
        #expect(cap.rules(for: ["news"]).isEmpty && cap.rules(for: []).isEmpty)
        #expect(cap.rules(for: ["news", "cup"]).count == 1)
        let tags: [UInt32: Set<String>] = [1: ["news"], 2: ["sport", "x"]]
        var other = [charge(1, 0)]
        #expect(!isSpent(cap, &other, after: 10, tags: tags, campaignTags: ["cup"]))
        var same = [charge(2, 0)]
        #expect(isSpent(cap, &same, after: 10, tags: tags, campaignTags: ["cup"]))
        #expect(!isSpent(cap, &same, after: 10, tags: tags, campaignTags: ["news"]))
    }

    @Test func `all rules hold, and a rule without tags counts everything`() {
        let cap = FrequencyCap([
            .init(most: 1, per: .seconds(3600), tags: ["sport"]), .init(most: 3, per: Self.day),
        ])
        let tags: [UInt32: Set<String>] = [1: ["sport"]]
        var charges = [charge(1, 0), charge(2, 1), charge(3, 2)]
        #expect(isSpent(cap, &charges, after: 4_000_000, tags: tags, campaignTags: ["news"]))
        var two = [charge(1, 0), charge(2, 1)]
        #expect(!isSpent(cap, &two, after: 4_000_000, tags: tags, campaignTags: ["sport"]))
        #expect(isSpent(cap, &two, after: 3_000_000, tags: tags, campaignTags: ["sport"]))
    }

    @Test func `a charge that came to nothing is given back where it decides, and only there`() {
        let cap = FrequencyCap([.init(most: 2, per: Self.day)])
        var charges = [charge(1, 0), charge(2, 1)]
        #expect(!isSpent(cap, &charges, after: 10, void: [1]))
        #expect(charges == [charge(2, 1)])
        var many = [charge(1, 0), charge(2, 1), charge(3, 2)]
        #expect(isSpent(cap, &many, after: 10, void: [1]))
        var one = [charge(1, 0)]
        #expect(!isSpent(cap, &one, after: 10, void: [1]))
        #expect(one == [charge(1, 0)])
    }

    @Test func `charges keep their bytes`() {
        let charges = [
            charge(1, 0),
            FrequencyCharge(
                at: Timestamp(milliseconds: 253_402_300_799_999),
                campaign: .max,
                chunk: .max,
                position: .max
            ),
        ]
        #expect(FrequencyCharge.unpacked(FrequencyCharge.packed(charges)) == charges)
        #expect(FrequencyCharge.packed(charges).count == 32)
        #expect(FrequencyCharge.unpacked([1, 2, 3]).isEmpty)
    }
}
