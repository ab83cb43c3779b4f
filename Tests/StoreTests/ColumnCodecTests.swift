import Delivery
import Testing

@testable import Store

struct ColumnCodecTests {
    @Test func `a token's hash is FNV-1a of 128 bits over app, provider and token`() {
        let prefix = TokenHash.prefix(app: "news", provider: "apns")
        let value = TokenHash.value(prefix: prefix, token: [1, 2])
        #expect(String(value, radix: 16) == "ae3ead4ec5284b4b70e1b829b885a6f")
        #expect(TokenHash.bytes(1) == Array(repeating: 0, count: 15) + [1])
        #expect(TokenHash.prefix(app: "newsa", provider: "pns") != prefix)
    }

    @Test func `dead bits are found at any position and only there`() {
        var bits = DeadBits()
        for position in [0, 7, 8, 499] { bits.insert(position) }
        let again = DeadBits(bytes: bits.bytes)
        #expect((0..<600).filter { again[$0] } == [0, 7, 8, 499])
        #expect(DeadBits(bytes: [0, 0]).isEmpty)
        #expect(!bits.isEmpty)
    }

    @Test func `reasons of many shards add up`() throws {
        let text = try #require(ReasonCounts.text(["Too Many": 2, "Bad": 1]))
        var reasons = ["Bad": 1]
        ReasonCounts.add(text, times: 3, to: &reasons)
        #expect(reasons == ["Bad": 4, "Too Many": 6])
        #expect(ReasonCounts.text([:]) == nil)
    }
}
