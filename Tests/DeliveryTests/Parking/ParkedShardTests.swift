import Campaigns
import Delivery
import Testing

@Suite struct ParkedShardTests {
    private func decide(
        _ order: ParkedOrder,
        _ row: ShardRecord?,
        _ campaign: CampaignFacts? = Fixtures.campaign(),
        generation: UInt32 = 1
    ) -> ParkedShard.Decision {
        ParkedShard.decide(
            order,
            generation: generation,
            content: Claim.Content(Fixtures.shard()),
            shard: row,
            campaign: campaign,
            now: Fixtures.now
        )
    }

    @Test(arguments: [ShardState.parked, .out])
    func `a row that has lost its message is published anew or given up`(state: ShardState) {
        #expect(decide(.replay, Fixtures.row(state)) == .publishAnew)
        #expect(decide(.discard, Fixtures.row(state)) == .giveUp)
    }

    @Test(arguments: [ShardState.settled, .aside, .unpublished, .running])
    func `a row in somebody else's hands is left to them`(state: ShardState) {
        #expect(decide(.replay, Fixtures.row(state)) == .superseded)
        #expect(decide(.discard, Fixtures.row(state)) == .superseded)
    }

    @Test func `an old copy is superseded`() {
        #expect(decide(.replay, Fixtures.row(.parked, generation: 2)) == .superseded)
        #expect(decide(.discard, Fixtures.row(.parked, generation: 2)) == .superseded)
    }

    @Test func `what the ledger does not know is never sent`() {
        var others = Fixtures.campaign()
        others.id = "final"
        for (row, campaign) in [
            (nil, Fixtures.campaign()), (Fixtures.row(.parked), nil), (Fixtures.row(.parked), others),
        ] as [(ShardRecord?, CampaignFacts?)] {
            #expect(decide(.replay, row, campaign) == .unknown)
            #expect(decide(.discard, row, campaign) == .superseded)
        }
        #expect(decide(.replay, Fixtures.row(.parked), generation: 2) == .unknown)
    }

    @Test func `too late is expired, whatever the person wants`() {
        for order in ParkedOrder.allCases {
            #expect(decide(order, Fixtures.row(.parked), Fixtures.campaign(expiresIn: 0)) == .end(.expired))
            #expect(decide(order, Fixtures.row(.out), Fixtures.campaign(.cancelled)) == .end(.cancelled))
        }
    }

    @Test func `a row waits with a message that was its own`() {
        func isLeft(_ row: ShardRecord?, _ generation: UInt32 = 1) -> Bool {
            ParkedShard.isLeftWaiting(
                generation: generation,
                content: Claim.Content(Fixtures.shard()),
                shard: row,
                campaign: Fixtures.campaign()
            )
        }
        #expect(isLeft(Fixtures.row(.unpublished)), "the broker was faster than the note of its confirm")
        #expect(isLeft(Fixtures.row(.out)))
        #expect(isLeft(Fixtures.row(.running)))
        #expect(!isLeft(Fixtures.row(.out, generation: 2)))
        #expect(!isLeft(nil))
        for state in [ShardState.settled, .aside, .parked] { #expect(!isLeft(Fixtures.row(state))) }
    }
}
