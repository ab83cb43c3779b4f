import Campaigns
import Foundation
import Testing

/// Shards as earlier versions wrote them: every later version must read them.
@Suite struct KeptShardTests {
    private func kept(_ name: String) throws -> [UInt8] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        return [UInt8](try Data(contentsOf: folder.appendingPathComponent("Kept/\(name)")))
    }

    @Test func `a shard of the first version is read field by field, and written as the same bytes`() throws {
        let bytes = try kept("shard-v1")
        let shard = try Shard(encoded: bytes)
        #expect(shard.id.key == ShardKey(campaign: 12, part: 0, ordinal: 7, child: 1))
        #expect(shard.messageID == "12.0.7.30sa2#3")
        #expect(shard.attempt == 2 && shard.firstIndex == 3500 && shard.positions == [1, 4, 9])
        #expect(shard.notBefore == Timestamp(milliseconds: 1_780_000_000_000))
        let facts = shard.facts
        #expect(facts.app == "news" && facts.campaignID == "derby" && facts.provider == .apns)
        let policy = DeliveryPolicy(urgency: .urgent, dropIfOffline: true, maxAttempts: 8, dropUnknown: true)
        #expect(facts.environment == .sandbox && facts.policy == policy)
        #expect(facts.pushType == .alert && facts.priority == 10)
        #expect(facts.expiresAt == Timestamp(milliseconds: 1_790_000_000_000))
        #expect(facts.collapseID == "score" && facts.traceParent == "00-abc" && facts.messageIDAt == 46)
        #expect(String(decoding: facts.payload, as: UTF8.self).hasPrefix(#"{"aps":{"alert":"goal"}"#))
        #expect(shard.devices.count == 3)
        #expect(Array(shard.devices.tokens[shard.devices.tokenRange(at: 2)]) == Array(repeating: 2, count: 32))
        #expect(try shard.encoded() == bytes)
    }
}
