import HTTPTypes
import Testing

@testable import HTTPServer
@testable import WebServing

/// The meaning of a request's target, decided without a server.
@Suite struct RoutingTests {
    private func operation(_ method: HTTPRequest.Method, _ path: String) -> String? {
        guard let segments = RequestTarget.segments(path[...]), case .route(let place, _) = match(method, segments)
        else { return nil }
        return APIRoutes.all[place].operation
    }

    private func match(_ method: HTTPRequest.Method, _ path: [String]) -> RouteMatch {
        RouteMatch(method, path, among: APIRoutes.all.map(\.pattern))
    }

    @Test func `an id may have colons and words of ours`() throws {
        #expect(operation(.get, "/v1/campaigns/news/a:pause") == "getCampaign")
        #expect(operation(.post, "/v1/campaigns/news/a:b:pause") == "pauseCampaign")
        let segments = try #require(RequestTarget.segments("/v1/campaigns/news/a:b:pause"))
        guard case .route(_, let values) = match(.post, segments) else {
            Issue.record("no route")
            return
        }
        #expect(values == ["app": "news", "id": "a:b"])
    }

    @Test func `a path takes some methods, and says which`() {
        guard case .otherMethod(let methods) = match(.delete, ["v1", "campaigns"]) else {
            Issue.record("the method was taken")
            return
        }
        #expect(Set(methods) == [.get, .post])
        #expect(operation(.head, "/livez") == "livez")
        #expect(operation(.get, "/v1/nothing") == nil && operation(.post, "/v1/campaigns/news/:pause") == nil)
    }

    @Test func `names and methods are the routes' own`() {
        let names = APIRoutes.all.map(\.operation)
        #expect(Set(names).count == names.count)
        let routes = APIRoutes.all.map { "\($0.pattern.method.rawValue) \($0.pattern.path)" }
        #expect(Set(routes).count == routes.count)
    }
}
