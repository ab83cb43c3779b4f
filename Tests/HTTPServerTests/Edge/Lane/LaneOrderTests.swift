import HTTPTypes
import Testing

@testable import HTTPServer

/// The requests that take the fast path, and their order.
@Suite struct LaneOrderTests {
    @Test func `nothing is taken behind a request that the lane answers`() {
        var order = LaneOrder()
        #expect(order.began(fitsLane: true) == .lane)
        #expect(!order.isAnswering, "its body may still come")
        order.ended()
        #expect(order.isAnswering)
        order.answered()
        #expect(!order.isAnswering)
        #expect(order.began(fitsLane: false) == .common)
        order.ended()
        #expect(!order.isAnswering, "the common way keeps its own order")
    }

    @Test func `a request behind others on the common way follows them, until all are answered`() {
        var order = LaneOrder()
        for _ in 0..<2 {
            #expect(order.began(fitsLane: false) == .common)
            order.ended()
        }
        order.answeredOnCommonWay()
        #expect(order.began(fitsLane: true) == .common)
        order.ended()
        order.answeredOnCommonWay()
        order.answeredOnCommonWay()
        #expect(order.began(fitsLane: true) == .lane)
    }

    @Test func `a request of unknown or large size, or that ends its connection, takes the common way`() {
        func fits(_ method: HTTPRequest.Method, _ fields: HTTPFields = [:]) -> Bool {
            LaneRule.fits(
                HTTPRequest(method: method, scheme: nil, authority: nil, path: "/v1/tracking", headerFields: fields)
            )
        }
        #expect(fits(.get) && fits(.head) && fits(.delete))
        #expect(fits(.post, [.contentLength: "\(LaneRule.bodyMax)", .connection: "Keep-Alive"]))
        #expect(!fits(.post))
        #expect(!fits(.post, [.contentLength: "\(LaneRule.bodyMax + 1)"]))
        #expect(!fits(.post, [.contentLength: "many"]))
        #expect(!fits(.get, [.connection: "close"]))
        #expect(!fits(.get, [.transferEncoding: "chunked"]))
        #expect(!fits(.put, [.contentLength: "10", .expect: "100-continue"]))
    }
}
