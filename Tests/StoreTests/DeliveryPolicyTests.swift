import Campaigns
import Delivery
import Store
import Testing

/// A job's scalars on their way through the ledger.
struct DeliveryPolicyTests {
    private let scratch = ScratchLedger()
    private var ledger: Ledger { scratch.ledger }

    /// Each but the first differs from the defaults in one scalar, so that no two columns can be exchanged.
    private static let policies = [
        DeliveryPolicy(), DeliveryPolicy(urgency: .urgent), DeliveryPolicy(dropIfOffline: true),
        DeliveryPolicy(maxAttempts: 100), DeliveryPolicy(dropUnknown: true),
    ]

    @Test(arguments: TestDatabase.all)
    func `a shard's message has the scalars with which its campaign was accepted`(_ database: TestDatabase) async throws
    {
        try scratch.open(on: database)
        for (index, policy) in Self.policies.enumerated() {
            var facts = Sample.facts(id: "derby-\(index)")
            facts.policy = policy
            let number = try await ledger.accepted(Sample.campaign([1], facts: facts, firstToken: index))
            let shard = try #require(try await ledger.planned(number).first)
            #expect(shard.facts.policy == policy)
            #expect(try Shard(encoded: try shard.body()).facts.policy == policy)
        }
    }
}
