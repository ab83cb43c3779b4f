import Testing

@testable import Simulator

/// Tokens of Live Activities, each of which belongs to one activity.
@Suite struct ActivityTokensTests {
    private func key(_ byte: String) throws -> DeviceTokenKey {
        let text = Array(String(repeating: byte, count: 80).utf8)
        return try #require(DeviceTokenKey(hexadecimal: text[...]))
    }

    @Test func `a token takes nothing after the end of its activity, and others go on`() throws {
        let tokens = ActivityTokens()
        let (one, two) = (try key("ab"), try key("cd"))
        #expect(tokens.take(.update, to: one, now: 1) == nil)
        #expect(tokens.take(.end, to: one, now: 2) == nil)
        for event in PayloadFacts.Event.allCases { #expect(tokens.take(event, to: one, now: 3) == 2) }
        #expect(tokens.take(.start, to: two, now: 4) == nil)
        #expect(tokens.take(.start, to: two, now: 5) == nil, "one token starts any number")
        tokens.reset()
        #expect(tokens.take(.update, to: one, now: 6) == nil)
    }
}
