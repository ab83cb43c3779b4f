import HTTPTypes
import Testing

@testable import DeviceEdge

/// The requests that take the fast path, and their order.
@Suite struct FastPathOrderTests {
    @Test func `nothing is taken behind a request that the fast path answers`() {
        var order = FastPathOrder()
        #expect(order.began(fits: true) == .fast)
        #expect(!order.isAnswering, "its body may still come")
        order.ended()
        #expect(order.isAnswering)
        order.answered()
        #expect(!order.isAnswering)
        #expect(order.began(fits: false) == .common)
        order.ended()
        #expect(!order.isAnswering, "the common path keeps its own order")
    }

    @Test func `a request behind others on the common path follows them, until all are answered`() {
        var order = FastPathOrder()
        for _ in 0..<2 {
            #expect(order.began(fits: false) == .common)
            order.ended()
        }
        order.answeredOnCommonPath()
        #expect(order.began(fits: true) == .common)
        order.ended()
        order.answeredOnCommonPath()
        order.answeredOnCommonPath()
        #expect(order.began(fits: true) == .fast)
    }

    @Test func `a request of unknown or large size, or that ends its connection, takes the common path`() {
        func fits(_ method: HTTPRequest.Method, _ fields: HTTPFields = [:]) -> Bool {
            FastPathRule.fits(
                HTTPRequest(method: method, scheme: nil, authority: nil, path: "/v1/tracking", headerFields: fields)
            )
        }
        #expect(fits(.get) && fits(.head) && fits(.delete))
        #expect(fits(.post, [.contentLength: "\(FastPathRule.bodyMax)", .connection: "Keep-Alive"]))
        #expect(!fits(.post))
        #expect(!fits(.post, [.contentLength: "\(FastPathRule.bodyMax + 1)"]))
        #expect(!fits(.post, [.contentLength: "many"]))
        #expect(!fits(.get, [.connection: "close"]))
        #expect(!fits(.get, [.transferEncoding: "chunked"]))
        #expect(!fits(.put, [.contentLength: "10", .expect: "100-continue"]))
    }
}
