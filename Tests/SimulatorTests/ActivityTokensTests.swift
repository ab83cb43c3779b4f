import Testing

@testable import Simulator

/// Tokens of Live Activities: those that start them, and those of one activity each.
@Suite struct ActivityTokensTests {
    private func key(_ byte: String) throws -> DeviceTokenKey {
        let text = Array(String(repeating: byte, count: 80).utf8)
        return try #require(DeviceTokenKey(hexadecimal: text[...]))
    }

    @Test func `a token takes nothing after the end of its activity, and others go on`() throws {
        let tokens = ActivityTokens()
        let (one, two) = (try key("ab"), try key("cd"))
        #expect(tokens.take(.update, to: one, now: 1) == .taken)
        #expect(tokens.take(.end, to: one, now: 2) == .taken)
        for event in PayloadFacts.Event.allCases { #expect(tokens.take(event, to: one, now: 3) == .ended(at: 2)) }
        #expect(tokens.take(.update, to: two, now: 4) == .taken)
        #expect(tokens.take(.update, to: two, now: 5) == .taken)
        tokens.reset()
        #expect(tokens.take(.update, to: one, now: 6) == .taken)
    }

    @Test func `the first message says what a token is for, and it takes nothing else`() throws {
        let tokens = ActivityTokens()
        let (starts, follows) = (try key("ab"), try key("cd"))
        #expect(tokens.take(.start, to: starts, now: 1) == .taken)
        #expect(tokens.take(.update, to: starts, now: 2) == .wrongKind)
        #expect(tokens.take(.end, to: starts, now: 3) == .wrongKind)
        #expect(tokens.take(.start, to: starts, now: 4) == .taken, "one token starts any number")
        #expect(tokens.take(.update, to: follows, now: 5) == .taken)
        #expect(tokens.take(.start, to: follows, now: 6) == .wrongKind)
        #expect(tokens.take(.end, to: follows, now: 7) == .taken, "a wrong start ended nothing")
        let short = try key("ef")
        #expect(tokens.take(.end, to: short, now: 8) == .taken, "an activity may end before an update")
        #expect(tokens.take(.start, to: short, now: 9) == .ended(at: 8))
    }
}
