import Testing

@testable import WebServing

/// The parts of a request's target, decided without a server.
@Suite struct RequestTests {
    @Test func `segments are decoded after they are cut`() {
        #expect(RequestTarget.segments("/v1/a%2Fb/%C3%A9+") == ["v1", "a/b", "é+"])
        for bad in ["/%", "/%4", "/%zz", "/%FF"] { #expect(RequestTarget.segments(bad[...]) == nil) }
        let query = RequestTarget.query("state=a&state=b+c&x=%26")
        #expect(query?.map(\.name) == ["state", "state", "x"] && query?.map(\.value) == ["a", "b c", "&"])
        #expect(RequestTarget.query("a=%") == nil)
    }

    @Test func `a parameter that a route does not take is refused`() throws {
        let query = Query([("limit", "5"), ("limit", "6"), ("state", "a"), ("state", "b")])
        #expect(throws: HTTPProblem.self) { try query.allow(["limit"], repeated: ["state"]) }
        #expect(throws: HTTPProblem.self) { try Query([("limits", "5")]).allow(["limit"]) }
        #expect(throws: HTTPProblem.self) { try Query([("limit", "0")]).number("limit", in: 1...9, default: 3) }
        #expect(try Query().number("limit", in: 1...9, default: 3) == 3)
    }
}
