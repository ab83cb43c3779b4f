import Foundation
import Testing

@testable import FanfareKit

/// The tokens of Live Activities, from the app's call to the registration.
@Suite struct ActivityFactsTests {
    @Test func `a token takes the place of the one before, an end removes it, and what does not run any more goes`() {
        var facts = ActivityFacts()
        facts.set("aa", type: "Match", id: nil)
        facts.set("bb", type: "Match", id: "match-7")
        facts.set("cc", type: "Match", id: "match-8")
        facts.set("dd", type: "Order", id: "match-7")
        facts.set("ee", type: "Match", id: "match-7")
        #expect(facts.tokens.map(\.token) == ["aa", "cc", "dd", "ee"])
        facts.keep(type: "Match", running: ["match-7"])
        #expect(facts.tokens.map(\.token) == ["aa", "dd", "ee"])
        facts.remove(type: "Match", id: "match-7")
        #expect(facts.tokens.map(\.token) == ["aa", "dd"])
    }

    @Test func `the same token again changes nothing, and the newest are kept`() {
        var facts = ActivityFacts()
        for number in 0..<40 { facts.set("\(number)", type: "Match", id: "match-\(number)") }
        #expect(facts.tokens.count == ActivityFacts.most && facts.tokens.first?.token == "8")
        let before = facts
        facts.set("8", type: "Match", id: "match-8")
        #expect(facts == before)
    }

    @Test func `a registration names all of them, over a restart too, and none where the app has none`() async throws {
        let rig = try PhoneRig()
        await rig.phone.change { $0.token = token("ab") }
        await rig.phone.settled()
        let plain = try #require(await rig.peer.taken("PUT", "/v1/devices/").first?.body)
        #expect(try JSONDecoder().decode(JSON.self, from: plain)["activities"] == nil)
        await rig.phone.change { facts in
            var activities = ActivityFacts()
            activities.set(token("cd"), type: "Match", id: nil)
            activities.set(token("ef"), type: "Match", id: "match-7")
            facts.activities = activities
        }
        await rig.phone.settled()
        let said = try #require(await rig.peer.taken("PUT", "/v1/devices/").first?.body)
        let expected: [JSON] = [
            .object(["type": .string("Match"), "token": .string(token("cd"))]),
            .object(["type": .string("Match"), "id": .string("match-7"), "token": .string(token("ef"))]),
        ]
        #expect(try JSONDecoder().decode(JSON.self, from: said)["activities"] == .array(expected))
        try await rig.kill()
        await rig.phone.change { $0.activities?.remove(type: "Match", id: "match-7") }
        await rig.phone.settled()
        let later = try #require(await rig.peer.taken("PUT", "/v1/devices/").first?.body)
        #expect(try JSONDecoder().decode(JSON.self, from: later)["activities"] == .array([expected[0]]))
    }
}
