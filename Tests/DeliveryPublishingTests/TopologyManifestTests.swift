import Campaigns
import Delivery
import Testing

@Suite("The topology as data")
struct TopologyManifestTests {
    let manifest = TopologyManifest.fanfare(lanes: [Lane(provider: .apns, urgency: .bulk)])

    private func observed(_ manifest: TopologyManifest) -> ObservedTopology {
        ObservedTopology(
            exchanges: Dictionary(uniqueKeysWithValues: manifest.exchanges.map { ($0.name, $0) }),
            queues: Dictionary(
                uniqueKeysWithValues: manifest.queues.map {
                    ($0.name, ObservedTopology.Queue(type: "quorum", policy: $0.name))
                }
            ),
            bindings: manifest.bindings,
            policies: manifest.queues.map { queue in
                ObservedTopology.Policy(
                    name: queue.name,
                    pattern: TopologyManifest.policyPattern(queue: queue.name),
                    appliesTo: "queues",
                    priority: TopologyManifest.policyPriority,
                    definition: Dictionary(
                        uniqueKeysWithValues: queue.policy.definition.map { ($0.key, $0.value) }
                    )
                )
            }
        )
    }

    @Test func `every queue has a policy that refuses publishes when full`() {
        for queue in manifest.queues {
            let definition = queue.policy.definition
            #expect(definition.contains { $0.key == "overflow" && $0.value == .text("reject-publish") })
            #expect(definition.contains { $0.key == "max-length" || $0.key == "max-length-bytes" })
        }
    }

    @Test func `side b of a rung waits a quarter longer, never less`() {
        let waits = Rung.allCases.map { rung in
            manifest.queues.filter { $0.name.hasPrefix("fanfare.v1.retry.\(rung.name).") }.map(\.policy.messageTTL)
        }
        #expect(waits[0] == [5000, 6250])
        #expect(waits[5] == [7_200_000, 9_000_000])
    }

    @Test func `B14: work queues have no time to live`() {
        let work = manifest.queues.filter { $0.name.hasPrefix("fanfare.v1.work.") }
        #expect(work.map(\.name) == ["fanfare.v1.work.apns.bulk"])
        #expect(work.allSatisfy { $0.policy.messageTTL == nil && $0.policy.maxLength == 200_000 })
    }

    @Test func `an empty broker needs everything, a finished one nothing`() {
        let all = manifest.changes(from: ObservedTopology(bindings: [], policies: []))
        #expect(all.count == manifest.exchanges.count + 2 * manifest.queues.count + manifest.bindings.count)
        #expect(manifest.changes(from: observed(manifest)) == [])
    }

    @Test func `a policy that says something else is named with both values`() {
        var broker = observed(manifest)
        broker.policies?[0].definition["overflow"] = .text("drop-head")
        let queue = manifest.queues[0]
        let difference = "has overflow drop-head instead of reject-publish"
        #expect(manifest.changes(from: broker) == [.setPolicy(queue, difference: difference)])
    }

    @Test func `B10: a classic queue, another exchange type and a foreign policy cannot be applied away`() {
        var broker = observed(manifest)
        broker.queues["fanfare.v1.parked"]?.type = "classic"
        broker.exchanges["fanfare.work"]?.kind = .topic
        broker.queues["fanfare.v1.campaigns"]?.policy = "ha-all"
        let changes = manifest.changes(from: broker)
        #expect(changes.count == 3)
        #expect(
            changes.allSatisfy {
                switch $0 {
                case .createExchange, .createQueue, .createBinding, .setPolicy: false
                case .conflict, .overruled: true
                }
            }
        )
    }

    @Test func `a policy's pattern matches its queue and no longer name`() {
        #expect(TopologyManifest.policyPattern(queue: "a.b") == "^a\\.b$")
    }
}
